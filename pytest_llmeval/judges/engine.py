"""The engine: a question goes in, its answer comes out, from the store or from the judge."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from ..errors import (
    EvalError,
    JudgeMisconfigured,
    JudgeRefused,
    NotRecorded,
    ReplyCutOff,
    UnreadableReply,
)
from ..results import total
from ..text.shown import shown
from .base import BaseJudge, Line, Message, Question, ReplyT, Said
from .loop import LoopThread
from .reply import read
from .retry import with_retries
from .store import Store, key_of

T = TypeVar("T")
Mode = Literal["auto", "replay", "refresh", "off"]

AT_ONCE = 16
"""The most requests under way at the same time."""

TRIES = 3
"""How many times the time-out of one request all tries of a question may take together."""

SECOND_REQUEST = (
    "That reply could not be read: {fault} Answer the same question once more, with nothing but "
    "the JSON object that was described, its values among those allowed."
)


@dataclass(frozen=True)
class Answer(Generic[ReplyT]):
    """A valid reply and what it took. ``asked`` is False when it had been heard before.

    Tokens and cost are those of every request behind the reply, the second one included.
    """

    reply: ReplyT
    said: str
    asked: bool
    resolved_model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    seconds: float


class Engine:
    """Asks judges on one background loop: each question once at a time, none twice if stored.

    ``timeout`` is in seconds for one request; ``notice`` takes what the user ought to be told once.
    """

    def __init__(
        self, store: Store, mode: Mode, timeout: float, notice: Callable[[str], None]
    ) -> None:
        self._store = store
        self._mode = mode
        self._timeout = timeout
        self._notice = notice
        self._loop = LoopThread()
        self._places = asyncio.Semaphore(AT_ONCE)
        self._flights: dict[str, asyncio.Task[Answer[Any]]] = {}
        self._refreshed: set[str] = set()
        self._lines: dict[BaseJudge, Line] = {}
        self._down: dict[BaseJudge, JudgeMisconfigured] = {}

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of ``work``, run on the engine's loop, to any thread that waits for it."""
        return self._loop.run(work)

    def close(self) -> None:
        """Cancel what is under way, close connections and the store."""
        if self._loop.running:
            self._loop.run(self._disconnected())
            self._loop.close()

    async def _disconnected(self) -> None:
        for flight in [*self._flights.values()]:
            flight.cancel()
        await asyncio.gather(*self._flights.values(), return_exceptions=True)
        self._store.close()
        for line in self._lines.values():
            await line.close()

    async def ask(self, judge: BaseJudge, question: Question[ReplyT]) -> Answer[ReplyT]:
        """The answer to ``question``; the same question asked at the same time is one flight.

        Raises ``NotRecorded`` in replay mode for what the store lacks, and the ``JudgeError`` that
        fits where the judge gave no valid verdict.
        """
        key = _key(judge, question)
        if key is None:
            return await self._asked(judge, question)
        flight = self._flights.get(key)
        shared = flight is not None
        if flight is None:
            flight = asyncio.ensure_future(self._looked_up(key, judge, question))
            self._flights[key] = flight
            flight.add_done_callback(lambda _: self._flights.pop(key, None))
        answer: Answer[ReplyT] = await asyncio.shield(flight)
        return replace(answer, asked=False) if shared else answer

    async def _looked_up(
        self, key: str, judge: BaseJudge, question: Question[ReplyT]
    ) -> Answer[ReplyT]:
        if self._mode in ("auto", "replay") or key in self._refreshed:
            entry = self._store.get(key)
            self._tell_trouble()
            if entry is not None and (answer := _revived(entry, question)) is not None:
                return answer
        if self._mode == "replay":
            raise NotRecorded(
                f"replay: the store {self._store.folder} has no reply to this question "
                f"({question.task}, {judge.name}); record it by a run with --llm-eval-mode=auto"
            )
        answer = await self._asked(judge, question)
        if self._mode != "off":
            self._store.put(key, _entry(judge, question, answer))
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

    async def _asked(self, judge: BaseJudge, question: Question[ReplyT]) -> Answer[ReplyT]:
        first = await self._said(judge, question, question.messages)
        try:
            return _answer([first], _read(first, question))
        except UnreadableReply as fault:
            if question.form == "word":
                raise
            again: tuple[Message, ...] = (
                ("assistant", first.text.strip() or "(nothing)"),
                ("user", SECOND_REQUEST.format(fault=fault.fault)),
            )
        second = await self._said(judge, question, (*question.messages, *again))
        return _answer([first, second], _read(second, question))

    async def _said(
        self, judge: BaseJudge, question: Question[Any], messages: tuple[Message, ...]
    ) -> Said:
        if judge not in self._lines:
            self._lines[judge] = judge.connect(self._timeout, self._notice)
        line = self._lines[judge]

        async def once() -> Said:
            async with self._places:
                if judge in self._down:
                    raise self._down[judge]
                return await line.say(question, messages)

        try:
            patience = TRIES * (judge.timeout or self._timeout)
            said = await (with_retries(once, budget=patience) if judge.remote else once())
        except JudgeMisconfigured as error:
            if error.lasting:
                self._down[judge] = error
            raise
        if said.stop == "refused":
            raise JudgeRefused(f"{judge.name} declined to answer: {said.text or '(no text)'}")
        return said


