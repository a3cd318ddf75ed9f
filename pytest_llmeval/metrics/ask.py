"""How a metric asks its judge, and what of the run's settings it may know."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..judges.base import BaseJudge, Question, ReplyT

if TYPE_CHECKING:
    from .rubrics import Rubrics


class Ask(Protocol):
    """How a metric asks: one question in, one validated reply out; an ``EvalError`` otherwise."""

    @property
    def judge(self) -> BaseJudge:
        """Who is asked. Raises ``NoJudge`` where none is set."""
        ...

    @property
    def reason_language(self) -> str:
        """The language in which reasons are written."""
        ...

    @property
    def rubrics(self) -> Rubrics:
        """What the run puts in the place of built-in rubrics, or after them."""
        ...

    @property
    def guidelines(self) -> tuple[str, ...]:
        """Rules in plain words that hold for every case of the run."""
        ...

    @property
    def wordnet(self) -> Path | None:
        """Where WordNet is, if the user says so."""
        ...

    async def __call__(self, question: Question[ReplyT]) -> ReplyT: ...
