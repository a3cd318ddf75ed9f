"""What comes back: a verdict, and the result it makes against a threshold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from .errors import EvalError, UsageError
from .scales import Scale, Threshold

if TYPE_CHECKING:
    from .data.cases import Case


class Outcome(StrEnum):
    """What became of one check."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    NOT_APPLICABLE = "not_applicable"
    MEASURED = "measured"


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
    """The sum of ``parts``, see ``added``; unknown (None) as soon as one of them is."""
    known = list(parts)
    return None if None in known else added(part for part in known if part is not None)


def added(parts: Iterable[N]) -> N:
    """The sum of ``parts``; of fractions in twelve digits, which binary sums blur beyond."""
    made = sum(parts)
    return type(made)(f"{made:.12g}") if isinstance(made, float) else made
