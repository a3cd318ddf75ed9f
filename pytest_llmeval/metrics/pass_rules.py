"""Pass rules as users write them: bounds of a call, and lines of settings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from numbers import Real
from typing import Literal

from ..data.aliases import closest
from ..errors import UsageError
from ..results import Threshold
from .base import Metric
from .options import options_of


def _measured_as(name: str, metric: Metric) -> Metric:
    """``metric`` as the measure ``name``, told by its scale or by options that identify it."""
    measures = {each.measure: each for each in (metric, *metric.others)}
    if name not in measures and metric.identifying:
        told = _with_qualities(metric, name.removesuffix("]").partition("[")[2].split(","))
        measures[told.measure] = told
    if name not in measures:
        raise UsageError(f"threshold: there is no metric {name!r}{closest(name, measures)}")
    return measures[name]


def _with_qualities(metric: Metric, qualities: Iterable[str]) -> Metric:
    """``metric`` with those of its identifying options that take one of ``qualities``."""
    known = options_of(metric.function)
    options: dict[str, str] = {}
    for quality in qualities:
        for name in metric.identifying:
            with suppress(UsageError):
                known[name].check(metric.name, quality)
                options.setdefault(name, quality)
                break
    return metric.with_options(options)


def threshold_of(at_least: float | None, at_most: float | None) -> Threshold | None:
    """The pass rule that the two bounds give, None without both.

    Raises ``UsageError`` for both, and for a bound that is no number.
    """
    if at_least is not None and at_most is not None:
        raise UsageError("a check takes at_least or at_most, not both")
    if at_least is not None:
        return Threshold("at_least", _number("at_least", at_least))
    return None if at_most is None else Threshold("at_most", _number("at_most", at_most))


def _number(bound: Literal["at_least", "at_most"], value: object) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise UsageError(f"{bound} is a number; got {value!r}")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def parse_threshold(entry: str, metrics: Mapping[str, Metric]) -> tuple[str, Threshold]:
    """``groundedness=3`` as the measure's name and its pass rule.

    Raises ``UsageError`` for a name that no metric has, a value that is no number, or one off the
    metric's scale. ``groundedness[yes_no]`` names the same question on another scale.
    """
    name, equals, text = (part.strip() for part in entry.partition("="))
    if not equals or not text:
        raise UsageError(f"threshold: expected METRIC=VALUE, as in groundedness=4; got {entry!r}")
    plain = name.partition("[")[0]
    if plain not in metrics:
        raise UsageError(f"threshold: there is no metric {plain!r}{closest(plain, metrics)}")
    scale = _measured_as(name, metrics[plain]).scale
    try:
        value = scale.labels[text] if text in scale.labels else float(text)
    except ValueError:
        raise UsageError(f"threshold {name}: expected a number; got {text!r}") from None
    return name, Threshold(scale.better, value).on(scale, f"threshold {name}")
