"""The engine: a question goes in, its answer comes out, from the store or from the judge."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, Literal, TypeVar

from ..errors import (
    EvalError,
    JudgeError,
    JudgeMisconfigured,
    JudgeRefused,
    NotRecorded,
    UnreadableReply,
)
from ..text.shown import shown
from .base import BaseJudge, Line, Message, Question, ReplyT, Said
from .heard import Answer, answer_of, entry_of, question_key, revived
from .leases import Leases
from .loop import LoopThread, in_thread
from .store import Store
from .tally import Tally

T = TypeVar("T")
Mode = Literal["auto", "replay", "refresh", "off"]

TRIES = 3
"""How many times the time-out of one request all tries of a question may take together."""

SECOND_REQUEST = (
    "That reply could not be read: {fault} Answer the same question once more, with nothing but "
    "the JSON object that was described, its values among those allowed."
)


class Engine:
    """Asks judges on one background loop: each question once at a time, none twice if stored.

    ``timeout`` is in seconds for one request; ``notice`` takes what the user ought to be told
    once; ``at_once`` is the most questions that are with judges at the same time. ``tally``
    counts them; ``connecting`` holds when (seconds since the epoch) lines to judges were opened,
    which is when LiteLLM is imported.
    """

    def __init__(
        self,
        store: Store,
        mode: Mode,
        timeout: float,
        notice: Callable[[str], None],
        at_once: int = 16,
    ) -> None:
        self.at_once = at_once
        self.tally = Tally()
        self.connecting: list[tuple[float, float]] = []
        self._store = store
        self._leases = Leases(store)
        self._mode = mode
        self._timeout = timeout
        self._notice = notice
        self._loop = LoopThread()
        self._places = asyncio.Semaphore(at_once)
        self._flights: dict[str, asyncio.Task[Answer[Any]]] = {}
        self._ahead: dict[str, asyncio.Task[Answer[Any]]] = {}
        self._refreshed: set[str] = set()
        self._lines: dict[BaseJudge, Line] = {}
        self._opening: dict[BaseJudge, asyncio.Lock] = {}
        self._down: dict[BaseJudge, JudgeMisconfigured] = {}

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """The future of ``work``, which runs on the engine's loop, to any thread."""
        return self._loop.submit(work)

    def close(self) -> None:
        """Cancel what is under way, close connections and the store."""
        if self._loop.running:
            self._loop.submit(self._disconnected()).result()
            self._loop.close()

    async def _disconnected(self) -> None:
        for flight in [*self._flights.values()]:
            flight.cancel()
        await asyncio.gather(*self._flights.values(), return_exceptions=True)
        self._leases.close()
        self._store.close()
        for line in self._lines.values():
            await line.close()

    async def ask(
        self, judge: BaseJudge, question: Question[ReplyT], ahead: bool = False
    ) -> Answer[ReplyT]:
        """The answer to ``question``; the same question asked at the same time is one flight.

        With ``ahead`` it is asked for somebody who will come for it: what the judge then says, be
        it an error, is held for the first who asks without.

        Raises ``NotRecorded`` in replay mode for what the store lacks, and the ``JudgeError`` that
        fits where the judge gave no valid verdict.
        """
        key = question_key(judge, question)
        if key is None:
            return await self._counted(self._alone(judge, question))
        flight = self._ahead.get(key) if ahead else self._ahead.pop(key, None)
        shared = flight is None and key in self._flights
        if flight is None and (flight := self._flights.get(key)) is None:
            flight = self._counted(self._found(key, judge, question))
            self._flights[key] = flight
            flight.add_done_callback(lambda _: self._flights.pop(key, None))
            if ahead:
                self._ahead[key] = flight
        answer: Answer[ReplyT] = await asyncio.shield(flight)
        if ahead and not answer.asked:
            self._ahead.pop(key, None)  # the store holds it
        return replace(answer, asked=False) if shared else answer

    def _counted(self, work: Coroutine[Any, Any, Answer[Any]]) -> asyncio.Task[Answer[Any]]:
        flight = asyncio.ensure_future(work)
        flight.add_done_callback(self.tally.settle)
        self.tally.begun += 1
        return flight

    async def _alone(self, judge: BaseJudge, question: Question[ReplyT]) -> Answer[ReplyT]:
        async with self._places:
            return await self._asked(None, judge, question)

    def recall(self, judge: BaseJudge, question: Question[ReplyT]) -> Answer[ReplyT]:
        """The answer to ``question`` that the store holds, on the engine's loop.

        Raises ``NotRecorded`` where it holds none or is not to be read.
        """
        key = question_key(judge, question)
        answer = self._recalled(key, question) if key is not None and self._reads(key) else None
        if answer is None:
            raise NotRecorded(
                f"replay: the store {self._store.folder} has no reply to this question "
                f"({question.task}, {judge.name}); record it by a run with --llm-eval-mode=auto"
            )
        return answer

    async def unclaimed(self) -> list[Answer[Any]]:
        """What judges said to questions asked ahead, and nobody came for."""
        done = [task for task in self._ahead.values() if task.done() and not task.cancelled()]
        return [task.result() for task in done if task.exception() is None]

    def _reads(self, key: str) -> bool:
        return self._mode in ("auto", "replay") or key in self._refreshed

    def _recalled(self, key: str, question: Question[ReplyT]) -> Answer[ReplyT] | None:
        entry = self._store.get(key)
        self._tell_trouble()
        return None if entry is None else revived(key, entry, question)

    async def _found(
        self, key: str, judge: BaseJudge, question: Question[ReplyT]
    ) -> Answer[ReplyT]:
        """The answer from the store, else from the judge, whom one process at a time asks."""
        if self._mode == "replay":
            return self.recall(judge, question)
        if self._reads(key) and (answer := self._recalled(key, question)) is not None:
            return answer
        before = self._store.get(key) if self._mode == "refresh" else None
        patience = Leases.polling()
        while True:
            async with self._places:
                if self._mode == "off":
                    return await self._asked(key, judge, question)
                if self._leases.take(key):
                    try:
                        return await self._told_or_asked(key, judge, question, before)
                    finally:
                        self._leases.release(key)
            while not self._leases.free(key):
                await asyncio.sleep(next(patience))

    async def _told_or_asked(
        self, key: str, judge: BaseJudge, question: Question[ReplyT], before: object
    ) -> Answer[ReplyT]:
        """What another process was told while we waited for our turn, else what we are told."""
        entry = self._store.get(key)
        if entry is not None and entry != before:
            self._refreshed.add(key)
            if (answer := revived(key, entry, question)) is not None:
                return answer
        answer = await self._asked(key, judge, question)
        self._store.put(key, entry_of(judge, question, answer))
        self._refreshed.add(key)
        self._tell_trouble()
        return answer

    def _tell_trouble(self) -> None:
        for note in self._store.notes:
            self._notice(note)
        if self._store.trouble is None:
            return
        if self._mode == "replay":
            raise NotRecorded(f"replay needs the store: {self._store.trouble}")
        self._notice(self._store.trouble)

    async def _asked(
        self, key: str | None, judge: BaseJudge, question: Question[ReplyT]
    ) -> Answer[ReplyT]:
        first = await self._said(judge, question, question.messages)
        try:
            return answer_of(key, [first], question)
        except UnreadableReply as fault:
            if question.form == "word":
                raise
            again: tuple[Message, ...] = (
                ("assistant", first.text.strip() or "(nothing)"),
                ("user", SECOND_REQUEST.format(fault=fault.fault)),
            )
        second = await self._said(judge, question, (*question.messages, *again))
        return answer_of(key, [first, second], question)

    async def _said(
        self, judge: BaseJudge, question: Question[Any], messages: tuple[Message, ...]
    ) -> Said:
        from .retry import with_retries

        async def once() -> Said:
            if judge in self._down:
                raise self._down[judge]
            return await line.say(question, messages)

        try:
            line = await self._line(judge)
            patience = TRIES * (judge.timeout or self._timeout)
            said = await (with_retries(once, budget=patience) if judge.remote else once())
        except JudgeMisconfigured as error:
            if error.lasting:
                self._down[judge] = error
            raise
        except EvalError:
            raise
        except Exception as error:
            raised = f"{judge.name} raised {type(error).__name__}: {shown(str(error))}"
            raise JudgeError(raised) from error
        if not isinstance(said, Said):
            came = type(said).__name__
            raise JudgeError(f"{judge.name}: expected its line to say a Said, got {came}")
        if said.stop == "refused":
            text = shown(said.text) or "(no text)"
            raise JudgeRefused(f"{judge.name} declined to answer: {text}")
        return said

    async def _line(self, judge: BaseJudge) -> Line:
        """The line to ``judge``, opened once; what it has to import blocks nobody else."""
        async with self._opening.setdefault(judge, asyncio.Lock()):
            if judge not in self._lines:
                started = time.time()
                await in_thread(judge.prepare, self._notice)
                self._lines[judge] = judge.connect(self._timeout, self._notice)
                self.connecting.append((started, time.time()))
            return self._lines[judge]
