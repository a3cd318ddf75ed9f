"""Siblings of what a gate is on: the same question on another scale, which it may have meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..rates.aggregates import is_counted
from ..rates.keys import place_of
from .attended import Attended
from .rule import Rule, written

_FAR_FEWER = 4
"""How many times as many checks a sibling has, where a gate on the few is told of it."""


def sibling(rule: Rule, row: str, of_words: bool) -> str:
    """What a gate like ``rule`` is on where it is meant for ``row``, which may be ``of_words``."""
    statistic = "pass_rate" if of_words and rule.statistic == "mean" else rule.statistic
    return f"{row}.{written(statistic, rule.k)}"


def did_you_mean(siblings: Iterable[str]) -> str:
    """`` (did you mean groundedness[yes_no].pass_rate?)``; "" where there are none."""
    told = " or ".join(dict.fromkeys(siblings))
    return f" (did you mean {told}?)" if told else ""


def told_siblings(rule: Rule, attended: Attended, made: int) -> str:
    """What to say of siblings where ``rule`` is on none of the checks of a run, or on far fewer.

    ``made`` is how many it is on.
    """
    if rule.of == "suite":
        suites = {each.suite for each in attended.assessments if each.suite != rule.subject}
        return "" if made else did_you_mean(sibling(rule, each, False) for each in sorted(suites))
    counts = Counter(_siblings(rule, attended))
    if not made:
        return did_you_mean(name for (_, name), _ in counts.most_common())
    for (row, _), count in counts.most_common(1):
        if count >= _FAR_FEWER * made:
            return f" ({row} has {count})"
    return ""


def _siblings(rule: Rule, attended: Attended) -> Iterator[tuple[str, str]]:
    """For each check of the same question that is not the gate's: its row, and what is to be
    written for a gate on that."""
    for record in filter(is_counted, attended.records):
        if record.metric.partition("[")[0] != rule.metric:
            continue
        if rule.of == "aggregate":
            key = place_of(record).aggregate
            yield from [(key, key)] * (key != rule.subject)
        elif record.metric != rule.subject:
            yield record.metric, sibling(rule, record.metric, record.label is not None)
