"""A judge whose verdicts come late, out of order or when it is told: it reads them in the text.

``bad`` in a response is rated 2, ``boom`` ends in an error, everything else is rated 5.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.judges.base import BaseJudge, Message, Question, Said

DOCS = ["The tent sleeps two."]

GIVEN: list[LateJudge] = []
"""The judge that a run inside a test finds here, the last one counts."""


class LateJudge(BaseJudge):
    """Answers after ``delay`` turns of its loop, told for each text. ``most`` counts overlap."""

    name = "late"

    def __init__(self, delay: Callable[[str], int] = lambda text: len(text) % 7) -> None:
        self.asked: list[str] = []
        self.most = 0
        self._now = 0
        self._delay = delay

    def connect(self, timeout: float, notice: Callable[[str], None]) -> LateJudge:
        return self

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        text = question.inputs["response"]
        self.asked.append(text)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await self.wait(text)
        finally:
            self._now -= 1
        if "boom" in text:
            raise JudgeUnavailable(f"{text}: the judge timed out")
        score = 2 if "bad" in text else 5
        reply = {"ungrounded": [], "reason": f"read {text}", "score": score}
        return Said(json.dumps(reply), input_tokens=1, output_tokens=1, cost=0.0)

    async def wait(self, text: str) -> None:
        """What passes until the verdict is given."""
        for _ in range(self._delay(text)):
            await asyncio.sleep(0.001)

    async def close(self) -> None:
        """Nothing is held."""


class ToldJudge(LateJudge):
    """Answers nothing until ``tell`` is called, from any thread; ``waiting`` is set before."""

    def __init__(self, answers_at: int = 0) -> None:
        super().__init__()
        self._told = threading.Event()
        self._answers_at = answers_at

    def tell(self) -> None:
        """Let all verdicts come."""
        self._told.set()

    async def wait(self, text: str) -> None:
        if self._answers_at and self._now >= self._answers_at:
            self.tell()
        while not self._told.is_set():
            await asyncio.sleep(0.001)
