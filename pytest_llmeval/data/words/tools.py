"""Tools: whose words a row is in, by the names that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache

from .deepeval import DELIMITER, MEANT, is_test_case


@dataclass(frozen=True)
class Tool:
    """One tool's way to write a case.

    ``is_it`` tells it by the names of a row in snake case. ``meant`` are the names that mean
    something else to it than to others: a field, or None for what no field is for. ``keeps_trace``
    says that the row itself is a trace; ``expects`` that ``outputs`` holds the reference answer.
    ``remarks`` is what people ought to be told where a name is metadata, ``when_empty`` where its
    list is empty. ``delimiter`` is what joins the texts of a list in a cell; ``refers_to_files``
    says that a value may be the address of a file.
    """

    name: str
    is_it: Callable[[Set[str]], bool]
    meant: Mapping[str, str | None] = field(default_factory=dict)
    keeps_trace: bool = False
    expects: bool = False
    remarks: Mapping[str, str] = field(default_factory=dict)
    when_empty: Mapping[str, str] = field(default_factory=dict)
    delimiter: str = ""
    refers_to_files: bool = False


def _any_of(*names: str) -> Callable[[Set[str]], bool]:
    return lambda given: not given.isdisjoint(names)


def _nested(given: Set[str], *names: str) -> bool:
    """Whether one of the objects ``names`` is there, as an object or as columns of its own."""
    return any(name in names or name.partition(".")[0] in names for name in given)


_EXAMPLE = frozenset(("dataset_id", "source_run_id", "modified_at", "attachments"))
_RAGAS = frozenset(
    [
        "user_input",
        "retrieved_contexts",
        "reference_contexts",
        "retrieved_context_ids",
        "ground_truths",
    ]
)
_DATABRICKS = frozenset(
    [
        "request",
        "retrieved_context",
        "expected_response",
        "expected_retrieved_context",
        "request_id",
    ]
)


def _is_example(given: Set[str]) -> bool:
    beside = _nested(given, "expectations", "reference_outputs")
    unmistakable = not _EXAMPLE.isdisjoint(given) or {"id", "created_at"} <= given
    return _nested(given, "inputs") and not beside and unmistakable


def _is_promptfoo(given: Set[str]) -> bool:
    return _nested(given, "vars") or any(name.startswith("__expected") for name in given)


def _is_older_ragas(given: Set[str]) -> bool:
    return "contexts" in given and "question" in given


_NO_DOCUMENT = (
    "an empty dataList says that nothing was retrieved; Spring's fact check, whose document is "
    'the userText, is read by fields={"userText": "context"}'
)
_NOT_RUN = "its assertions are not run: say in the test what to check"

TOOLS = (
    Tool(
        "Spring AI evaluation request",
        _any_of("user_text", "data_list", "response_content"),
        when_empty={"data_list": _NO_DOCUMENT},
    ),
    Tool(
        "LangSmith run",
        lambda given: {"run_type", "inputs"} <= given,
        keeps_trace=True,
    ),
    Tool("LangSmith", lambda given: _nested(given, "reference_outputs")),
    Tool("LangSmith example", _is_example, expects=True),
    Tool("MLflow evaluation set", lambda given: _nested(given, "inputs", "expectations")),
    Tool(
        "promptfoo test",
        _is_promptfoo,
        refers_to_files=True,
        remarks=dict.fromkeys(("assert", "__expected"), _NOT_RUN),
    ),
    Tool("Ragas sample", lambda given: not _RAGAS.isdisjoint(given)),
    Tool("Ragas sample, older names", _is_older_ragas),
    Tool(
        "DeepEval test case",
        is_test_case,
        MEANT,
        delimiter=DELIMITER,
        remarks={"context": "its context is the ideal one, not what was retrieved"},
    ),
    Tool("Databricks evaluation set", lambda given: not _DATABRICKS.isdisjoint(given)),
    Tool("Azure conversation", _any_of("conversation")),
    Tool("Azure, older names", lambda given: {"question", "answer"} <= given),
)
"""In the order in which they are told apart: what only one tool has comes first."""

OWN = Tool("", lambda given: True)


@lru_cache(1024)
def tool_of(names: frozenset[str]) -> Tool:
    """Whose words ``names`` are; ``OWN`` where they are nobody's in particular."""
    return next((tool for tool in TOOLS if tool.is_it(names)), OWN)
