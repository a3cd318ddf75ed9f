"""A judge that says what it is told to: for tests of metrics, and of suites that use them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .errors import JudgeUnavailable
from .judges.base import BaseJudge, Message, Question, Said

Scripted = str | Mapping[str, Any] | Said | Exception


class ScriptedJudge(BaseJudge):
    """Gives scripted replies, through the same reading, re-asking and recording as any judge.

    ``script`` is one reply for every question, replies in the order of asking (a list), replies
    by task (``{"groundedness": …}``, told from a reply by every value being a reply itself), or a
    function from ``Question`` to a reply. A reply is text, a mapping (sent as JSON), a ``Said``,
    or an exception to raise. ``questions`` holds what was asked, ``messages`` how.

    Its replies are not stored, unless ``kept``: then ``name`` stands for it in the key.
    """

    def __init__(
        self,
        script: Scripted | Iterable[Scripted] | Callable[[Question[Any]], Scripted],
        *,
        name: str = "scripted",
        kept: bool = False,
    ) -> None:
        self.name = name
        self.questions: list[Question[Any]] = []
        self.messages: list[tuple[Message, ...]] = []
        self._kept = kept
        self._reply_to = _reader(script)

    @property
    def identity(self) -> Mapping[str, Any] | None:
        return {"scripted": self.name} if self._kept else None

    def connect(self, timeout: float, notice: Callable[[str], None]) -> ScriptedJudge:
        return self

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        """The next scripted reply."""
        self.questions.append(question)
        self.messages.append(messages)
        reply = self._reply_to(question)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Said):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return Said(text, resolved_model=self.name, input_tokens=0, output_tokens=0, cost=0.0)

    async def close(self) -> None:
        """Nothing is held."""


def _reader(script: Any) -> Callable[[Question[Any]], Scripted]:
    if callable(script):
        return script  # type: ignore[no-any-return]
    if isinstance(script, str | Said | Exception):
        return lambda question: script
    if isinstance(script, Mapping):
        by_task = script and all(
            isinstance(value, Mapping | Said | Exception) for value in script.values()
        )
        return lambda question: script[question.task] if by_task else script
    replies = iter(script)

    def next_reply(question: Question[Any]) -> Scripted:
        try:
            return next(replies)  # type: ignore[no-any-return]
        except StopIteration:
            return JudgeUnavailable("the script has no further reply")

    return next_reply
