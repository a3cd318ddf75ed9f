"""Lines to judges: a question is put, and again where that may help, until there is an answer."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any, TypeVar

from ..errors import (
    EvalError,
    JudgeError,
    JudgeUnavailable,
    UnreadableReply,
)
from ..text.shown import shown
from .base import BaseJudge, Line, Message, Question, ReplyT, Said
from .heard import Answer, answer_of, check_given
from .loop import in_thread

T = TypeVar("T")

TRIES = 3
"""How many times the time-out of one request all tries of a question may take together."""

GIVE_UP_AFTER = 5
"""After so many questions in a row that got nothing, retries included, a judge is asked no more."""

SECOND_REQUEST = (
    "That reply could not be read: {fault} Answer the same question once more, with nothing but "
    "the JSON object that was described, its values among those allowed."
)


class Lines:
    """The open lines, one to each judge, and which judges are of no use any more.

    ``timeout`` is in seconds for one request; ``notice`` takes what the user ought to be told
    once. ``connecting`` holds from when to when (seconds since the epoch) lines were opened, which
    is when LiteLLM is imported, ``opening`` is how many are being opened.
    """

    def __init__(self, timeout: float, notice: Callable[[str], None]) -> None:
        self.connecting: list[tuple[float, float]] = []
        self.opening = 0
        self._timeout = timeout
        self._notice = notice
        self._lines: dict[BaseJudge, Line] = {}
        self._opening: dict[BaseJudge, asyncio.Lock] = {}
        self._down: dict[BaseJudge, JudgeError] = {}
        self._failures: Counter[BaseJudge] = Counter()

    async def close(self) -> None:
        """Close every line; the run is over, its verdicts are in, and no fault matters now."""
        for line in self._lines.values():
            with suppress(Exception):
                await line.close()

    async def asked(
        self, key: str | None, judge: BaseJudge, question: Question[ReplyT]
    ) -> Answer[ReplyT]:
        """The answer of ``judge`` to ``question``, asked once more where it can't be read.

        ``key`` is the question's in the store.
        """
        heard: list[Said] = []
        started = time.time()
        try:
            heard.append(await self._said(judge, question, question.messages))
            try:
                return self._timed(answer_of(key, heard, question), started)
            except UnreadableReply as fault:
                if question.form == "word":
                    raise
                again: tuple[Message, ...] = (
                    ("assistant", heard[0].text.strip() or "(nothing)"),
                    ("user", SECOND_REQUEST.format(fault=fault.fault)),
                )
            heard.append(await self._said(judge, question, (*question.messages, *again)))
            return self._timed(answer_of(key, heard, question), started)
        except JudgeError as error:
            error.spent = (*heard, *error.spent)
            raise

    def _timed(self, answer: Answer[ReplyT], started: float) -> Answer[ReplyT]:
        """``answer`` with the time it took since ``started``, the opening of lines left out."""
        now = time.time()
        opening = sum(max(0.0, until - max(since, started)) for since, until in self.connecting)
        return replace(answer, took=max(0.0, now - started - opening))

    async def _said(
        self, judge: BaseJudge, question: Question[Any], messages: tuple[Message, ...]
    ) -> Said:
        from .retry import with_retries

        async def once() -> Said:
            if judge in self._down:
                raise _again(self._down[judge])
            return await line.say(question, messages)

        try:
            line = await self._line(judge)
            patience = TRIES * (judge.timeout or self._timeout)
            said = await (
                with_retries(once, budget=patience) if judge.remote else _in_time(once(), patience)
            )
        except JudgeError as error:
            self._take_down(judge, error)
            raise
        except (EvalError, asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:  # also SystemExit, which would end the loop
            raised = f"{judge.name} raised {type(error).__name__}: {shown(str(error))}"
            raise JudgeError(raised) from error
        self._failures.pop(judge, None)
        self._down.pop(judge, None)  # it answers what was under way: the fault was of one question
        if not isinstance(said, Said):
            got = shown(repr(said))
            raise JudgeError(f"{judge.name}: expected its line to say a Said with text, got {got}")
        check_given(said, judge)
        return said

    def _take_down(self, judge: BaseJudge, error: JudgeError) -> None:
        """Ask ``judge`` no more where ``error`` says it is of no use, or came often enough."""
        if error.lasting:
            self._down[judge] = error
        if isinstance(error, JudgeUnavailable) and judge not in self._down:
            self._failures[judge] += 1
            if self._failures[judge] == GIVE_UP_AFTER:
                down = JudgeUnavailable(
                    f"{judge.name} is asked no more: {GIVE_UP_AFTER} questions in a row got "
                    f"nothing from it. The last of them: {error}"
                )
                down.lasting = True
                self._down[judge] = down

    async def _line(self, judge: BaseJudge) -> Line:
        """The line to ``judge``, opened once; what it has to import blocks nobody else."""
        async with self._opening.setdefault(judge, asyncio.Lock()):
            if judge not in self._lines:
                started = time.time()
                self.opening += 1
                try:
                    await in_thread(judge.prepare, self._notice)
                    self._lines[judge] = judge.connect(self._timeout, self._notice)
                finally:
                    self.opening -= 1
                self.connecting.append((started, time.time()))
            return self._lines[judge]


async def _in_time(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """What ``work`` gives, which no network retries."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await work
    except TimeoutError as error:
        if limit.expired():
            raise JudgeUnavailable(f"the judge did not answer in {seconds:g} s") from None
        raise error


def _again(error: JudgeError) -> JudgeError:
    """``error`` for one more question; each has its own traceback."""
    return copy(error).with_traceback(None)
