"""Gates on aggregates, decided: with what is missing counted as its best, and as its worst."""

from __future__ import annotations

from collections.abc import Iterator

from ..rates.case_values import CaseValues
from ..text.plural import many
from .amount import Amount
from .attended import Attended
from .gate import GateResult, GateState
from .rule import Rule
from .siblings import told_siblings
from .told import told_missing, told_number, told_set_to, told_share


def decide_rule(rule: Rule, attended: Attended) -> GateResult:
    """What ``rule`` comes to.

    It is held if it holds whatever the results that are missing would have been, broken if it does
    not hold whatever they would have been, else not decided; so, too, where there is no result at
    all, where one is missing and the scale has no end, and where nobody knows how many are.
    """
    amount = Amount.of(rule, attended)
    state = _state(rule, amount.values)
    if attended.uncollected or attended.named:
        state = GateState.NOT_DECIDED
    made = amount.values.judged + amount.measured + amount.unknown.errors
    beside = told_siblings(rule, attended, made)
    if state is not GateState.NOT_DECIDED:
        says = ", ".join([*_told(rule, amount), *told_missing(amount.unknown)]) + beside
        return GateResult(rule.name, state, says, rule=rule)
    without = _state(rule, amount.wanted)
    chosen = bool(amount.unknown.unselected) or attended.named
    chosen &= not attended.uncollected
    chosen &= without is not GateState.NOT_DECIDED or not amount.wanted.cases
    told = ", ".join([*_told(rule, amount), *told_missing(amount.unknown, attended)])
    says = (told or "no check was made") + beside
    return GateResult(rule.name, state, says, "selection" if chosen else "missing", rule)


def _state(rule: Rule, values: CaseValues) -> GateState:
    if not values.cases or (values.missing and None in (rule.lowest, rule.highest)):
        return GateState.NOT_DECIDED
    ends = [_value(rule, values, end or 0.0) for end in (rule.lowest, rule.highest)]
    held = {value is not None and rule.holds(value) for value in ends}
    if None in ends or len(held) > 1:
        return GateState.NOT_DECIDED
    return GateState.HELD if True in held else GateState.BROKEN


def _value(rule: Rule, values: CaseValues, missing: float | None = None) -> float | None:
    """The number that is held against the rule's; None where there is nothing to make it of."""
    if rule.statistic == "lower":
        return values.interval(missing)[0]
    return values.mean(missing)


def _told(rule: Rule, amount: Amount) -> list[str]:
    """What it came to where there is something."""
    values = amount.values
    told: list[str] = []
    if rule.k is not None:
        told += _told_trials(rule, rule.k, amount)
    elif (value := _value(rule, values)) is not None and values.judged:
        by_cases = " by cases" if values.tried else ""
        if rule.statistic == "mean":
            unit = " s" if rule.metric.endswith("_seconds") else ""
            said = f"{told_number(value, rule.value)}{unit}"
            told.append(f"{said} over {values.judged}{by_cases}")
        else:
            least = "at least " if rule.statistic == "lower" else ""
            told += [
                f"{amount.passed}/{values.judged}",
                f"{least}{told_share(value, rule.value)}{by_cases}",
            ]
    if amount.measured and not values.judged:
        told.append(f"{amount.measured} measured, with no pass mark")
    if amount.blank:
        told.append(_told_blank(amount.blank, amount.worst))
    return told


def _told_trials(rule: Rule, k: int, amount: Amount) -> Iterator[str]:
    """What it came to over how many cases with ``k`` trials, or that there are none."""
    mean = amount.values.mean()
    if mean is not None:
        said, cases = told_share(mean, rule.value), many(amount.values.judged, "case")
        fewer = f" ({amount.by_fewer} decided by fewer)" if amount.by_fewer else ""
        yield f"{said} over {cases} × {many(k, 'trial')}{fewer}"
    elif k in amount.set_to:
        yield f"no case was judged {k} times"
    else:
        yield told_set_to(rule, amount.set_to)
    if amount.left_out:
        yield f"{amount.left_out} left out since trials were skipped or had nothing to judge"


def _told_blank(count: int, worst: float | None) -> str:
    what = many(count, "blank response")
    return (
        f"{what}, whose worst is unknown"
        if worst is None
        else (f"{what} counted as {told_number(worst)}")
    )
