"""What can go wrong, told apart by who has to act.

::

    EvalError                 no verdict could be had: an error, never a fail, never a score
    ├── UsageError            a call, a setting or a template is wrong
    │   └── DamagedVerdicts   a line of the committed verdicts is not as it was recorded
    ├── CaseError             the case lacks what the metric needs, or holds what it must not
    │   └── CaseTypeError     a value of the wrong type (also a TypeError)
    ├── NoJudge               a judged check with no judge set
    ├── MetricRefused         this judge cannot answer this metric
    ├── NotRecorded           replay mode met a question whose answer is not kept
    └── JudgeError            the judge was asked and gave no verdict
        ├── JudgeUnavailable    time-out, network, rate limit or server fault, on every try
        ├── JudgeMisconfigured  key, model, credit or parameter: no retry can help
        ├── JudgeRefused        the judge, or its provider's filter, declined to answer
        ├── ContextTooLong      the question does not fit the judge's window
        ├── PartlyJudged        of several ratings that a verdict is made of, one could not be had
        └── UnreadableReply     the reply holds no valid verdict
            └── ReplyCutOff       because the token limit ended it

    CheckFailed               an AssertionError: the judge decided, and the check did not hold

``EvalError`` is no ``AssertionError`` and no ``ValueError``: neither ``xfail`` nor a validator
may take it for a result. Each can be made again from its message alone, so that it crosses
processes (pickle does just that, and adds the attributes afterwards).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class EvalError(Exception):
    """No verdict could be had. The message says what was expected, what came and what to do.

    ``parts`` holds, where a verdict is made of several ratings (``Part``), each of them in order;
    those that could not be had say why.
    """

    parts: tuple[Any, ...] = ()


class UsageError(EvalError):
    """A call, a setting or a template is wrong."""


class DamagedVerdicts(UsageError):
    """A line of the committed verdicts is not as it was recorded: file, line and what to do."""


class CaseError(EvalError):
    """The case lacks what the metric needs, or holds what it must not.

    ``lacks`` names what is not there, where that is the whole fault: a suite then leaves the
    metric out.
    """

    lacks: str = ""

    @classmethod
    def lacking(cls, what: str, message: str) -> CaseError:
        """The error that ``what`` is not there, in plain words; ``message`` says it in full."""
        error = cls(message)
        error.lacks = what
        return error


class CaseTypeError(CaseError, TypeError):
    """A value of a case has the wrong type."""


class NoJudge(EvalError):
    """A judged check was made and no judge is set. ``ADVICE`` holds two lines, each a way out."""

    ADVICE = (
        "--llm-eval-model=openai/gpt-5-mini    an LLM, asked through LiteLLM with your key",
        "--llm-eval-model=lexical              no LLM, no key, no network: it weighs words",
    )


class MetricRefused(EvalError):
    """This judge cannot answer this metric."""


class NotRecorded(EvalError):
    """Replay mode met a question that neither store nor committed verdicts answer."""

    def __init__(self, message: str, parts: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.parts = parts


class JudgeError(EvalError):
    """The judge was asked and gave no verdict.

    ``spent`` holds what it said all the same (``Said``), as long as nobody has counted that.
    ``lasting`` is True where every further question to this judge would end the same way.
    """

    spent: tuple[Any, ...] = ()
    lasting: bool = False


class JudgeUnavailable(JudgeError):
    """Time-out, network, rate limit or server fault that outlasted every retry.

    ``retry_after`` is how many seconds the server asked to be left alone, None if it did not say.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class JudgeMisconfigured(JudgeError):
    """Key, model, credit or parameter: no retry can help.

    ``lasting`` is True for a missing key, an unknown model, no credit, and False where it was this
    one question's fault.
    """

    def __init__(self, message: str, lasting: bool = True) -> None:
        super().__init__(message)
        self.lasting = lasting


class JudgeRefused(JudgeError):
    """The judge, or its provider's filter, declined to answer."""

    @classmethod
    def by_filter(cls, judge: str, held_back: str, said: str) -> JudgeRefused:
        """That a filter ``held_back`` a question or an answer of ``judge``, and what it said."""
        advice = "loosen the filter, or take another judge"
        return cls(f"{judge}: the provider's filter held the {held_back} back; {advice} ({said})")


class ContextTooLong(JudgeError):
    """The question does not fit the judge's window."""


class PartlyJudged(JudgeError):
    """Of several ratings that a verdict is made of, one could not be had: there is no verdict."""

    def __init__(self, message: str, parts: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.parts = parts


class UnreadableReply(JudgeError):
    """The reply holds no valid verdict.

    ``fault`` is what was wrong with it, in words that the judge can be told; the message shows
    the reply as well.
    """

    def __init__(self, message: str, fault: str = "") -> None:
        super().__init__(message)
        self.fault = fault or message


class ReplyCutOff(UnreadableReply):
    """The reply holds no valid verdict because the token limit ended it."""


class CheckFailed(AssertionError):
    """The judge decided, and the check did not hold.

    ``errors`` are those of checks that got no verdict and are told with it.
    """

    def __init__(self, text: str = "", errors: Sequence[EvalError] = ()) -> None:
        super().__init__(text)
        self.errors = tuple(errors)
