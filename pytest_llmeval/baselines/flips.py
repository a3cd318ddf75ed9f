"""Flips: cases that had passed a metric and fail it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..results import Outcome
from ..text.shown import shown
from .beside import Beside
from .counterparts import Counterparts
from .rows import REASON_SHOWN


@dataclass(frozen=True, slots=True)
class Flip:
    """A case that had passed a metric and fails it: scores and reasons in both runs.

    ``scores`` are null for blank responses, ``told`` as people read them. ``fall`` is how far the
    score fell, in parts of the scale; ``same_case`` tells that what was judged is the same to the
    letter, so that the judge and not the app changed its mind.
    """

    test: str
    case: str | None
    metric: str
    scores: tuple[float | None, float | None]
    reasons: tuple[str, str]
    same_case: bool
    fall: float
    told: tuple[str, str]


def flips_of(metrics: Iterable[Counterparts]) -> list[Flip]:
    """The flips in ``metrics``, the worst first."""
    found = [
        _flip(each, metric)
        for metric in metrics
        if metric.outcomes
        for each in metric.cases
        if each.now and passes(each.passed_before()) and not passes(each.passed_now())
    ]
    return sorted(found, key=lambda flip: (-flip.fall, flip.test, flip.metric, flip.case or ""))


def passes(trials: list[bool]) -> bool:
    """Whether a case passes: in half of its ``trials`` and more."""
    return 2 * sum(trials) >= len(trials)


def _flip(each: Beside, metric: Counterparts) -> Flip:
    row = next(row for row, passed in zip(each.before, each.passed_before(), strict=True) if passed)
    record = next(record for record in each.now if record.outcome is Outcome.FAILED)
    return Flip(
        test=each.place.test,
        case=each.place.case,
        metric=metric.metric,
        scores=(row.score, record.score),
        reasons=(row.reason, shown(record.reason, REASON_SHOWN)),
        same_case=row.judged is not None and row.judged == record.judged,
        fall=_fall(row.score, record.score, metric),
        told=(_told(row.score, metric), _told(record.score, metric)),
    )


def _told(score: float | None, metric: Counterparts) -> str:
    if score is None:
        return "none"
    return metric.scale.show(score) if metric.scale else f"{score:.3g}"


def _fall(before: float | None, now: float | None, metric: Counterparts) -> float:
    """How far the score fell, of the whole scale where that has ends; all of it without one."""
    if before is None or now is None:
        return 1.0
    fall = before - now if metric.higher_is_better else now - before
    return fall / (metric.span or 1.0)
