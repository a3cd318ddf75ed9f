"""Counterparts: the values of one metric in both runs, case by case, and what is not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from ..records import Record
from ..results import (
    BETWEEN_ONE_AND_FIVE,
    FRACTION,
    ONE_TO_FIVE,
    PASS_FAIL,
    SEVERITY,
    YES_NO,
    Outcome,
)
from .baseline import DECIDED, Place, Row, change_of_judge, maker_of
from .paired import Pair
from .pairing import Paired
from .standing import Standing

SCALES = {
    scale.name: scale
    for scale in (ONE_TO_FIVE, BETWEEN_ONE_AND_FIVE, YES_NO, PASS_FAIL, FRACTION, SEVERITY)
}
"""Scales with two ends, by the name that records have of them."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One case: its checks in the baseline, and those in the run that came to something.

    ``unknown`` trials got no verdict, or were not run; ``unselected`` tells that this was the
    user's selection.
    """

    place: Place
    before: Sequence[Row]
    now: Sequence[Record]
    unknown: int = 0
    unselected: bool = False

    @property
    def judge_change(self) -> str | None:
        """What changed about who judged; None where nothing did."""
        makers = {(row.maker, maker_of(record)) for row in self.before for record in self.now}
        changes = [change_of_judge(*each) for each in sorted(makers, key=repr)]
        return next((each for each in changes if each is not None), None)

    def passed_before(self) -> list[bool]:
        """Whether each trial of the baseline passes, by the pass rule of today where there is one.

        A mark that was set anew is then no change of the app.
        """
        rule = self.now[0].rule if self.now else None
        return [
            row.outcome is Outcome.PASSED
            if rule is None
            else row.score is not None and rule.holds(row.score)
            for row in self.before
        ]

    def passed_now(self) -> list[bool]:
        """Whether each trial of the run passed."""
        return [record.outcome is Outcome.PASSED for record in self.now]


@dataclass(frozen=True, slots=True)
class Counterparts:
    """One metric: its cases side by side. ``outcomes`` tells that every check has a pass rule.

    ``changed`` are cases whose scale is another one, or whose score is there on one side only.
    """

    metric: str
    cases: tuple[Beside, ...]
    changed: tuple[Place, ...]
    outcomes: bool
    scale: str
    higher_is_better: bool

    @property
    def judge_change(self) -> str | None:
        """What changed about who judged, of the first case where anything did."""
        return next(filter(None, (each.judge_change for each in self.cases)), None)

    @property
    def tells_defects(self) -> bool:
        """Whether its rate is told as that of the defects: where severities have to be low."""
        rules = [record.rule for each in self.cases for record in each.now]
        low = all(rule is not None and rule.asks_for == "at_most" for rule in rules)
        return self.outcomes and self.scale == SEVERITY.name and low

    @property
    def unknown(self) -> int:
        """How many cases have a trial without a verdict, or that was not run."""
        return sum(1 for each in self.cases if each.unknown and not each.unselected)

    @property
    def unselected(self) -> int:
        """How many cases the user's selection left out."""
        return sum(1 for each in self.cases if each.unselected)

    def ends(self) -> tuple[float, float] | None:
        """What a failed and a passed check may count as at worst and at best; None without ends."""
        if self.outcomes:
            return 0.0, 1.0
        scale = SCALES.get(self.scale)
        if scale is None or not (isfinite(scale.lowest) and isfinite(scale.highest)):
            return None
        ends = scale.lowest, scale.highest
        return ends if self.higher_is_better else ends[::-1]

    def pairs(self, unknown: float | None = None, selected_only: bool = True) -> list[Pair]:
        """The cases as they are compared, with ``unknown`` trials counted as that if it is given.

        With ``selected_only`` those that the user's selection left out are none of them.
        """
        found = []
        for each in self.cases:
            if each.unselected and selected_only:
                continue
            before = each.passed_before() if self.outcomes else _scores(each.before)
            now: list[float] = [*(each.passed_now() if self.outcomes else _scores(each.now))]
            if unknown is not None:
                now += [unknown] * each.unknown
            if before and now:
                found.append(Pair(before, now, _cluster(each)))
        return found


def counterparts(pairs: Paired) -> list[Counterparts]:
    """The metrics of ``pairs`` by name, those that both runs have or may have."""
    beside: dict[str, list[Beside]] = {}
    changed: dict[str, list[Place]] = {}
    for each in _every(pairs):
        metric = each.place.metric
        beside.setdefault(metric, [])
        if each.now and {row.maker.scale for row in each.before} != {each.now[0].scale}:
            changed.setdefault(metric, []).append(each.place)
        else:
            beside[metric].append(each)
    known = {record.metric: record for group in pairs.now.values() for record in group}
    return [
        _metric(metric, cases, changed.get(metric, []), known.get(metric))
        for metric, cases in sorted(beside.items())
    ]


def _every(pairs: Paired) -> Iterator[Beside]:
    for place, rows in pairs.before.items():
        records = pairs.now[place]
        now = [record for record in records if record.outcome in DECIDED]
        errors = sum(1 for record in records if record.outcome is Outcome.ERROR)
        if now or errors:  # else there was nothing to judge
            yield Beside(place, rows, now, errors)
    for standing in (Standing.STOPPED, Standing.UNSELECTED):
        for place, rows in pairs.missing.get(standing, {}).items():
            yield Beside(place, rows, (), len(rows), standing is Standing.UNSELECTED)


def _metric(
    metric: str, cases: Iterable[Beside], changed: list[Place], known: Record | None
) -> Counterparts:
    cases = list(cases)
    judged = [record for each in cases for record in each.now]
    ruled = all(record.bound is not None for record in judged)
    if not judged:
        ruled = all(row.outcome is not Outcome.MEASURED for each in cases for row in each.before)
    if not ruled:
        unscored = [each for each in cases if not _is_scored(each)]
        changed = [*changed, *(each.place for each in unscored)]
        cases = [each for each in cases if _is_scored(each)]
    makers = [row.maker for each in cases for row in each.before]
    return Counterparts(
        metric=metric,
        cases=tuple(cases),
        changed=tuple(changed),
        outcomes=ruled,
        scale=known.scale if known else makers[0].scale,
        higher_is_better=known.higher_is_better if known else True,
    )


def _is_scored(each: Beside) -> bool:
    return bool(_scores(each.before) and (_scores(each.now) or each.unknown))


def _scores(checks: Iterable[Row | Record]) -> list[float]:
    return [check.score for check in checks if check.score is not None]


def _cluster(each: Beside) -> str | None:
    """What the case is not independent of: those of its group, and its own in other tests."""
    group = next((record.group for record in each.now if record.group is not None), None)
    if group is not None:
        return f"group {group}"
    return None if each.place.case is None else f"case {each.place.case}"
