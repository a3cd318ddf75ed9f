"""The engine: a question goes in, its answer comes out, from the store or from the judge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, MutableMapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..errors import DamagedVerdicts, NotRecorded
from .base import BaseJudge, Question, ReplyT
from .heard import Answer, asked_schema, entry_of, question_key, revived
from .leases import Leases
from .lines import Lines
from .loop import LoopThread
from .store import Store
from .tally import Tally

if TYPE_CHECKING:
    from .committed import Verdicts

T = TypeVar("T")
Mode = Literal["auto", "replay", "refresh", "off"]


class Engine:
    """Asks judges on one background loop: each question once at a time, none twice if stored.

    ``timeout`` is in seconds for one request; ``notice`` takes what the user ought to be told
    once; ``at_once`` is the most questions that are with judges at the same time. ``tally``
    counts them.

    ``verdicts`` are the committed ones, which are looked at before the store, and in replay mode
    alone. ``heard`` takes the entries behind the other answers, by key, and ``questions`` all that
    was asked.
    """

    def __init__(
        self,
        store: Store,
        mode: Mode,
        timeout: float,
        notice: Callable[[str], None],
        at_once: int = 16,
        verdicts: Verdicts | None = None,
        heard: MutableMapping[str, Mapping[str, Any]] | None = None,
        questions: MutableMapping[str, Question[Any]] | None = None,
    ) -> None:
        self.at_once = at_once
        self.tally = Tally()
        self._verdicts = verdicts
        self._entries = heard
        self._questions = questions
        self._store = store
        self._leases = Leases(store)
        self._mode = mode
        self._notice = notice
        self._loop = LoopThread()
        self._places = asyncio.Semaphore(at_once)
        self._flights: dict[str, asyncio.Task[Answer[Any]]] = {}
        self._ahead: dict[str, asyncio.Task[Answer[Any]]] = {}
        self._in_hand: dict[str, Answer[Any]] = {}
        self._refreshed: set[str] = set()
        self._lines = Lines(timeout, notice)

    @property
    def connecting(self) -> Sequence[tuple[float, float]]:
        """From when to when (seconds since the epoch) lines were opened: LiteLLM's import."""
        return self._lines.connecting

    @property
    def opening(self) -> bool:
        """Whether a line is being opened now."""
        return self._lines.opening > 0

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
        await self._lines.close()

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
        if self._questions is not None:
            self._questions[key] = question
        flight = self._ahead.get(key) if ahead else self._ahead.pop(key, None)
        shared = flight is None and key in self._flights
        if flight is None and not shared and (heard := self._heard(key, question)) is not None:
            return heard
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

    def _heard(self, key: str, question: Question[ReplyT]) -> Answer[ReplyT] | None:
        """The answer that the store holds, if it may be read, without a flight."""
        answer: Answer[ReplyT] | None = self._in_hand.pop(key, None)
        if answer is None or type(answer.reply) is not question.reply:
            answer = self._recalled(key, question) if self._reads(key) else None
        if answer is None:
            return None
        self.tally.begun += 1
        self.tally.stored += 1
        return answer

    def _counted(self, work: Coroutine[Any, Any, Answer[Any]]) -> asyncio.Task[Answer[Any]]:
        flight = asyncio.ensure_future(work)
        flight.add_done_callback(self.tally.settle)
        self.tally.begun += 1
        return flight

    async def _alone(self, judge: BaseJudge, question: Question[ReplyT]) -> Answer[ReplyT]:
        async with self._places:
            return await self._lines.asked(None, judge, question)

    def recall(self, judge: BaseJudge, question: Question[ReplyT]) -> Answer[ReplyT]:
        """The answer to ``question`` that the store holds, on the engine's loop.

        It is kept in hand for who asks next. Raises ``NotRecorded`` where the store holds none or
        is not to be read.
        """
        key = question_key(judge, question)
        answer = self._recalled(key, question) if key is not None and self._reads(key) else None
        if answer is None:
            raise NotRecorded(self._not_recorded(f"{question.task}, {judge.name}"))
        if answer.key is not None:
            self._in_hand[answer.key] = answer
        return answer

    def _not_recorded(self, what: str) -> str:
        if self._verdicts is None:
            where, how = f"the store {self._store.folder}", "--llm-eval-mode=auto"
        else:
            folder = self._verdicts.folder
            where = f"{folder}" if folder.is_dir() else f"{folder} (not there)"
            how = "--llm-eval-mode=auto --llm-eval-record"
        return (
            f"replay: {where} has no reply to this question ({what}); record it by a run with {how}"
        )

    async def unclaimed(self) -> list[Answer[Any]]:
        """What judges said to questions asked ahead, and nobody came for."""
        done = [task for task in self._ahead.values() if task.done() and not task.cancelled()]
        return [task.result() for task in done if task.exception() is None]

    def _reads(self, key: str) -> bool:
        return self._mode in ("auto", "replay") or key in self._refreshed

    def _recalled(self, key: str, question: Question[ReplyT]) -> Answer[ReplyT] | None:
        if self._verdicts is not None:
            answer = self._committed(key, question, self._verdicts)
            if answer is not None or self._mode == "replay":
                return answer
        entry = self._store.get(key)
        self._tell_trouble()
        return None if entry is None else self._revived(key, entry, question)

    def _committed(
        self, key: str, question: Question[ReplyT], verdicts: Verdicts
    ) -> Answer[ReplyT] | None:
        try:
            return verdicts.answer(key, question)
        except DamagedVerdicts:
            if self._entries is None or self._mode == "replay":
                raise
            return None  # it is asked anew, and what is then recorded takes the place of the line

    def _revived(
        self, key: str, entry: Mapping[str, Any], question: Question[ReplyT]
    ) -> Answer[ReplyT] | None:
        answer = revived(key, entry, question)
        if answer is not None and self._entries is not None:
            self._note(key, {**entry, "task": question.task, "schema": asked_schema(question)})
        return answer

    def _note(self, key: str, entry: Mapping[str, Any]) -> None:
        if self._entries is not None:
            self._entries[key] = entry

    async def _found(
        self, key: str, judge: BaseJudge, question: Question[ReplyT]
    ) -> Answer[ReplyT]:
        """The answer from the store, else from the judge, whom one process at a time asks."""
        if self._mode == "replay":
            return self.recall(judge, question)
        before = self._store.get(key) if self._mode == "refresh" else None
        patience = Leases.polling()
        while True:
            async with self._places:
                if self._mode == "off":
                    answer = await self._lines.asked(key, judge, question)
                    self._note(key, entry_of(judge, question, answer))
                    return answer
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
            if (told := self._revived(key, entry, question)) is not None:
                return told
        answer = await self._lines.asked(key, judge, question)
        entry = entry_of(judge, question, answer)
        self._store.put(key, entry)
        self._note(key, entry)
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
