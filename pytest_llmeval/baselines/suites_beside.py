"""Suites in both runs, case by case: a case passes where none of the suite's checks fails it.

Baselines hold checks. Whether a case passed a suite is made of these, by today's pass marks and of
the checks that both runs made, so that a new mark or a new metric is no change of the app.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..records.assessment import suite_row
from ..records.record import Record
from ..results import Outcome
from .beside import Beside
from .counterparts import Counterparts
from .dependence import clusters
from .pairing import Paired
from .rows import Place, Row
from .standing import Standing

_CAME = {Outcome.PASSED: True, Outcome.FAILED: False, Outcome.ERROR: None}


@dataclass(frozen=True, slots=True)
class SuiteCase(Beside):
    """One case of a suite: whether each trial passed, in both runs.

    ``judge`` is what changed about who judges one of its metrics; None where nothing did.
    """

    was: tuple[bool, ...] = ()
    came: tuple[bool, ...] = ()
    judge: str | None = None

    @property
    def has_come(self) -> bool:
        """Whether it is known of a trial of the run whether it passed."""
        return bool(self.came)

    @property
    def judge_change(self) -> str | None:
        """What changed about who judges one of its metrics; None where nothing did."""
        return self.judge

    def passed_before(self) -> list[bool]:
        """Whether each trial of the baseline passes, by the pass rules of today."""
        return [*self.was]

    def passed_now(self) -> list[bool]:
        """Whether each trial of the run passed."""
        return [*self.came]


def suites_beside(pairs: Paired, metrics: Iterable[Counterparts]) -> list[Counterparts]:
    """The suites whose checks are among ``metrics``, which ``pairs`` came to, by name.

    A suite of one metric is that metric, and is none of them. Nor is a case without an identity in
    a test that makes several checks of one metric: nobody knows which of them are one case.
    """
    metrics = [*metrics]
    judges = {each.metric: each.judge_change for each in metrics}
    found: dict[str, dict[Place, list[Beside]]] = {}
    for each in (each for metric in metrics for each in metric.cases):
        if (suite := _suite_of(each, pairs)) is not None and _has_a_mark(each):
            found.setdefault(suite, {}).setdefault(_whole(each.place, suite), []).append(each)
    aside = _aside(pairs, [place for metric in metrics for place in metric.changed])
    made = []
    for suite, cases in sorted(found.items()):
        several = {check.place.metric for checks in cases.values() for check in checks}
        known = [
            _case(whole, checks, pairs, judges)
            for whole, checks in cases.items()
            if _is_one_case(whole, (each.place for each in checks))
        ]
        if len(several) > 1 and known:
            lost = aside.get(suite, set()) - {*cases}
            made.append(_counterparts(suite_row(suite), known, len(lost)))
    return made


def _whole(check: Place, suite: str) -> Place:
    """The place of the case of ``suite`` that ``check`` is a part of."""
    return Place(check.test, check.case, suite_row(suite), 0)


def _aside(pairs: Paired, changed: Iterable[Place]) -> dict[str, set[Place]]:
    """By suite the cases of the baseline of which a check counts for nothing."""
    known = dict(pairs.before)
    for missing in pairs.missing.values():
        known |= missing
    checks = {
        **pairs.gone,
        **pairs.inapplicable,
        **pairs.missing.get(Standing.LEFT_OUT, {}),
        **{place: known[place] for place in changed},
    }
    found: dict[str, set[Place]] = {}
    unnamed: set[Place] = set()
    for place, rows in checks.items():
        suite = rows[0].suite
        if suite is not None and any(row.outcome is not Outcome.MEASURED for row in rows):
            whole = _whole(place, suite)
            found.setdefault(suite, set()).add(whole)
            if not _is_one_case(whole, [place]):
                unnamed.add(whole)
    return {suite: cases - unnamed for suite, cases in found.items()}


def _suite_of(check: Beside, pairs: Paired) -> str | None:
    made: Iterable[Row | Record] = pairs.now.get(check.place) or check.before
    return next((each.suite for each in made), None)


def _has_a_mark(check: Beside) -> bool:
    if check.now:
        return check.now[0].rule is not None
    return any(row.outcome is not Outcome.MEASURED for row in check.before)


def _is_one_case(whole: Place, checks: Iterable[Place]) -> bool:
    return whole.case is not None or not any(each.number for each in checks)


def _case(
    place: Place, checks: list[Beside], pairs: Paired, judges: Mapping[str, str | None]
) -> SuiteCase:
    """The case that ``checks`` are of; those that were made count, if any was.

    ``judges`` are the changes of who judges, by metric.
    """
    judge = next(filter(None, (judges[each.place.metric] for each in checks)), None)
    there = [each for each in checks if each.place in pairs.now]
    if not there:
        unknown = max(each.unknown for each in checks)
        left = 0 if unknown else max(each.unselected for each in checks)
        was = _known(_all_of(_before(checks)))
        return SuiteCase(place, (), (), unknown, left, was, judge=judge)
    came = _all_of(
        (record.trial, _CAME[record.outcome])
        for each in there
        for record in pairs.now[each.place]
        if record.outcome in _CAME
    )
    lost = [pairs.lost[each.place] for each in there]
    return SuiteCase(
        place,
        before=(),
        now=tuple(record for each in there for record in pairs.now[each.place]),
        unknown=[*came.values()].count(None) + max(each[Standing.STOPPED] for each in lost),
        unselected=max(each[Standing.UNSELECTED] for each in lost),
        was=_known(_all_of(_before(there))),
        came=_known(came),
        judge=judge,
    )


def _before(checks: Iterable[Beside]) -> Iterator[tuple[int | None, bool | None]]:
    for each in checks:
        for row, passed in zip(each.before, each.passed_before(), strict=True):
            yield row.trial, passed


def _all_of(checks: Iterable[tuple[int | None, bool | None]]) -> dict[int | None, bool | None]:
    """By trial whether all passed: not where one failed, unknown where else one is."""
    found: dict[int | None, bool | None] = {}
    for trial, passed in checks:
        before = found.get(trial, True)
        found[trial] = False if False in (before, passed) else before and passed
    return found


def _known(trials: Mapping[int | None, bool | None]) -> tuple[bool, ...]:
    return tuple(each for each in trials.values() if each is not None)


def _counterparts(name: str, cases: list[SuiteCase], aside: int) -> Counterparts:
    return Counterparts(
        metric=name,
        cases=tuple(cases),
        changed=(),
        outcomes=True,
        scale=None,
        higher_is_better=True,
        clusters=clusters((each.place, each.now) for each in cases),
        aside=aside,
    )
