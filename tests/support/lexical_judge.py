"""What the lexical judge says, as the object that its reply is."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pytest_llmeval.judges.base import Question
from pytest_llmeval.judges.lexical import LexicalJudge
from pytest_llmeval.judges.reply import Reply


def asked(task: str, **inputs: object) -> Any:
    """The reply to the question ``task`` about ``inputs``."""
    question = Question(task, (), Reply, inputs)
    line = LexicalJudge().connect(timeout=1, notice=pytest.fail)
    return json.loads(asyncio.run(line.say(question, question.messages)).text)


def judged(response: str, *documents: str, query: str | None = None) -> Any:
    """How grounded ``response`` is in ``documents``."""
    return asked("groundedness", response=response, documents=list(documents), query=query)
