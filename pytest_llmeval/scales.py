"""Scales: the values that scores may take, and the rules by which they pass."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .errors import UsageError

Direction: TypeAlias = Literal["at_least", "at_most"]
"""Where scores have to go: up or down."""
Bound: TypeAlias = Literal["at_least", "at_most", "more_than", "less_than"]
"""How a score that passes stands to the value of its pass rule."""
LARGEST = 1e100
"""How large a score may be, so that sums and squares of scores are numbers still."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The values that a metric's score may take.

    ``labels`` names each value of a scale of words (``{"no": 0.0, "yes": 1.0}``); it is empty for
    a scale of numbers. ``lowest`` and ``highest`` may be infinite.
    """

    name: str
    lowest: float
    highest: float
    integers: bool = False
    higher_is_better: bool = True
    labels: Mapping[str, float] = field(default_factory=dict)

    @property
    def better(self) -> Direction:
        """The bound of a pass rule that asks for quality."""
        return "at_least" if self.higher_is_better else "at_most"

    @property
    def mark(self) -> Bound:
        """The bound of a pass rule of which the value alone is told, as in settings.

        Of severities it is the tolerance: the lowest that is a defect.
        """
        return "less_than" if self.tolerances else self.better

    @property
    def tolerances(self) -> tuple[str, ...]:
        """The levels that may be a tolerance, of severities all but the lowest; else none."""
        return tuple(self.labels)[1:] if self.name == SEVERITY.name else ()

    def holds(self, score: float) -> bool:
        """Whether ``score`` is a value of this scale, which ``LARGEST`` ends where nothing does."""
        return (
            abs(score) <= LARGEST
            and (not self.labels or score in self.labels.values())
            and self.lowest <= score <= self.highest
            and (not self.integers or float(score).is_integer())
        )

    def label_of(self, score: float) -> str | None:
        """The word for ``score``, or None on a scale of numbers."""
        return next((word for word, value in self.labels.items() if value == score), None)

    def show(self, score: float) -> str:
        """``score`` as people read it on this scale."""
        return self.label_of(score) or f"{score:.3g}"


ONE_TO_FIVE = Scale("1-5", 1, 5, integers=True)
BETWEEN_ONE_AND_FIVE = Scale("1.0-5.0", 1, 5)
YES_NO = Scale("yes_no", 0, 1, integers=True, labels={"no": 0.0, "yes": 1.0})
PASS_FAIL = Scale("pass_fail", 0, 1, integers=True, labels={"fail": 0.0, "pass": 1.0})
FRACTION = Scale("0-1", 0, 1)
COUNT = Scale("count", 0, math.inf, integers=True, higher_is_better=False)
SECONDS = Scale("seconds", 0, math.inf, higher_is_better=False)
SEVERITY = Scale(
    "severity",
    0,
    6,
    integers=True,
    higher_is_better=False,
    labels={"very low": 0.0, "low": 2.0, "medium": 4.0, "high": 6.0},
)
"""Four levels of harm; each has the lower of the two values that Azure's scale from 0 to 7 has."""
SCALES = {
    scale.name: scale
    for scale in (
        *(ONE_TO_FIVE, BETWEEN_ONE_AND_FIVE, YES_NO, PASS_FAIL),
        *(FRACTION, COUNT, SECONDS, SEVERITY),
    )
}
"""The scales of built-in metrics, by the name that records have of them."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A pass rule: the score is at least, at most, more than, or less than ``value``.

    Equal passes for the first two. As long as the scale is not known, ``value`` may be told by a
    ``word``; ``on`` finds it.
    """

    bound: Bound
    value: float = math.nan
    word: str | None = None

    @property
    def asks_for(self) -> Direction:
        """The direction in which scores have to go to pass."""
        return "at_most" if self.bound in ("at_most", "less_than") else "at_least"

    def holds(self, score: float) -> bool:
        """Whether ``score`` passes."""
        if self.bound in ("more_than", "less_than"):
            return score > self.value if self.bound == "more_than" else score < self.value
        return score >= self.value if self.bound == "at_least" else score <= self.value

    def on(self, scale: Scale, of: str) -> Threshold:
        """This rule, refused with a ``UsageError`` unless it can tell values of ``scale`` apart.

        Its value has to lie on the scale, and not where every value of the scale would pass, or
        none; its word, if it has one, has to be one of the scale's.
        """
        if self.word is not None:
            return Threshold(self.bound, self._meant(self.word, scale, of)).on(scale, of)
        if not (math.isfinite(self.value) and scale.lowest <= self.value <= scale.highest):
            raise UsageError(
                f"{of}: {self.bound}={self.value:g} is off the scale, which runs "
                f"from {scale.lowest:g} to {scale.highest:g}"
            )
        if self.bound in ("more_than", "less_than"):
            if self.value == (scale.highest if self.bound == "more_than" else scale.lowest):
                raise UsageError(
                    f"{of}: no score is {self.bound.replace('_', ' ')} {scale.show(self.value)}, "
                    "so nothing could pass; choose a mark that tells good from bad"
                )
            return self
        if self.value == (scale.lowest if self.bound == "at_least" else scale.highest):
            raise UsageError(
                f"{of}: every score is {self.bound.replace('_', ' ')} {scale.show(self.value)}, "
                "so nothing could fail; choose a mark that tells good from bad"
            )
        return self

    def _meant(self, word: str, scale: Scale, of: str) -> float:
        if word in scale.labels:
            return scale.labels[word]
        words = f" or one of {', '.join(scale.labels)}" if scale.labels else ""
        raise UsageError(f"{of}: {self.bound} is a number{words}; got {word!r}")
