"""What the checks of a gate's subject come to, with what is missing of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ..rates.aggregates import is_counted
from ..rates.case_values import CaseValues, Lacking, Valued
from ..rates.keys import place_of, value_of
from ..rates.rated import JUDGED, shares, valued
from ..rates.trial_rate import TrialValues, trial_values
from ..records.record import Record
from ..records.tests import TestRow
from ..results import Outcome
from .attended import Attended, Made, Unknown, errors_in
from .rule import Rule


@dataclass(frozen=True, slots=True)
class Amount:
    """What a ``rule`` is decided on.

    ``values`` are those of its checks, with ``unknown`` ones as missing, ``wanted`` the same
    without what the user left out. Of a rate ``passed`` are the checks that it counts; ``measured``
    ones, which have no pass mark, are not among its checks. In a mean ``blank`` responses, which
    failed without a score, are ``worst``; None where its scale has no such end. ``set_to`` are the
    numbers of trials that tests were set to which made such checks, or were going to; of pass@k and
    pass^k, ``by_fewer`` and ``left_out`` are as those of ``TrialValues``.
    """

    values: CaseValues
    wanted: CaseValues
    unknown: Unknown
    passed: int
    measured: int
    blank: int
    worst: float | None
    set_to: tuple[int, ...]
    by_fewer: int
    left_out: int

    @classmethod
    def of(cls, rule: Rule, attended: Attended) -> Self:
        """What the checks that count for ``rule`` come to."""
        made = _made(rule, attended)
        absent = [*attended.lacking(*_looked_for(rule, attended, made))]
        set_to = {each.trials or 1 for each in (*made, *(row for row, _ in absent))} - {1}
        made = [each for each in made if _is_within(rule, each)]
        absent = [(row, why) for row, why in absent if _is_within(rule, row)]
        unknown = Unknown.of(why for _, why in absent)
        blank = [each for each in made if _is_blank(rule, each)]
        worst = _worst(rule, blank)
        checks = [*_checks(rule, made, attended, worst)]
        rows = [row for row, _ in absent]
        outcomes = [each.outcome for each in made]
        found = _values(rule, made, checks, rows)
        return cls(
            values=found.values,
            wanted=_values(rule, made, checks, _wanted(rule, made, rows)).values,
            unknown=replace(unknown, errors=unknown.errors + errors_in(made)),
            passed=outcomes.count(_counted(rule)),
            measured=0 if rule.statistic == "mean" else outcomes.count(Outcome.MEASURED),
            blank=len(blank),
            worst=worst,
            set_to=tuple(sorted(set_to)),
            by_fewer=found.by_fewer,
            left_out=found.left_out,
        )


def _is_within(rule: Rule, each: Made | TestRow) -> bool:
    """Whether ``each`` is of one of the trials that count: of k those that were set beforehand."""
    return rule.k is None or (each.trials == rule.k and not each.is_extra)


def _wanted(rule: Rule, made: Iterable[Made], lacking: Sequence[TestRow]) -> Sequence[TestRow]:
    """Those of ``lacking`` that the user did not leave out.

    Of k trials of a case each counts only with the others, so that what was left out of one that
    is open anyhow is missing, too.
    """
    wanted = [row for row in lacking if not row.unselected]
    if rule.k is None:
        return wanted
    errors = [each for each in made if each.outcome is Outcome.ERROR]
    still_open = {each.test for each in (*wanted, *errors)}
    return [row for row in lacking if not row.unselected or row.test in still_open]


def _values(
    rule: Rule, made: Iterable[Made], checks: Iterable[Valued], lacking: Iterable[TestRow]
) -> TrialValues:
    """What ``made``, of which ``checks`` are what each brings, comes to by case."""
    if rule.k is not None and (rule.statistic == "pass@k" or rule.statistic == "pass^k"):
        return trial_values(rule.statistic, rule.k, made, lacking)
    rest = (Lacking(row.test, row.trial is not None) for row in lacking)
    return TrialValues(CaseValues.of(checks, rest))


def _made(rule: Rule, attended: Attended) -> Sequence[Made]:
    """The checks, or suites, that count for ``rule``."""
    if rule.of == "suite":
        suites = (each for each in attended.assessments if not each.xfailed)
        return [each for each in suites if each.suite == rule.subject]
    records = filter(is_counted, attended.records)
    if rule.of == "aggregate":
        return [each for each in records if place_of(each).aggregate == rule.subject]
    return [each for each in records if each.metric == rule.subject]


def _looked_for(rule: Rule, attended: Attended, made: Iterable[Made]) -> tuple[frozenset[str], str]:
    """The rows that count for ``rule``, and the suite.

    Under an aggregate they are those of its metric, on any scale.
    """
    if rule.of == "suite":
        return frozenset(), rule.subject
    if rule.of == "metric":
        return frozenset((rule.subject,)), ""
    named = (row for test in attended.tests for row in (*test.metrics, *test.of_suite))
    of_metric = (row for row in named if row.partition("[")[0] == rule.metric)
    seen = (each.metric for each in made if isinstance(each, Record))
    return frozenset((*of_metric, *seen)), ""


def _checks(
    rule: Rule, made: Iterable[Made], attended: Attended, worst: float | None
) -> Iterable[Valued]:
    """What each of ``made`` brings to ``rule``."""
    if rule.statistic != "mean":
        yield from shares(made, attended.weights, _counted(rule))
        return
    for each in made:
        value = worst if _is_blank(rule, each) else _score(rule, each)
        if value is not None or each.outcome in (*JUDGED, Outcome.ERROR):
            yield valued(each, value, attended.weights)


def _counted(rule: Rule) -> Outcome:
    return Outcome.FAILED if rule.statistic == "defect_rate" else Outcome.PASSED


def _is_blank(rule: Rule, made: Made) -> bool:
    """Whether ``made`` failed without a score, as a blank response does, where scores count."""
    if rule.statistic != "mean":
        return False
    return made.outcome is Outcome.FAILED and _score(rule, made) is None


def _score(rule: Rule, made: Made) -> float | None:
    if not isinstance(made, Record):
        return None
    if rule.of == "aggregate":
        return value_of(made)
    return made.score if made.label is None else None


def _worst(rule: Rule, blank: Iterable[Made]) -> float | None:
    """The worse end of the scale that ``blank`` ones were to be judged on."""
    for each in blank:
        if isinstance(each, Record):
            return rule.lowest if each.higher_is_better else rule.highest
    return None
