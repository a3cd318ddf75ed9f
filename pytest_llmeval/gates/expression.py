"""Gates on aggregates as users write them, checked against the metrics and suites that there are.

``groundedness.pass_rate >= 0.9``, ``latency_seconds.mean <= 2``, ``databricks.pass_rate > 80%``,
``response/llm_judged/correctness/rating/percentage >= 0.8``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from ..data.aliases import closest
from ..errors import UsageError
from ..metrics.base import Metric
from ..metrics.measures import measure
from ..records.assessment import suite_row
from ..scales import FRACTION, Scale
from .rule import RELATIONS, STATISTICS, Relation, Rule, Statistic, statistic_in
from .subjects import keyed_metric

_WRITTEN = re.compile(r"([^<>=!]*?)\s*([<>=!]+)\s*(.*)", re.DOTALL)
_EXAMPLE = "as groundedness.pass_rate >= 0.9"


def parse_gate(text: str, metrics: Mapping[str, Metric], suites: Iterable[str]) -> Rule:
    """``text`` as a rule over what ``metrics`` and ``suites`` (their names) come to.

    Raises ``UsageError`` for what is no expression, for a metric, suite, statistic or aggregate
    that there is not (naming the closest), for a statistic that the metric can't have, for a
    number off its scale, and for one that every value would reach, or none.
    """
    try:
        found = _WRITTEN.fullmatch(text.strip())
        if found is None or not found[1]:
            raise UsageError(f"expected METRIC.STATISTIC >= NUMBER, {_EXAMPLE}")
        if found[2] not in RELATIONS:
            raise UsageError(f"{found[2]!r} is none of {', '.join(RELATIONS)}")
        subject = _subject(found[1], metrics, [*suites])
        return _rule(subject, found[1], found[2], found[3])
    except UsageError as error:
        raise UsageError(f"gate {text.strip()!r}: {error}") from None


_Subject = tuple[str, str, str, Statistic, Scale, int | None]
"""Of what kind it is, its name, its metric's name, the statistic, the scale of one check, and k."""


def _subject(left: str, metrics: Mapping[str, Metric], suites: list[str]) -> _Subject:
    if "/" in left:
        keyed = keyed_metric(left, metrics)
        scale = FRACTION if keyed.scale.tolerances else keyed.scale  # it is a rate of defects
        return "aggregate", left, keyed.name, "mean", scale, None
    name, written = named(left)
    statistic, k = statistic_in(written)
    metric = _metric(name, metrics, suites)
    there = _SUITE_STATISTICS if metric is None else (*_statistics(metric),)
    if not statistic:
        told = ", ".join(f".{each}" for each in there)
        example = f"as {left}.{there[0]} >= 0.9"
        raise UsageError(f"expected {left} with its statistic, {example}; there are {told}")
    if statistic not in STATISTICS:
        raise UsageError(f"there is no statistic {statistic!r}{closest(statistic, there)}")
    chosen: Statistic = next(each for each in STATISTICS if each == statistic)
    if chosen in _TRIAL_STATISTICS and (k is None or k < 2):
        example = chosen.replace("k", "3")
        raise UsageError(f"expected a number of trials, 2 or more, as {example}; got {written}")
    if metric is not None:
        return "metric", metric.row, metric.name, chosen, _scale(metric, chosen), k
    if chosen not in there:
        raise UsageError(f"{name} is a suite, and has no {chosen}: use pass_rate or lower")
    return "suite", suite_called(name), "", chosen, FRACTION, k


def named(left: str) -> tuple[str, str]:
    """What is left of a relation, as the metric or suite that it names, and its statistic.

    The statistic is blank where there is none.
    """
    name, dot, statistic = left.rpartition(".")
    if not dot or statistic.endswith(("]", ")")) or statistic.isdigit():
        return left, ""
    return name, statistic


_TRIAL_STATISTICS: tuple[Statistic, ...] = ("pass@k", "pass^k")
_SUITE_STATISTICS: tuple[Statistic, ...] = ("pass_rate", "lower", *_TRIAL_STATISTICS)


def _metric(name: str, metrics: Mapping[str, Metric], suites: list[str]) -> Metric | None:
    """The metric whose row is called ``name``; None for a suite. Raises ``UsageError``."""
    if name.partition("[")[0] in metrics:
        return measure(name, metrics)
    if suite_called(name) in suites:
        return None
    rows = (each.row for metric in metrics.values() for each in (metric, *metric.others))
    known = [*dict.fromkeys(rows), *suites, *map(suite_row, suites)]
    raise UsageError(f"there is no metric or suite {name!r}{closest(name, known)}")


def suite_called(name: str) -> str:
    """The name of the suite that ``name`` is, or that the summary calls so."""
    called = re.fullmatch(r"quality \((.+)\)", name)
    return called[1] if called else name


def _statistics(metric: Metric) -> Iterable[Statistic]:
    """What can be held of ``metric``."""
    yield from ("pass_rate", "lower")
    if not metric.scale.labels:
        yield "mean"
    if not (metric.scale.higher_is_better or metric.reversed):
        yield "defect_rate"
    yield from _TRIAL_STATISTICS


def _scale(metric: Metric, statistic: Statistic) -> Scale:
    """The scale of what one check of ``metric`` brings to ``statistic``."""
    if statistic in _statistics(metric):
        return metric.scale if statistic == "mean" else FRACTION
    if statistic == "mean":
        words = " or ".join(metric.scale.labels)
        rates = "defect_rate" if metric.scale.tolerances else "pass_rate or lower"
        raise UsageError(f"{metric.row} has no mean, it is {words}: use {rates}")
    raise UsageError(f"{metric.row} has no defect_rate, since more of it is better: use pass_rate")


def _rule(subject: _Subject, left: str, relation: Relation, number: str) -> Rule:
    of, name, metric, statistic, scale, k = subject
    within = (scale.lowest, scale.highest) == (0, 1)
    value = _number(number, within)
    if not scale.lowest <= value <= scale.highest:
        meant = f": did you mean {value / 100:g} or {value:g}%?" if within and value > 1 else ""
        raise UsageError(
            f"{number} is off the scale, which runs from {scale.lowest:g} to "
            f"{scale.highest:g}{meant}"
        )
    rule = Rule(
        name=f"{left} {relation} {number}",
        of=of,  # type: ignore[arg-type]
        subject=name,
        metric=metric,
        statistic=statistic,
        relation=relation,
        value=value,
        lowest=_end(scale.lowest),
        highest=_end(scale.highest),
        k=k,
    )
    _refuse_what_says_nothing(rule, scale)
    return rule


def _refuse_what_says_nothing(rule: Rule, scale: Scale) -> None:
    # No Wilson interval begins at 1, however many checks pass.
    highest = math.nextafter(1, 0) if rule.statistic == "lower" else scale.highest
    least, most = rule.holds(scale.lowest), rule.holds(highest)
    if least and most:
        raise UsageError("every value is so, and nothing could break it")
    if not least and not most:
        raise UsageError("no value can be so, and nothing could hold it")


def _number(text: str, percent: bool) -> float:
    digits = text.removesuffix("%").strip()
    try:
        value = float(digits)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"expected a number; got {text[:40]!r}")
    if digits == text:
        return value
    if not percent:
        raise UsageError(f"{text} is a percentage, and the scale is not one of rates")
    return value / 100


def _end(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
