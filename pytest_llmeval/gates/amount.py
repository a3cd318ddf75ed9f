"""What the checks of a gate's subject come to, with what is missing of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ..records.record import Record
from ..results import Outcome
from .aggregates import is_counted
from .attended import Attended, Made, Unknown, errors_in
from .case_values import CaseValues, Lacking, Valued
from .keys import place_of, value_of
from .rated import JUDGED, shares, valued
from .rule import Rule


@dataclass(frozen=True, slots=True)
class Amount:
    """What a ``rule`` is decided on.

    ``values`` are those of its checks, with ``unknown`` ones as missing, ``wanted`` the same
    without what the user left out. Of a rate ``passed`` are the checks that it counts; ``measured``
    ones, which have no pass mark, are not among its checks. In a mean ``blank`` responses, which
    failed without a score, are ``worst``; None where its scale has no such end.
    """

    values: CaseValues
    wanted: CaseValues
    unknown: Unknown
    passed: int
    measured: int
    blank: int
    worst: float | None

    @classmethod
    def of(cls, rule: Rule, attended: Attended) -> Self:
        """What the checks that count for ``rule`` come to."""
        made = _made(rule, attended)
        absent = [*attended.lacking(*_looked_for(rule, attended, made))]
        unknown = Unknown.of(why for _, why in absent)
        blank = [each for each in made if _is_blank(rule, each)]
        worst = _worst(rule, blank)
        checks = [*_checks(rule, made, attended, worst)]
        rows = [Lacking(row.test, row.trial is not None) for row, _ in absent]
        left = [row for row, (_, why) in zip(rows, absent, strict=True) if why != "unselected"]
        outcomes = [each.outcome for each in made]
        return cls(
            values=CaseValues.of(checks, rows),
            wanted=CaseValues.of(checks, left),
            unknown=replace(unknown, errors=unknown.errors + errors_in(made)),
            passed=outcomes.count(_counted(rule)),
            measured=0 if rule.statistic == "mean" else outcomes.count(Outcome.MEASURED),
            blank=len(blank),
            worst=worst,
        )


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
