"""What a row of a baseline can't say, since no check can have come to it."""

from __future__ import annotations

from contextlib import suppress
from math import isfinite

from ..errors import UsageError
from ..metrics import CATALOGUE
from ..metrics.base import Metric
from ..metrics.measures import measure
from ..scales import LARGEST, SCALES, Scale
from .rows import Maker, mark_in, rounded


def fault_in(metric: str, maker: Maker, outcome: str, score: float | None) -> str:
    """What is wrong with a check of ``metric`` made by ``maker``, in words; empty where it may be.

    Only a blank response, which fails, has no score. Score and mark are on the scale, and what the
    mark makes of the score is the outcome. As no pass mark lies where everything passes, or
    nothing, none passes with the scale's worst, and none fails with its best. What has a pass rule
    by itself passes or fails.
    """
    known = SCALES.get(maker.scale) if metric.partition("[")[0] in CATALOGUE else None
    return _of_score(metric, maker.scale, known, outcome, score) or _of_mark(
        maker.mark, known, outcome, score
    )


def _of_mark(mark: str | None, known: Scale | None, outcome: str, score: float | None) -> str:
    if mark is None:
        return ""
    rule = mark_in(mark)
    if rule is None or not isfinite(rule.value):
        return f"has the pass mark {mark!r}, which is none"
    if known is not None and not known.lowest <= rule.value <= known.highest:
        return f"has the pass mark {mark}, which is not on its scale, {known.name}"
    if outcome == "measured":
        return f"is measured, and has the pass mark {mark}"
    # Where they differ by no digit that is told, the mark may have been a little more or less.
    if score is None or rounded(score) == rule.value:
        return ""
    if rule.holds(score) == (outcome == "passed"):
        return ""
    return f"{outcome} with the score {score:g}, where {mark} passes"


def _of_score(
    metric: str, scale: str, known: Scale | None, outcome: str, score: float | None
) -> str:
    if score is None:
        return "" if outcome == "failed" else f"is {outcome}, and has no score"
    if not abs(score) <= LARGEST:
        return f"has the score {score:g}, which is too large for one"
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
