"""LangSmith's runs as JSON: a tree of runs, or a list of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import CaseError
from ..tool_calls import ToolCall
from .documents import documents_in
from .messages import asked_in, calls_in, said_in
from .span import Kind, Span
from .trace import Trace, trace_of
from .values import (
    arguments_in,
    decoded,
    first_count,
    listed,
    mapping,
    nanoseconds,
    plain,
    tool_name,
)

_KINDS = {
    "llm": Kind.LLM,
    "retriever": Kind.RETRIEVER,
    "tool": Kind.TOOL,
    "embedding": Kind.EMBEDDING,
}


def is_run(given: object) -> bool:
    """Whether ``given`` is a run of LangSmith."""
    return isinstance(given, Mapping) and "run_type" in given


def of_runs(runs: Sequence[Mapping[str, Any]]) -> Trace:
    """The trace of ``runs``, each with its ``child_runs`` or naming its ``parent_run_id``.

    Raises ``CaseError`` for runs of several traces, and for a child that is no run.
    """
    waiting: list[tuple[Any, str | None]] = [(run, None) for run in runs]
    spans: list[Span] = []
    traces: set[str] = set()
    met: set[int] = set()
    for run, parent in waiting:  # it grows meanwhile
        if not isinstance(run, Mapping):
            raise CaseError(f"trace: expected runs, got {type(run).__name__} among them")
        if id(run) in met:
            raise CaseError("trace: one of its runs stands in several places")
        met.add(id(run))
        name = str(run.get("id") or f"run {len(spans) + 1}")
        spans.append(_span(run, name, parent or _text(run.get("parent_run_id"))))
        traces |= {str(run["trace_id"])} if run.get("trace_id") is not None else set()
        waiting += [(child, name) for child in listed(run.get("child_runs"))]
    if len(traces) > 1:
        raise CaseError(f"trace: expected the runs of one trace, got those of {len(traces)}")
    return trace_of(spans)


def _span(run: Mapping[str, Any], name: str, parent: str | None) -> Span:
    kind = _KINDS.get(str(run.get("run_type")), Kind.OTHER)
    inputs, outputs = run.get("inputs"), run.get("outputs")
    input_tokens, output_tokens = (None, None) if kind is Kind.EMBEDDING else _tokens(run)
    return Span(
        id=name,
        parent=parent,
        kind=kind,
        start=nanoseconds(run.get("start_time")),
        end=nanoseconds(run.get("end_time")),
        query=asked_in(inputs),
        said=said_in(outputs, inputs if kind is Kind.LLM else None),
        documents=documents_in(outputs) if kind is Kind.RETRIEVER else None,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        call=_call(run) if kind is Kind.TOOL else None,
        asked_for=calls_in(outputs) if kind is Kind.LLM else (),
    )


def _tokens(run: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The tokens that ``run`` tells, in one of the places where they may stand."""
    for given in _usages(run):
        found = (
            first_count(given, ("input_tokens", "prompt_tokens")),
            first_count(given, ("output_tokens", "completion_tokens")),
        )
        if found != (None, None):
            return found
    return (None, None)


def _usages(run: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    outputs = mapping(run.get("outputs"))
    yield mapping(run.get("usage_metadata"))
    yield mapping(outputs.get("usage_metadata"))
    yield mapping(mapping(mapping(run.get("extra")).get("metadata")).get("usage_metadata"))
    first = outputs.get("generations")
    while isinstance(first, list) and first:
        first = first[0]
    message = mapping(mapping(first).get("message"))
    yield mapping(mapping(message.get("kwargs", message)).get("usage_metadata"))
    yield mapping(mapping(outputs.get("llm_output")).get("token_usage"))
    yield mapping(outputs.get("usage"))
    # LangSmith counts 0 here where a run tells nothing.
    totals = ("prompt_tokens", "completion_tokens")
    yield {name: run.get(name) for name in totals} if any(map(run.get, totals)) else {}


def _call(run: Mapping[str, Any]) -> ToolCall:
    outputs = decoded(run.get("outputs"))
    if isinstance(outputs, Mapping) and [*outputs] == ["output"]:
        outputs = outputs["output"]
    return ToolCall(
        tool_name(run.get("name")),
        arguments_in(run.get("inputs")),
        result=plain(decoded(outputs)),
        error=_text(run.get("error")),
    )


def _text(value: Any) -> str | None:
    return str(value) if value else None
