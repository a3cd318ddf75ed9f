"""Counterparts: the values of one metric in both runs, case by case, and what is not known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Literal

from ..errors import UsageError
from ..metrics.base import Metric
from ..metrics.measures import measure
from ..records.record import Record
from ..results import Outcome
from ..scales import SCALES, SEVERITY, Scale
from ..statistics.paired import Pair
from .beside import Beside, judge_change_in
from .dependence import clusters
from .pairing import Paired
from .rows import DECIDED, Place, Row, rounded
from .standing import Standing

End = Literal["worst", "best"]


@dataclass(frozen=True, slots=True)
class Counterparts:
    """One metric: its cases side by side. ``outcomes`` tells that every check has a pass rule.

    ``changed`` are cases whose scale is another one, or whose score is there on one side only.
    ``scale`` is None where nobody knows it by its name; ``clusters`` names that of each case. Of a
    suite ``aside`` are its cases in the baseline that count for nothing; of a metric the checks are
    told one by one.
    """

    metric: str
    cases: tuple[Beside, ...]
    changed: tuple[Place, ...]
    outcomes: bool
    scale: Scale | None
    higher_is_better: bool
    clusters: Mapping[Place, str]
    aside: int = 0

    @property
    def judge_change(self) -> str | None:
        """What changed about who judged; None where nothing did."""
        return judge_change_in(self.cases)

    @property
    def mark_change(self) -> str | None:
        """The pass mark before and now, of the first case that is held to another one."""
        return next(filter(None, (each.mark_change for each in self.cases)), None)

    @property
    def reworded(self) -> tuple[Place, ...]:
        """The cases that are known to ask or expect something else than in the baseline."""
        return tuple(each.place for each in self.cases if each.is_reworded)

    @property
    def tells_defects(self) -> bool:
        """Whether its rate is told as that of the defects: where severities have to be low."""
        rules = [record.rule for each in self.cases for record in each.now]
        low = all(rule is not None and rule.asks_for == "at_most" for rule in rules)
        return self.outcomes and self.scale == SEVERITY and low

    @property
    def unknown(self) -> int:
        """How many cases are not compared since they got no verdict, or were not run."""
        return sum(1 for each in self.cases if each.unknown and not each.has_come)

    @property
    def unselected(self) -> int:
        """How many cases are not compared since the user's selection left them out."""
        return sum(
            1 for each in self.cases if each.unselected and not (each.unknown or each.has_come)
        )

    @property
    def partial(self) -> int:
        """How many cases are compared, and lack trials for one of these reasons."""
        return sum(1 for each in self.cases if each.has_come and each.open())

    @property
    def is_open(self) -> bool:
        """Whether any trial might have come to anything."""
        return any(each.open() for each in self.cases)

    @property
    def span(self) -> float | None:
        """From end to end of the scale of its scores; None without two ends."""
        span = self.scale.highest - self.scale.lowest if self.scale else inf
        return span if isfinite(span) else None

    def end(self, which: End) -> float | None:
        """What a check counts as at ``worst`` or at ``best``; None where the scale has no end."""
        if self.outcomes:
            return float(which == "best")
        return _end(self.scale, self.higher_is_better, which)

    def pairs(self, unknown: float | None = None, selected_only: bool = True) -> list[Pair]:
        """The cases as they are compared, with ``unknown`` trials counted as that if it is given.

        With ``selected_only`` what the user's selection left out is none of it. A blank response,
        which fails without a score, counts as the worst one.
        """
        found = []
        for each in self.cases:
            before = each.passed_before() if self.outcomes else self._scores(each.before)
            now: list[float] = [*(each.passed_now() if self.outcomes else self._scores(each.now))]
            if unknown is not None:
                now += [unknown] * each.open(selected_only)
            if before and now:
                found.append(Pair(before, now, self.clusters[each.place]))
        return found

    def _scores(self, checks: Iterable[Row | Record]) -> list[float]:
        return _scores(checks, self.end("worst"))


def counterparts(pairs: Paired, metrics: Mapping[str, Metric]) -> list[Counterparts]:
    """The metrics of ``pairs`` by name, those that both runs have or may have.

    ``metrics`` are those of the run, which know scales of their own.
    """
    beside: dict[str, list[Beside]] = {}
    for each in _every(pairs):
        beside.setdefault(each.place.metric, []).append(each)
    known = {record.metric: record for group in pairs.now.values() for record in group}
    return [
        _metric(metric, cases, known.get(metric), metrics)
        for metric, cases in sorted(beside.items())
    ]


def _every(pairs: Paired) -> Iterator[Beside]:
    for place, rows in pairs.before.items():
        records = pairs.now[place]
        now = [record for record in records if record.outcome in DECIDED]
        errors = sum(1 for record in records if record.outcome is Outcome.ERROR)
        lost = pairs.lost[place]
        unknown = errors + lost[Standing.STOPPED]
        yield Beside(place, rows, now, unknown, lost[Standing.UNSELECTED])
    for place, rows in pairs.missing.get(Standing.STOPPED, {}).items():
        yield Beside(place, rows, (), unknown=len(rows))
    for place, rows in pairs.missing.get(Standing.UNSELECTED, {}).items():
        yield Beside(place, rows, (), unselected=len(rows))


def _metric(
    metric: str, every: list[Beside], known: Record | None, metrics: Mapping[str, Metric]
) -> Counterparts:
    cases = [each for each in every if not _is_rescaled(each)]
    judged = [record for each in cases for record in each.now]
    ruled = all(record.bound is not None for record in judged)
    if not judged:
        ruled = all(row.outcome is not Outcome.MEASURED for each in cases for row in each.before)
    scale = _scale(metric, known.scale if known else every[0].before[0].maker.scale, metrics)
    ascending = scale is None or scale.higher_is_better
    higher_is_better = known.higher_is_better if known else ascending
    if not ruled:
        worst = _end(scale, higher_is_better, "worst")
        cases = [_without_unscored(each, worst) for each in cases if _scores(each.before, worst)]
    kept = {each.place for each in cases}
    return Counterparts(
        metric=metric,
        cases=tuple(cases),
        changed=tuple(each.place for each in every if each.place not in kept),
        outcomes=ruled,
        scale=scale,
        higher_is_better=higher_is_better,
        clusters=clusters((each.place, each.now) for each in cases),
    )


def _is_rescaled(each: Beside) -> bool:
    return bool(each.now) and {row.maker.scale for row in each.before} != {each.now[0].scale}


def _scale(metric: str, name: str, metrics: Mapping[str, Metric]) -> Scale | None:
    """The scale that records call ``name``: a built-in one, or that of ``metric`` itself."""
    with suppress(UsageError):
        if (own := measure(metric, metrics).scale).name == name:
            return own
    return SCALES.get(name)


def _end(scale: Scale | None, higher_is_better: bool, which: End) -> float | None:
    if scale is None:
        return None
    end = scale.lowest if higher_is_better is (which == "worst") else scale.highest
    return end if isfinite(end) else None


def _without_unscored(each: Beside, worst: float | None) -> Beside:
    """``each``, its failures without a score unknown where the scale has no end to count them."""
    if worst is not None:
        return each
    scored = [record for record in each.now if record.score is not None]
    return replace(each, now=scored, unknown=each.unknown + len(each.now) - len(scored))


def _scores(checks: Iterable[Row | Record], worst: float | None) -> list[float]:
    found = (worst if check.score is None else rounded(check.score) for check in checks)
    return [score for score in found if score is not None]
