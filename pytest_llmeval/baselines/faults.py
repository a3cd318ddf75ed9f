"""What a row of a baseline can't say, since no check can have come to it."""

from __future__ import annotations

from contextlib import suppress

from ..errors import UsageError
from ..metrics import CATALOGUE
from ..metrics.base import Metric
from ..metrics.measures import measure
from ..scales import LARGEST, SCALES


def fault_in(metric: str, scale: str, outcome: str, score: float | None) -> str:
    """What is wrong with a check of ``metric`` on ``scale``, in words; empty where it may be.

    Only a blank response, which fails, has no score. A score is on its scale; and as no pass mark
    lies where everything passes, or nothing, none passes with the scale's worst, and none fails
    with its best. What has a pass rule by itself passes or fails.
    """
    if score is None:
        return "" if outcome == "failed" else f"is {outcome}, and has no score"
    if not abs(score) <= LARGEST:
        return f"has the score {score:g}, which is too large for one"
    known = SCALES.get(scale) if metric.partition("[")[0] in CATALOGUE else None
    if known is not None and not known.holds(score):
        return f"has the score {score:g}, which is not on its scale, {scale}"
    found = _measure(metric, scale)
    if found is None:
        return ""
    if outcome == "measured":
        return "" if found.threshold is None else "is measured, and always has a pass mark"
    upwards = found.scale.higher_is_better is not found.reversed
    ends = {"passed": found.scale.lowest, "failed": found.scale.highest}
    if not upwards:
        ends = {"passed": found.scale.highest, "failed": found.scale.lowest}
    if score != ends[outcome]:
        return ""
    end = "worst" if outcome == "passed" else "best"
    return f"{outcome} with the score {score:g}, the {end} on its scale, {scale}"


def _measure(metric: str, scale: str) -> Metric | None:
    """The built-in one that counts under the row ``metric``; None where none does on ``scale``."""
    with suppress(UsageError):
        found = measure(metric, CATALOGUE)
        return found if found.scale.name == scale else None
    return None
