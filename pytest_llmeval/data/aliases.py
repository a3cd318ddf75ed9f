"""Names: what other tools call the fields of a case, and which known name was meant by another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

ALIASES: Mapping[str, str] = {
    "question": "query",
    "request": "query",
    "input": "query",
    "user_input": "query",
    "user_text": "query",
    "answer": "response",
    "output": "response",
    "actual_output": "response",
    "response_content": "response",
    "retrieved_context": "context",
    "retrieved_contexts": "context",
    "retrieval_context": "context",
    "documents": "context",
    "contexts": "context",
    "data_list": "context",
    "expected_response": "ground_truth",
    "expected_output": "ground_truth",
    "expected_answer": "ground_truth",
    "reference": "ground_truth",
    "reference_answer": "ground_truth",
    "ground_truths": "ground_truth",
    "expected_retrieved_context": "expected_context",
    "reference_context_ids": "expected_context",
    "request_id": "id",
    "conversation": "messages",
    "turns": "messages",
    "tool_calls": "tools_called",
    "expected_tool_calls": "expected_tools",
    "reference_tool_calls": "expected_tools",
}
"""From another tool's name (Azure AI evaluation, MLflow, Spring AI, …) to the field that it is.

Files and calls take them alike; ``Case`` itself refuses them with a hint at the right one.
"""

_TELLING = 3
"""How many letters of a name tell which one is meant."""


def closest(name: str, known: Iterable[str]) -> str:
    """``: did you mean 'context'?`` for the known name nearest to ``name``, or all of them.

    One that begins with ``name`` is nearer than any that is merely spelled like it.
    """
    names = list(known)
    nearest = ALIASES.get(name.lower())
    if nearest not in names:
        begun = [each for each in names if len(name) >= _TELLING and each.startswith(name.lower())]
        similar = get_close_matches(name.lower(), names, n=1, cutoff=0.6)
        nearest = next(iter([*sorted(begun, key=len)[:1], *similar]), None)
    if nearest:
        return f": did you mean {nearest!r}?"
    return f": known are {', '.join(names)}"
