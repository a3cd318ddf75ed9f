"""The comparison with a baseline, as the run file holds it."""

from __future__ import annotations

from typing import Any, Literal

from ..baselines.compared import Compared
from ..baselines.flips import Flip
from ..baselines.versus import MetricVersus
from ..statistics.decision import Decision
from .extent import RunPart


class MetricComparison(RunPart):
    """One metric or suite, over the checks that both runs came to a verdict on."""

    metric: str
    """The row that its checks count under, as the summary calls it."""
    change: Literal["regressed", "improved", "inconclusive", "unchanged"] | None
    """What became of it; null where nothing was compared."""
    judge_change: str | None
    """What is another judge than the baseline's, in words; nothing is compared then."""
    n: int
    """Cases that were compared."""
    clusters: int
    """How many independent clusters they make."""
    of_defects: bool
    """Whether its rate is told as that of the defects, of which less is better: figures stay those
    of what passed."""
    outcomes: bool
    """Whether pass rates are compared; else mean scores are."""
    baseline: float | None
    """The baseline's pass rate in [0, 1], or mean score, over these cases."""
    current: float | None
    """The run's."""
    difference: float | None
    """Current less baseline."""
    interval: tuple[float, float] | None
    """The 95 % interval of the difference; null where it is unknown."""
    worse: int
    """Cases that became worse."""
    better: int
    """Cases that became better."""
    test: str | None
    """The deciding test."""
    p: float | None
    """Its two-sided p-value."""
    adjusted_p: float | None
    """The same with all other metrics in view (Benjamini and Hochberg)."""
    detectable: float | None
    """Where inconclusive: the smallest drop that would have been found in 80 % of runs."""
    blind: bool
    """Whether not even a drop of everything could have been found."""
    tolerance: float
    """The drop that may be."""
    unknown: int
    """Cases of the baseline that are not compared: without a verdict now, or not run."""
    deselected: int
    """Cases of the baseline that are not compared: the user's selection left them out."""
    partial: int = 0
    """Of the ``n`` cases those of which trials are missing."""
    mark_change: str | None = None
    """The pass mark before and now, where it is known to be another one."""
    aside: int = 0
    """Of a suite: cases of the baseline that are not compared and count for nothing, as skipped
    ones. Of a metric these checks are listed, and not counted here."""

    @classmethod
    def of(cls, each: MetricVersus, tolerance: float) -> MetricComparison:
        """The metric that ``each`` tells of."""
        return cls(
            metric=each.metric,
            judge_change=each.judge_change,
            of_defects=each.cases.tells_defects,
            outcomes=each.cases.outcomes,
            tolerance=tolerance,
            unknown=each.cases.unknown,
            deselected=each.cases.unselected,
            partial=each.cases.partial,
            mark_change=each.cases.mark_change,
            aside=each.cases.aside,
            **(_NOTHING if each.decision is None else _decided(each.decision)),
        )


_NUMBERS = ("baseline", "current", "difference", "test", "p")
_COUNTS = ("n", "clusters", "worse", "better")
_NOTHING: dict[str, Any] = {
    **dict.fromkeys((*_NUMBERS, "change", "interval", "adjusted_p", "detectable")),
    **dict.fromkeys(_COUNTS, 0),
    "blind": False,
}


def _decided(decision: Decision) -> dict[str, Any]:
    made = decision.comparison
    return {
        **{name: getattr(made, name) for name in (*_NUMBERS, *_COUNTS)},
        "change": decision.change.value,
        "interval": made.interval(),
        "adjusted_p": decision.adjusted_p,
        "detectable": decision.detectable,
        "blind": decision.is_blind,
    }


class FlippedCase(RunPart):
    """A case that had passed a metric and fails it."""

    test: str
    """Its test, without the number of a trial."""
    case: str | None
    """Its identity, if it has one."""
    metric: str
    """The row that the check counts under."""
    scores: tuple[float | None, float | None]
    """The baseline's and the run's; null of a blank response."""
    told: tuple[str, str]
    """The scores as people read them on their scale."""
    reasons: tuple[str, str]
    """Those of both verdicts, at most 200 characters of each."""
    same_case: bool
    """Whether what was judged is the same to the letter."""

    @classmethod
    def of(cls, flip: Flip) -> FlippedCase:
        """The case that ``flip`` is: its fields by their names."""
        names = cls.model_fields
        return cls(**{name: getattr(flip, name) for name in names})


class ComparedCheck(RunPart):
    """A check that was not compared."""

    test: str
    """Its test, without the number of a trial."""
    case: str | None
    """The identity of its case, if it has one."""
    metric: str
    """The row that it counts under."""
    number: int
    """Which it is of those of its metric on the case in the test, from 0."""


class BaselineComparison(RunPart):
    """The run held against a baseline."""

    file: str
    """The baseline's file, relative to where pytest was called."""
    fail_on: Literal["regression", "drop", "any-flip"]
    """What breaks the gate."""
    gate: Literal["held", "broken", "not decided"] | None
    """What the gate came to; null where the baseline was written anew, or there was nothing to ask.
    """
    says: str
    """Why."""
    metrics: tuple[MetricComparison, ...]
    """By name."""
    flips: tuple[FlippedCase, ...]
    """Cases that had passed and fail, the worst first."""
    new: tuple[ComparedCheck, ...]
    """Checks that the baseline does not know."""
    gone: tuple[ComparedCheck, ...]
    """Checks of the baseline that the run no longer makes."""
    changed: tuple[ComparedCheck, ...]
    """Checks that are measured otherwise now, as on another scale."""
    left_out: tuple[ComparedCheck, ...] = ()
    """Checks of tests that were skipped, or expected to fail."""
    inapplicable: tuple[ComparedCheck, ...] = ()
    """Checks of the baseline that have nothing to judge now."""
    suites: tuple[MetricComparison, ...] = ()
    """Suites of several metrics, by name: a case passes where none of its checks fails."""
    reworded: tuple[ComparedCheck, ...] = ()
    """Checks that are compared, and known to ask or expect something else now."""
    elsewhere: int = 0
    """How many checks of the baseline are in files that were not collected."""
    extra: int = 0
    """How many checks of the run are of trials beyond those that were set beforehand."""

    @property
    def rows(self) -> tuple[MetricComparison, ...]:
        """The metrics, and the suites after them."""
        return (*self.metrics, *self.suites)

    @property
    def compared(self) -> int:
        """How many checks were compared."""
        return sum(each.n for each in self.metrics)

    @classmethod
    def of(cls, compared: Compared) -> BaselineComparison:
        """The comparison that ``compared`` is."""
        found, gate = compared.found, compared.gate
        metrics, suites = (
            tuple(MetricComparison.of(each, found.tolerance[each.metric]) for each in rows)
            for rows in (found.metrics, found.suites)
        )
        listed = {
            name: tuple(ComparedCheck(**place._asdict()) for place in getattr(found, name))
            for name in ("new", "gone", "changed", "left_out", "inapplicable", "reworded")
        }
        return cls(
            file=compared.file,
            fail_on=compared.fail_on,
            gate=None if gate is None else gate.state.value,
            says="" if gate is None else gate.says,
            metrics=metrics,
            suites=suites,
            flips=tuple(map(FlippedCase.of, found.flips)),
            elsewhere=found.elsewhere,
            extra=found.extra,
            **listed,
        )
