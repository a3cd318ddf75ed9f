"""The lexical judge: weighs words instead of asking a model, in any language, in milliseconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import MetricRefused
from ..text.encodable import encodable
from . import lexical_answers, lexical_grounds, lexical_retrieval
from .base import BaseJudge, Line, Message, Question, Said

TASKS: dict[str, Callable[[Mapping[str, Any]], dict[str, object]]] = {
    "chunk_relevance": lexical_retrieval.chunk_relevance,
    "context_relevancy": lexical_answers.context_relevancy,
    "context_sufficiency": lexical_grounds.context_sufficiency,
    "correctness": lexical_answers.correctness,
    "fact_check": lexical_grounds.fact_check,
    "groundedness": lexical_grounds.groundedness,
    "groundedness[yes_no]": lexical_grounds.groundedness_yes_no,
    "relevance": lexical_answers.relevance,
    "relevance_to_query": lexical_answers.relevance_to_query,
    "retrieval": lexical_retrieval.retrieval,
    "similarity": lexical_answers.similarity,
}
"""What the lexical judge can judge: from a question's inputs to its reply as JSON values."""


class LexicalJudge(BaseJudge):
    """A judge without a model: no key, no network, no download, the same answer every time.

    It compares the words of the response with those of the documents, the query or the expected
    answer, so that it sees what is missing, changed or negated, and understands neither
    paraphrase nor inference. It judges what can be told from that (``TASKS``): groundedness,
    sufficiency and correctness fairly, relevance and retrieval roughly, since a text that has the
    words of a question may still not answer it. Other metrics, such as coherence, fluency and
    safety, it refuses with ``MetricRefused``.
    """

    name = "lexical"
    is_llm = False

    def connect(self, timeout: float, notice: Callable[[str], None]) -> Line:
        """A line that answers at once; ``timeout`` and ``notice`` have no use here."""
        return _LexicalLine()


class _LexicalLine:
    async def close(self) -> None:
        """Nothing to give up."""

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        """Answer from ``question.inputs``; what the messages say makes no difference."""
        task = TASKS.get(question.task)
        if task is None:
            raise MetricRefused(
                f"{_called(question.task)}: set an LLM judge with --llm-eval-model; "
                f"the lexical judge answers only {', '.join(TASKS)}"
            )
        if "+@" in question.rubric:  # a digest of what is not the prompt that ships
            raise MetricRefused(
                f"{question.task}: its prompt is changed ({question.rubric}), and the lexical "
                "judge reads no prompts: set an LLM judge with --llm-eval-model, or leave its "
                "prompt as it is (--llm-eval-rubric and the hook for rubrics)"
            )
        inputs = {name: _carried(value) for name, value in question.inputs.items()}
        return Said(text=json.dumps(task(inputs), ensure_ascii=False))


def _called(task: str) -> str:
    """What ``task`` asks, where it is a metric that is answered in another form."""
    metric = task.partition("/")[0]
    return f"{metric} in this form ({task})" if metric in TASKS and task != metric else task


def _carried(value: Any) -> Any:
    """``value`` with U+FFFD for lone surrogates, which no reply can carry."""
    if isinstance(value, str):
        return encodable(value)
    return [*map(_carried, value)] if isinstance(value, list | tuple) else value
