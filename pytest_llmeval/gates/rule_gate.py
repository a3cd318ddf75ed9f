"""Gates on aggregates, decided: with what is missing counted as its best, and as its worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum

from ..records import Record
from ..results import Outcome
from .aggregates import is_counted
from .attended import Attended, Made, Unknown, errors_in
from .gate import GateResult, GateState
from .keys import place_of, value_of
from .rule import Rule
from .statistics import wilson
from .told import told_missing, told_number

_DECIDED = (Outcome.PASSED, Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class _Amount:
    """What the checks of a rule's subject add up to; ``unknown`` ones are not among them.

    Nor are ``measured`` ones, which have no pass mark, where it is a rate.
    """

    total: float
    count: int
    unknown: Unknown
    measured: int = 0


def decide_rule(rule: Rule, attended: Attended) -> GateResult:
    """What ``rule`` comes to.

    It is held if it holds whatever the results that are missing would have been, broken if it does
    not hold whatever they would have been, else not decided; so, too, where there is no result at
    all, where one is missing and the scale has no end, and where nobody knows how many are.
    """
    amount = _amount(rule, attended)
    state = _state(rule, amount, amount.unknown.total)
    unselected = bool(amount.unknown.unselected) or attended.named
    if attended.uncollected or attended.named:
        state = GateState.NOT_DECIDED
    if state is not GateState.NOT_DECIDED:
        return GateResult(rule.name, state, _says(rule, amount), rule=rule)
    without = _state(rule, amount, amount.unknown.unwanted)
    chosen = unselected and not attended.uncollected
    chosen &= without is not GateState.NOT_DECIDED or not (amount.count or amount.unknown.unwanted)
    says = ", ".join([*_told(rule, amount), *told_missing(amount.unknown, attended)])
    return GateResult(
        rule.name, state, says or "no check was made", "selection" if chosen else "missing", rule
    )


def _state(rule: Rule, amount: _Amount, missing: int) -> GateState:
    if amount.count + missing == 0 or (missing and None in (rule.lowest, rule.highest)):
        return GateState.NOT_DECIDED
    ends = [
        rule.holds(_value(rule, amount.total + missing * (end or 0.0), amount.count + missing))
        for end in (rule.lowest, rule.highest)
    ]
    if all(ends):
        return GateState.HELD
    return GateState.NOT_DECIDED if any(ends) else GateState.BROKEN


def _value(rule: Rule, total: float, count: int) -> float:
    return wilson(round(total), count)[0] if rule.statistic == "lower" else total / count


def _amount(rule: Rule, attended: Attended) -> _Amount:
    if rule.of == "suite":
        cases = [each for each in attended.assessments if each.suite == rule.subject]
        return _of_outcomes(
            [each for each in cases if not each.xfailed],
            attended.missing(frozenset(), rule.subject),
            Outcome.PASSED,
        )
    records = [record for record in attended.records if _is_of(rule, record)]
    missing = attended.missing(_rows(rule, attended, records))
    if rule.statistic in ("pass_rate", "lower", "defect_rate"):
        counts = Outcome.FAILED if rule.statistic == "defect_rate" else Outcome.PASSED
        return _of_outcomes(records, missing, counts)
    if rule.of == "aggregate":
        values = [value for each in records if (value := value_of(each)) is not None]
    else:
        values = [each.score for each in records if each.score is not None and each.label is None]
    return _Amount(fsum(values), len(values), _with_errors(missing, records))


def _is_of(rule: Rule, record: Record) -> bool:
    if not is_counted(record):
        return False
    if rule.of == "aggregate":
        return place_of(record).aggregate == rule.subject
    return record.metric == rule.subject


def _rows(rule: Rule, attended: Attended, records: Sequence[Record]) -> frozenset[str]:
    """The rows that count for ``rule``: under an aggregate those of its metric, on any scale."""
    if rule.of == "metric":
        return frozenset((rule.subject,))
    named = (row for test in attended.tests for row in (*test.metrics, *test.of_suite))
    of_metric = (row for row in named if row.partition("[")[0] == rule.metric)
    return frozenset((*of_metric, *(record.metric for record in records)))


def _of_outcomes(made: Sequence[Made], missing: Unknown, counts: Outcome) -> _Amount:
    outcomes = [each.outcome for each in made]
    judged = sum(outcome in _DECIDED for outcome in outcomes)
    measured = outcomes.count(Outcome.MEASURED)
    return _Amount(outcomes.count(counts), judged, _with_errors(missing, made), measured)


def _with_errors(missing: Unknown, made: Sequence[Made]) -> Unknown:
    return replace(missing, errors=missing.errors + errors_in(made))


def _says(rule: Rule, amount: _Amount) -> str:
    return ", ".join([*_told(rule, amount), *told_missing(amount.unknown)])


def _told(rule: Rule, amount: _Amount) -> list[str]:
    """What it came to where there is something."""
    if not amount.count:
        return [f"{amount.measured} measured, with no pass mark"] if amount.measured else []
    value = _value(rule, amount.total, amount.count)
    if rule.of == "aggregate" or rule.statistic == "mean":
        return [f"{told_number(value)} over {amount.count}"]
    share = f"{100 * value:.1f} %"
    lower = "at least " if rule.statistic == "lower" else ""
    return [f"{amount.total:.0f}/{amount.count}", lower + share]
