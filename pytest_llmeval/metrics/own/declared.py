"""What the declaration of a metric may say: its name, needs, scale and pass rule, held to rules."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from numbers import Real

from ...data.aliases import closest
from ...data.cases import Case
from ...data.measured import Measured
from ...errors import UsageError
from ...scales import (
    BETWEEN_ONE_AND_FIVE,
    FRACTION,
    ONE_TO_FIVE,
    PASS_FAIL,
    SEVERITY,
    YES_NO,
    Scale,
    Threshold,
)
from ...text.shown import shown
from .. import CATALOGUE
from ..base import Metric
from ..needs import Need
from ..pass_rules import threshold_of

ScaleGiven = Scale | str | Mapping[str, float]
"""A scale, the name of one (``1-5``, ``yes_no``, …), or words with the score of each."""

_SCALES = {
    each.name: each
    for each in (ONE_TO_FIVE, YES_NO, FRACTION, PASS_FAIL, BETWEEN_ONE_AND_FIVE, SEVERITY)
}
_RULES = {
    "1-5": Threshold("at_least", 4),
    "yes_no": Threshold("at_least", 1),
    "pass_fail": Threshold("at_least", 1),
    "severity": Threshold("less_than", SEVERITY.labels["medium"]),
}
"""The pass rule of a scale where the declaration gives none."""


class Misdeclared(UsageError):
    """A declaration says what can't be. ``argument`` is where, ``line`` which line of a prompt."""

    def __init__(self, message: str, argument: str = "", line: int = 1) -> None:
        super().__init__(message)
        self.argument = argument
        self.line = line


def checked_name(name: object) -> str:
    """``name``, refused unless it can be a metric's and is no built-in one's."""
    if not isinstance(name, str) or not name.isidentifier():
        raise Misdeclared(
            f"name is an identifier, as tone or brand_voice; got {told(name)}", "name"
        )
    if name in [*CATALOGUE]:
        raise Misdeclared(f"name: {name!r} is a built-in metric; choose another name", "name")
    return name


_FIELDS = (*Case.model_fields, *(f"measured.{name}" for name in Measured.model_fields))


def checked_needs(needs: object) -> tuple[Need, ...]:
    """``needs``, a field of a case or several, refused by name where one is none.

    A tuple within holds fields of which one will do.
    """
    several = (needs,) if isinstance(needs, str) else needs
    if not isinstance(several, list | tuple):
        raise Misdeclared(
            f"needs lists fields of a case, as ['response']; got {told(needs)}", "needs"
        )
    return tuple(_checked_need(each) for each in several)


def _checked_need(need: object) -> Need:
    names = need if isinstance(need, list | tuple) else (need,)
    for name in names:
        if not isinstance(name, str) or name not in _FIELDS:
            meant = closest(name if isinstance(name, str) else "", _FIELDS)
            raise Misdeclared(f"needs: a case has no field {told(name)}{meant}", "needs")
    if not names:
        raise Misdeclared("needs: fields of which one will do, and none is given", "needs")
    return need if isinstance(need, str) else tuple(map(str, names))


def scale_of(given: object) -> Scale:
    """The scale that ``given`` is, names, or maps words to.

    The scores of words are finite, and two at least differ. Raises ``Misdeclared``.
    """
    if isinstance(given, Scale):
        if given.name == SEVERITY.name and given != SEVERITY:
            raise Misdeclared("scale: severity is the name of a scale that there is", "scale")
        return given
    if isinstance(given, str):
        if given in _SCALES:
            return _SCALES[given]
        known = f"one of {', '.join(_SCALES)}, or words with their scores"
        raise Misdeclared(f"scale is {known}; got {told(given)}", "scale")
    if not isinstance(given, Mapping):
        raise Misdeclared(f"scale is a name or maps words to scores; got {told(given)}", "scale")
    for word, score in given.items():
        if not _is_plain(word):
            plain = "is lower-case text without a full stop at its end"
            raise Misdeclared(f"scale: a word {plain}; got {told(word)}", "scale")
        if not is_number(score):
            of = f"scale: the score of {word!r}"
            raise Misdeclared(f"{of} is a number; got {told(score)}", "scale")
    scores = [float(score) for score in given.values()]
    if len(set(scores)) < 2:
        raise Misdeclared("scale: expected two words at least, with different scores", "scale")
    labels = dict(zip(given, scores, strict=True))
    return Scale("/".join(given), min(scores), max(scores), labels=labels)


def _is_plain(word: object) -> bool:
    """Whether ``word`` is as a judge's word is read: trimmed, in lower case, with no full stop."""
    return isinstance(word, str) and word != "" and word == word.strip().removesuffix(".").lower()


def is_number(value: object) -> bool:
    """Whether ``value`` is a number that a score can be: finite, also as a ``float``; no flag."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def told(value: object) -> str:
    """``value`` in a message, in short; of one that can't be printed, what it is."""
    try:
        return shown(repr(value), 80)
    except (ValueError, RecursionError):  # an integer of too many digits, lists too deep
        return f"a {type(value).__name__} that is too large to be shown"


def with_rule(
    scale: Scale, at_least: float | str | None, at_most: float | str | None, name: str
) -> tuple[Scale, Threshold | None]:
    """``scale`` in the direction that the bounds give it, and the pass rule.

    A bound is a number or a word of the scale. Without one it is that of the scale: at 4 of 1 to
    5, at yes, at pass, below a medium severity; other scales have none.
    """
    if at_least is None and at_most is None:
        return scale, _RULES.get(scale.name) if scale in _SCALES.values() else None
    argument = "at_most" if at_least is None else "at_least"
    try:
        rule = threshold_of(at_least, at_most)
        assert rule is not None
        if scale.tolerances and rule.bound == "at_least":
            raise UsageError("of severity less is better: give at_most")
        held = rule.on(scale, name)
    except UsageError as error:
        raise Misdeclared(str(error), argument) from None
    return replace(scale, higher_is_better=rule.bound == "at_least"), held


def over_turns(metric: Metric, turns: object) -> Metric:
    """``metric`` of the ``turns`` of a conversation that its declaration names."""
    try:
        return metric.over(turns)
    except UsageError as error:
        raise Misdeclared(str(error), "turns") from None


def shown_needs(shown: Collection[str], fields: Mapping[str, str]) -> tuple[Need, ...]:
    """The fields that a prompt which shows the placeholders ``shown`` cannot do without.

    Beside the query or the response the history is what was said before, if anything was; alone
    it is the conversation that is judged as a whole.
    """
    last_turn = not {"query", "response"}.isdisjoint(shown)
    return tuple(
        field
        for placeholder, field in fields.items()
        if placeholder in shown and not (placeholder == "history" and last_turn)
    )
