"""A run versus its baseline: what became of each metric, and which cases fail that had passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..metrics.base import Metric
from ..records.record import Record
from ..statistics.comparison import compare
from ..statistics.decision import Decision, decide
from .counterparts import Counterparts, End, counterparts
from .flips import Flip, flips_of
from .pairing import order_of, paired
from .rows import Place, Row
from .standing import Roll, Standing
from .suites_beside import suites_beside


@dataclass(frozen=True, slots=True)
class MetricVersus:
    """One metric or suite.

    ``decision`` is None where nothing was compared, or the judge changed.
    """

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
    be, by metric and suite, on the scale of the difference. ``reworded`` checks are compared, and
    ask or expect something else than they did; ``elsewhere`` counts those of the baseline in files
    that were not collected, ``extra`` the run's checks of trials beyond those that were set
    beforehand, which are in no comparison.
    """

    metrics: tuple[MetricVersus, ...]
    suites: tuple[MetricVersus, ...]
    flips: tuple[Flip, ...]
    new: tuple[Place, ...]
    gone: tuple[Place, ...]
    changed: tuple[Place, ...]
    left_out: tuple[Place, ...]
    inapplicable: tuple[Place, ...]
    tolerance: Mapping[str, float]
    reworded: tuple[Place, ...] = ()
    elsewhere: int = 0
    extra: int = 0

    @property
    def compared(self) -> int:
        """How many checks were compared."""
        decisions = (each.decision for each in self.metrics)
        return sum(each.comparison.n for each in decisions if each is not None)

    @property
    def decisions(self) -> list[Decision]:
        """What is said of each metric and suite of which anything is."""
        every = (each.decision for each in (*self.metrics, *self.suites))
        return [each for each in every if each is not None]


_NONE: Mapping[str, Any] = MappingProxyType({})
LEFT_ASIDE: Mapping[str, str] = MappingProxyType(
    {
        "gone": "gone",
        "left_out": "skipped or expected to fail",
        "inapplicable": "not applicable now",
        "changed": "measured otherwise",
    }
)
"""What people are told of each kind of checks of the baseline that count for nothing."""
ELSEWHERE = "in files that were not collected"
"""What they are told of checks that the run had nothing to do with."""
REWORDED = "with another question or expectation"
"""What they are told of checks that are compared, and ask or expect something else."""
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
    records = [*records]
    pairs = paired(rows, records, roll)
    found = counterparts(pairs, metrics)
    suites = suites_beside(pairs, found)
    every = [*found, *suites]
    allowed = {each.metric: _allowed(each, tolerance) for each in every}
    changes = {each.metric: each.judge_change for each in every}
    told = [each for each in every if changes[each.metric] is None]
    decided = {each.comparison.metric: each for each in decisions(told, allowed)}

    def made(each: Counterparts) -> MetricVersus:
        return MetricVersus(each, decided.get(each.metric), changes[each.metric])

    return Versus(
        metrics=tuple(map(made, found)),
        suites=tuple(map(made, suites)),
        flips=tuple(flips_of(each for each in found if changes[each.metric] is None)),
        new=_sorted(pairs.new),
        gone=_sorted(pairs.gone),
        left_out=_sorted(pairs.missing.get(Standing.LEFT_OUT, ())),
        inapplicable=_sorted(pairs.inapplicable),
        changed=_sorted(place for each in found for place in each.changed),
        tolerance=allowed,
        reworded=_sorted(place for each in told for place in each.reworded),
        elsewhere=len(pairs.missing.get(Standing.ELSEWHERE, ())),
        extra=sum(record.is_extra for record in records),
    )


def _sorted(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted(places, key=order_of))


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


def _allowed(metric: Counterparts, tolerance: Mapping[str, float]) -> float:
    """The drop of ``metric`` that may be: a share of all that can be lost.

    That is every point of a pass rate, and the span of a scale of scores; of one without two ends,
    the mean of the baseline.
    """
    share = tolerance.get(metric.metric, tolerance.get(ALL_METRICS, 0.0))
    if metric.outcomes or not share:
        return share
    if metric.span is not None:
        return share * metric.span
    made = compare(metric.metric, metric.pairs(), outcomes=False)
    return share * abs(made.baseline or 0.0)
