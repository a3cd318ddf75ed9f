"""What comes back: a verdict, and the result it makes against a threshold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from .errors import EvalError, UsageError

if TYPE_CHECKING:
    from .data.cases import Case


class Outcome(StrEnum):
    """What became of one check."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    NOT_APPLICABLE = "not_applicable"
    MEASURED = "measured"


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


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of what a verdict rests on: ``kind`` says what ``text`` is, ``why`` explains."""

    kind: str
    text: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the ratings that a verdict is made of: of a document, a guideline set, an intent.

    ``name`` says of what, ``score`` is on the part's own scale (yes is 1 and no is 0). ``error``
    says why no rating of this part could be had; its score is None then.
    """

    name: str
    score: float | None
    reason: str = ""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge decided. It knows no threshold.

    ``score`` is None where there was nothing to score: a blank response (which fails) or, with
    ``applicable=False``, a case that the metric has nothing to say about (which passes).
    ``parts`` are the ratings that the score was computed from, where there are several. ``blank``
    tells the blank response, which fails also where there is no pass mark. ``turn`` is the number,
    from 1, of the worst turn, where each turn of a conversation was judged and is a part.
    """

    score: float | None
    reason: str
    evidence: tuple[Evidence, ...] = ()
    applicable: bool = True
    parts: tuple[Part, ...] = ()
    blank: bool = False
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answers behind a verdict took.

    ``asked`` and ``stored`` count answers; tokens, cost (US dollars) and seconds are those of all
    answers, whenever they were given; ``spent_tokens`` and ``spent_cost`` of those asked in this
    run alone. None is unknown, which is not zero.
    """

    asked: int = 0
    stored: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0
    seconds: float = 0.0
    spent_tokens: int | None = 0
    spent_cost: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """One verdict held against one threshold.

    ``metric`` is the row it counts under (``groundedness``, ``fact_check[no]``); ``judge`` the
    model as configured and ``resolved_model`` as the provider named it; ``keys`` name the answers
    behind the verdict in the store, ``prompts`` the rubrics that were asked (``Rubric.identity``);
    ``blank`` is the verdict's, ``per_document`` the metric's; ``case`` is what was judged,
    ``shown`` what of it is worth showing beside a failure. ``graded`` is the score as it stands,
    also None for an error; ``turn`` is that of the verdict.
    """

    metric: str
    outcome: Outcome
    scale: Scale
    threshold: Threshold | None
    graded: float | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    parts: tuple[Part, ...] = ()
    turn: int | None = None
    error: EvalError | None = None
    per_document: bool = False
    judge: str | None = None
    is_llm: bool = True
    resolved_model: str | None = None
    usage: Usage = Usage()
    keys: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    case_id: str | None = None
    case: Case | None = field(default=None, repr=False)
    shown: tuple[tuple[str, str], ...] = ()
    blank: bool = False

    @property
    def passed(self) -> bool:
        """True for passed and not applicable; raises the error where there is one.

        Raises ``UsageError`` where the score was only measured, since it would be True for any.
        """
        self._raise_error()
        if self.outcome is Outcome.MEASURED:
            raise UsageError(
                f"{self.metric} was only measured, and nothing could fail: give at_least= or "
                "at_most=, or ask for .score"
            )
        return self.outcome is not Outcome.FAILED

    @property
    def score(self) -> float | None:
        """The verdict's score; None where there was nothing to score, as of a blank response.

        Raises the error where no verdict could be had: it would pass for a low score.
        """
        self._raise_error()
        return self.graded

    @property
    def label(self) -> str | None:
        """The score's word on a scale of words, else None. Raises as ``score`` does."""
        return None if self.score is None else self.scale.label_of(self.score)

    def _raise_error(self) -> None:
        if self.error is not None:
            raise self.error.with_traceback(None)

    @property
    def stored(self) -> bool:
        """True when a judge was needed and nothing was asked: every answer had been heard."""
        return self.usage.stored > 0 and self.usage.asked == 0

    @property
    def tokens(self) -> int | None:
        """Input and output tokens of every answer behind the verdict; None is unknown."""
        return total((self.usage.input_tokens, self.usage.output_tokens))

    @property
    def cost(self) -> float | None:
        """US dollars for every answer behind the verdict; None is unknown."""
        return self.usage.cost

    def __str__(self) -> str:
        """What was decided and what that rests on, as a failure tells it."""
        from .reports.failure import check_text  # it stands above results, and is there when shown

        return check_text(self)

    def __bool__(self) -> bool:
        raise TypeError("a Result is neither true nor false: ask its .passed or its .outcome")


N = TypeVar("N", int, float)


def total(parts: Iterable[N | None]) -> N | None:
    """The sum of ``parts``; unknown (None) as soon as one of them is."""
    known = list(parts)
    return None if None in known else sum(part for part in known if part is not None)
