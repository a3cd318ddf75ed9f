"""Lines of committed verdicts, of one judge's answers to one form of question."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from pytest_llmeval.judges.answers import FreeText, Rating, Reply
from pytest_llmeval.judges.base import Question, Said
from pytest_llmeval.judges.heard import answer_of, entry_of, question_key
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.judges.verdict_line import VerdictLine


class Grade(Reply):
    reason: FreeText
    score: Rating


def asked(text: str) -> Question[Grade]:
    return Question("grade", (("system", "Be fair."), ("user", text)), Grade)


def entry(text: str, said: str = '{"reason": "ok", "score": 4}') -> tuple[str, dict[str, Any]]:
    """What is kept of a question that says ``text``, and its key."""
    judge = Judge("openai/m")
    key = question_key(judge, asked(text))
    assert key is not None
    answer = answer_of(key, [Said(said, resolved_model="m-1", cost=0.5)], asked(text))
    return key, json.loads(json.dumps(entry_of(judge, asked(text), answer)))


def line(text: str, *tests: str, **how: Any) -> VerdictLine:
    key, kept = entry(text, **how)
    return VerdictLine(key, kept, tests or ("test_it",))


def sealed(head: str) -> str:
    """The line that begins with ``head``, up to its key, and the digest that fits."""
    return f'{head}, "digest": "{sha256(head.encode()).hexdigest()}"}}'


def resealed(text: str, old: str, new: str) -> str:
    """``text`` with a change and the digest that then fits."""
    return sealed(text.replace(old, new).rpartition(', "digest"')[0])
