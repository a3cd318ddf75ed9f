"""What a row of a baseline can't say, since no check can have come to it."""

from __future__ import annotations

from contextlib import suppress

from ..errors import UsageError
from ..metrics import CATALOGUE
from ..metrics.measures import measure
from ..scales import LARGEST, SCALES


def fault_in(metric: str, scale: str, outcome: str, score: float | None) -> str:
    """What is wrong with a check of ``metric`` on ``scale``, in words; empty where it may be.

    Only a blank response, which fails, has no score. A score is on its scale; and as no pass mark
    lies where everything passes, none passes with the scale's worst.
    """
    if score is None:
        return "" if outcome == "failed" else f"is {outcome}, and has no score"
    if not abs(score) <= LARGEST:
        return f"has the score {score:g}, which is too large for one"
    known = SCALES.get(scale) if metric.partition("[")[0] in CATALOGUE else None
    if known is not None and not known.holds(score):
        return f"has the score {score:g}, which is not on its scale, {scale}"
    if outcome == "passed" and score == _worst(metric, scale):
        return f"passed with the score {score:g}, the worst on its scale, {scale}"
    return ""


def _worst(metric: str, scale: str) -> float | None:
    """The score that never passes; None where nobody knows of it."""
    with suppress(UsageError):
        found = measure(metric, CATALOGUE)
        if found.scale.name == scale:
            at_least = found.scale.higher_is_better is not found.reversed
            return found.scale.lowest if at_least else found.scale.highest
    return None
