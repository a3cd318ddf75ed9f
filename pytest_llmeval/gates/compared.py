"""A run compared with a baseline, and what that means for the build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..errors import UsageError
from ..metrics.base import Metric
from ..metrics.measures import measure
from ..records import Record
from ..results import SEVERITY
from .baseline import Row
from .baseline_gate import FailOn, baseline_gate
from .gate import GateResult
from .standing import Roll
from .versus import ALL_METRICS, Versus, versus


@dataclass(frozen=True, slots=True)
class Compared:
    """A run and the baseline in ``file``: what was found, and what the gate made of it.

    ``gate`` is None where nothing is decided here: the baseline is written anew, or there was
    nothing that it could be asked about.
    """

    file: str
    fail_on: FailOn
    found: Versus
    gate: GateResult | None = None


def compared(
    file: str,
    rows: Iterable[Row],
    records: Iterable[Record],
    roll: Roll,
    fail_on: FailOn,
    tolerance: Mapping[str, float],
) -> Compared:
    """``records`` held against the baseline's ``rows``, and the gate on that."""
    found = versus(rows, records, roll, tolerance)
    if not (found.metrics or found.new or found.gone or found.left_out):
        return Compared(file, fail_on, found)
    return Compared(file, fail_on, found, baseline_gate(found, fail_on))


def tolerances(entries: Iterable[str], metrics: Mapping[str, Metric]) -> dict[str, float]:
    """``0.02`` and ``groundedness=0.1`` by metric; the former for all that have none of their own.

    Raises ``UsageError`` for a name that no metric has, and for what is no number from 0 on.
    """
    found = {}
    for entry in entries:
        name, equals, text = (part.strip() for part in entry.rpartition("="))
        try:
            row = measure(name, metrics).row if equals else ALL_METRICS
        except UsageError as error:
            raise UsageError(f"tolerance: {error}") from None
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < float("inf"):
            meant = (
                f" (a severity is --llm-eval-threshold {entry})" if text in SEVERITY.labels else ""
            )
            raise UsageError(
                "tolerance: expected a number of 0 or more, as 0.02 or METRIC=0.02; "
                f"got {entry!r}{meant}"
            )
        found[row] = value
    return found
