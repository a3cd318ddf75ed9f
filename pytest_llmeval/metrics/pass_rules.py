"""Pass rules as users write them: bounds of a call, and lines of settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real

from ..errors import UsageError
from ..scales import Bound, Threshold
from .base import Metric
from .measures import measure


def threshold_of(at_least: float | str | None, at_most: float | str | None) -> Threshold | None:
    """The pass rule that the two bounds give, numbers or words of a scale; None without both.

    Raises ``UsageError`` for both, and for a bound that is neither.
    """
    if at_least is not None and at_most is not None:
        raise UsageError("a check takes at_least or at_most, not both")
    if at_least is not None:
        return rule("at_least", at_least)
    return None if at_most is None else rule("at_most", at_most)


def rule(bound: Bound, value: object) -> Threshold:
    """The pass rule of this ``bound``, its value a number or a word of a scale.

    Raises ``UsageError`` for a value that is neither.
    """
    if isinstance(value, str):
        return Threshold(bound, word=value)
    if not isinstance(value, Real) or isinstance(value, bool):
        raise UsageError(f"{bound} is a number; got {value!r}")
    try:
        return Threshold(bound, float(value))
    except OverflowError:
        return Threshold(bound, math.inf)


def parse_threshold(entry: str, metrics: Mapping[str, Metric]) -> tuple[str, Threshold]:
    """``groundedness=3`` as the measure's name and its pass rule.

    Raises ``UsageError`` for a name that no metric has, a value that is no number, or one off the
    metric's scale. ``groundedness[yes_no]`` names the same question on another scale; of severities
    the value is the tolerance, the lowest that is a defect.
    """
    name, equals, text = (part.strip() for part in entry.partition("="))
    if not equals or not text:
        raise UsageError(f"threshold: expected METRIC=VALUE, as in groundedness=4; got {entry!r}")
    try:
        meant = measure(name, metrics)
    except UsageError as error:
        raise UsageError(f"threshold: {error}") from None
    if meant.reversed:
        raise UsageError(f"threshold: {name} passes at one word only; there is nothing to set")
    scale = meant.scale
    try:
        value = scale.labels[text] if text in scale.labels else float(text)
    except ValueError:
        words = f" or one of {', '.join(scale.labels)}" if scale.labels else ""
        raise UsageError(f"threshold {name}: expected a number{words}; got {text!r}") from None
    return meant.measure, Threshold(scale.mark, value).on(scale, f"threshold {name}")
