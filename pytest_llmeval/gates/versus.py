"""A run versus its baseline: what became of each metric, and which cases fail that had passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from types import MappingProxyType
from typing import Any

from ..metrics.base import Metric
from ..records import Record
from ..results import Outcome
from ..text.shown import shown
from .baseline import REASON_SHOWN, Place, Row
from .comparison import compare
from .counterparts import Beside, Counterparts, End, counterparts
from .decision import Decision, decide
from .pairing import order_of, paired
from .standing import Roll, Standing


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


@dataclass(frozen=True, slots=True)
class MetricVersus:
    """One metric. ``decision`` is None where nothing was compared, or the judge changed."""

    cases: Counterparts
    decision: Decision | None
    judge_change: str | None

    @property
    def metric(self) -> str:
        """The row that its checks count under."""
        return self.cases.metric


@dataclass(frozen=True, slots=True)
class Versus:
    """What a run is, held against its baseline.

    ``flips`` are the worst first; ``new``, ``gone`` and ``changed`` are checks of one side only and
    those that are measured otherwise; ``left_out`` those of tests that were skipped, or expected to
    fail, ``inapplicable`` those that have nothing to judge now. ``tolerance`` is the drop that may
    be, by metric, on the scale of the difference.
    """

    metrics: tuple[MetricVersus, ...]
    flips: tuple[Flip, ...]
    new: tuple[Place, ...]
    gone: tuple[Place, ...]
    changed: tuple[Place, ...]
    left_out: tuple[Place, ...]
    inapplicable: tuple[Place, ...]
    tolerance: Mapping[str, float]

    @property
    def compared(self) -> int:
        """How many checks were compared."""
        decisions = (each.decision for each in self.metrics)
        return sum(each.comparison.n for each in decisions if each is not None)


_NONE: Mapping[str, Any] = MappingProxyType({})
ALL_METRICS = ""
"""The name under which a tolerance holds for every metric that has none of its own."""


def versus(
    rows: Iterable[Row],
    records: Iterable[Record],
    roll: Roll,
    tolerance: Mapping[str, float] = _NONE,
    metrics: Mapping[str, Metric] = _NONE,
) -> Versus:
    """What ``records`` are, held against the baseline's ``rows``.

    Errors, and tests that were skipped or expected to fail, are in no comparison. ``tolerance`` is
    the share that may be lost, by row; ``metrics`` are those of the run, which know their scales.
    """
    pairs = paired(rows, records, roll)
    found = counterparts(pairs, metrics)
    allowed = {each.metric: _allowed(each, tolerance) for each in found}
    changes = {each.metric: each.judge_change for each in found}
    told = [each for each in found if changes[each.metric] is None]
    decided = {each.comparison.metric: each for each in decisions(told, allowed)}
    return Versus(
        metrics=tuple(
            MetricVersus(each, decided.get(each.metric), changes[each.metric]) for each in found
        ),
        flips=tuple(_flips(told)),
        new=tuple(pairs.new),
        gone=tuple(pairs.gone),
        left_out=tuple(sorted(pairs.missing.get(Standing.LEFT_OUT, {}), key=order_of)),
        inapplicable=tuple(pairs.inapplicable),
        changed=tuple(sorted((place for each in found for place in each.changed), key=order_of)),
        tolerance=allowed,
    )


def decisions(
    metrics: Iterable[Counterparts],
    tolerance: Mapping[str, float],
    unknown: End | None = None,
    selected_only: bool = True,
) -> list[Decision]:
    """What is decided on ``metrics``, those without a pair apart.

    Trials whose outcome is ``unknown`` count as the ``worst`` or the ``best``, if that is given and
    the scale has such an end.
    """
    made = []
    for each in metrics:
        value = each.end(unknown) if unknown else None
        if pairs := each.pairs(value, selected_only):
            made.append(
                compare(
                    each.metric,
                    pairs,
                    outcomes=each.outcomes,
                    higher_is_better=each.higher_is_better,
                )
            )
    return decide(made, tolerance=tolerance)


def _flips(metrics: Iterable[Counterparts]) -> list[Flip]:
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
    return fall / (_span(metric) or 1.0)


def _allowed(metric: Counterparts, tolerance: Mapping[str, float]) -> float:
    """The drop of ``metric`` that may be: a share of all that can be lost.

    That is every point of a pass rate, and the span of a scale of scores; of one without two ends,
    the mean of the baseline.
    """
    share = tolerance.get(metric.metric, tolerance.get(ALL_METRICS, 0.0))
    if metric.outcomes or not share:
        return share
    if (span := _span(metric)) is not None:
        return share * span
    made = compare(metric.metric, metric.pairs(), outcomes=False)
    return share * abs(made.baseline or 0.0)


def _span(metric: Counterparts) -> float | None:
    """From end to end of the scale; None without two ends."""
    span = metric.scale.highest - metric.scale.lowest if metric.scale else inf
    return span if isfinite(span) else None
