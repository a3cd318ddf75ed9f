"""A verdict made of several ratings: each asked for by itself, all at once, none left out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from ..errors import EvalError, JudgeError, NotRecorded, PartlyJudged
from ..judges.base import Question, ReplyT
from ..results import Part
from ..scales import YES_NO
from ..text.shown import shown
from .ask import Ask


class YesOrNo(Protocol):
    """A reply that says yes or no, and why."""

    @property
    def reason(self) -> str: ...

    @property
    def verdict(self) -> Literal["yes", "no"]: ...


PartOf = Callable[[str, ReplyT], Part]
"""What makes a rating of a part's name and the reply about it."""


def yes_no_part(name: str, reply: YesOrNo) -> Part:
    """The rating that ``reply`` gives the part ``name``: 1 for yes, 0 for no."""
    return Part(name, YES_NO.labels[reply.verdict], reply.reason)


async def each_part(
    questions: Sequence[tuple[str, Question[ReplyT]]],
    ask: Ask,
    part_of: PartOf[ReplyT],
    called: str = "parts",
) -> list[tuple[Part, ReplyT]]:
    """The rating of each part and the reply it comes from, in the order of ``questions``.

    ``questions`` holds what is asked, by the names of the parts; ``called`` is what such parts
    are called. All are asked at the same time, and every answer is waited for.

    Raises ``PartlyJudged`` where the judge gave none for a part, and ``NotRecorded`` where replay
    mode holds none; either keeps the other ratings. What is not the fault of one question (no
    judge, a judge that is asked no more) is raised as it is.
    """
    names = [name for name, _ in questions]
    replies = await asyncio.gather(
        *(ask(question) for _, question in questions), return_exceptions=True
    )
    errors: list[EvalError] = []
    rated: list[tuple[Part, ReplyT]] = []
    parts: list[Part] = []
    for name, reply in zip(names, replies, strict=True):
        if not isinstance(reply, BaseException):
            rated.append((part_of(name, reply), reply))
            parts.append(rated[-1][0])
        elif isinstance(reply, EvalError) and is_of_one_part(reply):
            errors.append(reply)
            parts.append(Part(name, None, error=str(reply)))
        else:
            raise reply
    if errors:
        raise partly_judged(parts, called, errors) from errors[0]
    return rated


def is_of_one_part(error: EvalError) -> bool:
    """Whether ``error`` is that of one question, and others may be answered all the same."""
    return isinstance(error, NotRecorded) or (isinstance(error, JudgeError) and not error.lasting)


def partly_judged(parts: Sequence[Part], called: str, errors: Sequence[EvalError]) -> EvalError:
    """The error that some of ``parts``, which are called so, got no rating; it keeps them all."""
    failed = [part for part in parts if part.error is not None]
    missed = next((error for error in errors if isinstance(error, NotRecorded)), None)
    if missed is not None:  # what each was told is the same, and how to record
        names = ", ".join(shown(part.name, 60) for part in failed)
        told = f"{len(failed)} of {len(parts)} {called} got no rating: {names}\n  {missed}"
        return NotRecorded(told, tuple(parts))
    lines = [f"{shown(part.name, 60)}: {part.error}".replace("\n", "\n  ") for part in failed]
    told = f"{len(failed)} of {len(parts)} {called} got no rating:"
    return PartlyJudged("\n  ".join([told, *lines]), tuple(parts))
