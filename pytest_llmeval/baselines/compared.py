"""A run compared with a baseline, and what that means for the build."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..gates.gate import GateResult
from ..metrics.base import Metric
from ..records.record import Record
from .gate import FailOn, baseline_gate
from .rows import Row
from .standing import Roll
from .versus import Versus, versus


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
    metrics: Mapping[str, Metric],
) -> Compared:
    """``records`` held against the baseline's ``rows``, and the gate on that.

    ``tolerance`` and ``metrics`` are those of ``versus``.
    """
    found = versus(rows, records, roll, tolerance, metrics)
    of_one_side = (found.new, found.gone, found.left_out, found.inapplicable)
    if not (found.metrics or any(of_one_side)):
        return Compared(file, fail_on, found)
    return Compared(file, fail_on, found, baseline_gate(found, fail_on))