def _key(judge: BaseJudge, question: Question[Any]) -> str | None:
    """What names the question in the store; None where the judge's answers are not kept."""
    identity = judge.identity
    if identity is None:
        return None
    return key_of(
        {
            "judge": identity,
            "messages": question.messages,
            "schema": None if question.form == "word" else _schema(question.reply),
        }
    )


def _schema(reply: type[BaseModel]) -> dict[str, Any]:
    """The reply's schema without the docstrings of its classes, which no judge is shown."""
    schema = reply.model_json_schema()
    for each in (schema, *schema.get("$defs", {}).values()):
        each.pop("description", None)
    return schema


def _read(said: Said, question: Question[ReplyT]) -> ReplyT:
    cut = said.stop == "length"
    if cut and question.form == "json":
        raise _cut_off(said)
    try:
        return read(said.text, question.reply, under_test=_texts(question), form=question.form)
    except UnreadableReply:
        if cut:
            raise _cut_off(said) from None
        raise


def _cut_off(said: Said) -> ReplyCutOff:
    fault = "the token limit ended the reply before a verdict was complete."
    if not said.text.strip():
        fault = "the token limit was used up before the reply began (by reasoning, most likely)."
    advice = "Raise --llm-eval-reply-tokens, or have the model reason less."
    return ReplyCutOff(f"{fault} {advice} It began: {shown(said.text)}", fault)


def _texts(question: Question[Any]) -> list[str]:
    """Every text under test in the question's inputs."""
    values = question.inputs.values()
    lists = [value for value in values if isinstance(value, list)]
    return [value for value in [*values, *chain.from_iterable(lists)] if isinstance(value, str)]


def _answer(said: list[Said], reply: ReplyT) -> Answer[ReplyT]:
    return Answer(
        reply=reply,
        said=said[-1].text,
        asked=True,
        resolved_model=said[-1].resolved_model,
        input_tokens=total([each.input_tokens for each in said]),
        output_tokens=total([each.output_tokens for each in said]),
        cost=total([each.cost for each in said]),
        seconds=sum(each.seconds for each in said),
    )


_KEPT = ("said", "resolved_model", "input_tokens", "output_tokens", "cost", "seconds")
"""The fields of an answer that the store keeps."""


def _entry(judge: BaseJudge, question: Question[Any], answer: Answer[Any]) -> dict[str, Any]:
    """What the store keeps of an answer: what was said, and what it was said to."""
    return {
        "task": question.task,
        "judge": dict(judge.identity or {}),
        "messages": [list(message) for message in question.messages],
        **{name: getattr(answer, name) for name in _KEPT},
    }


def _revived(entry: Mapping[str, Any], question: Question[ReplyT]) -> Answer[ReplyT] | None:
    """The answer that ``entry`` keeps; None for an entry that gives no valid one."""
    try:
        said = entry["said"]
        reply = read(said, question.reply, under_test=_texts(question), form=question.form)
        return Answer(reply=reply, asked=False, **{name: entry[name] for name in _KEPT})
    except (KeyError, TypeError, EvalError):
        return None
