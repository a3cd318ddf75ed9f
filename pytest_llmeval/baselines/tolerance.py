"""Tolerances as settings write them: the share of a metric that may be lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import nan

from ..errors import UsageError
from ..metrics.base import Metric
from ..metrics.measures import measure
from ..scales import SEVERITY
from .versus import ALL_METRICS


def tolerances(entries: Iterable[str], metrics: Mapping[str, Metric]) -> dict[str, float]:
    """``0.02``, ``2%`` and ``groundedness=0.1`` by row; a bare one is for all that have none.

    Each is a share in [0, 1) of all that can be lost, whatever the metric's scale. Raises
    ``UsageError`` for a name that no metric has, for what is no number, and for a share that no
    drop can exceed.
    """
    found = {}
    for entry in entries:
        name, equals, text = (part.strip() for part in entry.rpartition("="))
        try:
            row = measure(name, metrics).row if equals else ALL_METRICS
        except UsageError as error:
            raise UsageError(f"tolerance: {error}") from None
        found[row] = _share(text, entry)
    return found


def _share(text: str, entry: str) -> float:
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = nan
    value = number / 100 if text.endswith("%") else number
    if not value >= 0:
        other = f" (a severity is --llm-eval-threshold {entry})" if text in SEVERITY.labels else ""
        raise UsageError(
            f"tolerance: expected a share, as 2% or 0.02 or METRIC=2%; got {entry!r}{other}"
        )
    if value >= 1:
        meant = number if 0 < number < 100 and not text.endswith("%") else 5
        raise UsageError(
            "tolerance: expected a share below 1 (100%), which a drop can exceed, as "
            f"{meant:g}% or {meant / 100:g}; got {entry!r}"
        )
    return value
