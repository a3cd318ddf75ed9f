"""A run versus its baseline: what became of each metric, and which cases fail that had passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..records import Record
from ..results import Outcome
from ..text.shown import shown
from .baseline import REASON_SHOWN, Place, Row
from .comparison import compare
from .counterparts import SCALES, Beside, Counterparts, counterparts
from .decision import Decision, decide
from .pairing import order_of, paired
from .standing import Roll, Standing


@dataclass(frozen=True, slots=True)
class Flip:
    """A case that had passed a metric and fails it: scores and reasons in both runs.

    ``scores`` are null for blank responses. ``fall`` is how far the score fell, in parts of the
    scale; ``same_case`` tells that what was judged is the same to the letter, so that the judge
    and not the app changed its mind.
    """

    test: str
    case: str | None
    metric: str
    scores: tuple[float | None, float | None]
    reasons: tuple[str, str]
    same_case: bool
    fall: float


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
    fail. ``tolerance`` is what may be, by metric.
    """

    metrics: tuple[MetricVersus, ...]
    flips: tuple[Flip, ...]
    new: tuple[Place, ...]
    gone: tuple[Place, ...]
    changed: tuple[Place, ...]
    left_out: tuple[Place, ...]
    tolerance: Mapping[str, float]

    @property
    def compared(self) -> int:
        """How many checks were compared."""
        decisions = (each.decision for each in self.metrics)
        return sum(each.comparison.n for each in decisions if each is not None)


ALL_METRICS = ""
"""The name under which a tolerance holds for every metric that has none of its own."""


def versus(
    rows: Iterable[Row],
    records: Iterable[Record],
    roll: Roll,
    tolerance: Mapping[str, float] | None = None,
) -> Versus:
    """What ``records`` are, held against the baseline's ``rows``.

    Errors, and tests that were skipped or expected to fail, are in no comparison.
    """
    pairs = paired(rows, records, roll)
    metrics = counterparts(pairs)
    allowed = {
        each.metric: (tolerance or {}).get(each.metric, (tolerance or {}).get(ALL_METRICS, 0.0))
        for each in metrics
    }
    changes = {each.metric: each.judge_change for each in metrics}
    told = [each for each in metrics if changes[each.metric] is None]
    decided = {each.comparison.metric: each for each in decisions(told, allowed)}
    return Versus(
        metrics=tuple(
            MetricVersus(each, decided.get(each.metric), changes[each.metric]) for each in metrics
        ),
        flips=tuple(_flips(told)),
        new=tuple(pairs.new),
        gone=tuple(pairs.gone),
        left_out=tuple(sorted(pairs.missing.get(Standing.LEFT_OUT, {}), key=order_of)),
        changed=tuple(sorted((place for each in metrics for place in each.changed), key=order_of)),
        tolerance=allowed,
    )


def decisions(
    metrics: Iterable[Counterparts],
    tolerance: Mapping[str, float],
    unknown: str | None = None,
    selected_only: bool = True,
) -> list[Decision]:
    """What is decided on ``metrics``, those without a pair apart.

    Trials whose outcome is ``unknown`` count as the ``worst`` or the ``best``, if that is given and
    the scale has such an end.
    """
    made = []
    for each in metrics:
        ends = each.ends() if unknown else None
        value = None if ends is None else ends[unknown == "best"]
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
    )


def _fall(before: float | None, now: float | None, metric: Counterparts) -> float:
    """How far the score fell, of the whole scale where that has ends; all of it without one."""
    if before is None or now is None:
        return 1.0
    scale = SCALES.get(metric.scale)
    span = scale.highest - scale.lowest if scale else 1.0
    return (before - now if metric.higher_is_better else now - before) / span
