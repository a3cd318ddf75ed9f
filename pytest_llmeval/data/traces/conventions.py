"""The names that attributes of spans have: OpenTelemetry's for GenAI, OpenInference's, MLflow's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..documents import Document
from ..tool_calls import ToolCall
from .documents import documents_in
from .messages import asked_in, calls_in, said_in
from .span import Kind, Span
from .unflattened import unflattened
from .values import arguments_in, decoded, first_count, mapping, plain, tool_name

Attributes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RawSpan:
    """A span with its attributes as they were written; ``error`` is None where it ended well."""

    id: str
    parent: str | None
    name: str
    start: int | None
    end: int | None
    attributes: Attributes
    events: Sequence[tuple[str, Attributes]] = field(default=())
    error: str | None = None


_KINDS = {
    "llm": Kind.LLM,
    "chat_model": Kind.LLM,
    "chat": Kind.LLM,
    "completion": Kind.LLM,
    "text_completion": Kind.LLM,
    "generate_content": Kind.LLM,
    "response": Kind.LLM,
    "retriever": Kind.RETRIEVER,
    "retrieval": Kind.RETRIEVER,
    "reranker": Kind.RERANKER,
    "tool": Kind.TOOL,
    "execute_tool": Kind.TOOL,
    "embedding": Kind.EMBEDDING,
    "embeddings": Kind.EMBEDDING,
}
_KIND_NAMES = (
    "mlflow.spanType",
    "openinference.span.kind",
    "gen_ai.operation.name",
    "traceloop.span.kind",
    "llm.request.type",
)
_INPUT_TOKENS = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
    "input_tokens",
    "prompt_tokens",
)
_OUTPUT_TOKENS = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
    "output_tokens",
    "completion_tokens",
)
_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt", "mlflow.spanInputs", "input.value")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "mlflow.spanOutputs", "output.value")
_COVERS = ("traceloop.entity.input", "traceloop.entity.output")
_LISTED_INPUTS = ("llm.input_messages", "gen_ai.prompt")
_LISTED_OUTPUTS = ("llm.output_messages", "gen_ai.completion")
_DOCUMENTS = ("gen_ai.retrieval.documents", "mlflow.spanOutputs", "output.value")
_LISTED_DOCUMENTS = ("retrieval.documents", "reranker.output_documents")
_ARGUMENTS = (
    "gen_ai.tool.call.arguments",
    "mlflow.spanInputs",
    "input.value",
    "tool.parameters",
    "tool_arguments",
)
_RESULTS = ("gen_ai.tool.call.result", "mlflow.spanOutputs", "output.value", "tool_response")


_NOBODY = re.compile(r"(0x)?0*|A*=*")
"""The id of no span, zeros, also in base64: so some exporters say that a span has no parent."""


def span_of(raw: RawSpan) -> Span:
    """What the attributes of ``raw`` say, under whichever names."""
    given = {**dict(_of_events(raw.events)), **raw.attributes}
    kind = _kind(given)
    inputs = _value(given, (*_INPUTS, _COVERS[0]), _LISTED_INPUTS)
    outputs = _value(given, (*_OUTPUTS, _COVERS[1]), _LISTED_OUTPUTS)
    tokens = (None, None) if kind is Kind.EMBEDDING else _tokens(given, outputs)
    return Span(
        id=raw.id,
        parent=None if _NOBODY.fullmatch(raw.parent or "") else raw.parent,
        kind=kind,
        start=raw.start,
        end=raw.end,
        query=asked_in(inputs),
        said=said_in(outputs, inputs if kind is Kind.LLM else None),
        documents=_documents(given, kind),
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        call=_call(raw, given) if kind is Kind.TOOL else None,
        asked_for=calls_in(outputs) if kind is Kind.LLM else (),
    )


def _kind(given: Attributes) -> Kind:
    named = [given[name] for name in _KIND_NAMES if isinstance(given.get(name), str)]
    for name in named:
        if (kind := _KINDS.get(name.lower())) is not None:
            return kind
    if named:
        return Kind.OTHER
    # Before operations had names, calls of tools and models were the only spans that named one.
    if "gen_ai.tool.name" in given:
        return Kind.TOOL
    return Kind.LLM if "gen_ai.request.model" in given else Kind.OTHER


def _value(given: Attributes, names: Sequence[str], lists: Sequence[str]) -> Any:
    """The first of ``lists``, told by an attribute for each of its fields, or of ``names``."""
    for name in lists:
        if found := unflattened(given, name):
            return found
    return next((given[name] for name in names if given.get(name) is not None), None)


def _tokens(given: Attributes, outputs: Any) -> tuple[int | None, int | None]:
    """The tokens that a span tells, last in the ``usage`` of what OpenAI's API gave."""
    for usage in (
        mapping(given.get("mlflow.chat.tokenUsage")),
        given,
        mapping(mapping(outputs).get("usage")),
    ):
        found = (first_count(usage, _INPUT_TOKENS), first_count(usage, _OUTPUT_TOKENS))
        if found != (None, None):
            return found
    return (None, None)


def _documents(given: Attributes, kind: Kind) -> tuple[Document, ...] | None:
    if kind not in (Kind.RETRIEVER, Kind.RERANKER):
        return None
    return documents_in(_value(given, (*_DOCUMENTS, _COVERS[1]), _LISTED_DOCUMENTS))


def _call(raw: RawSpan, given: Attributes) -> ToolCall:
    names = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
    named = (given[name] for name in names if isinstance(given.get(name), str))
    return ToolCall(
        tool_name(next(named, raw.name)),
        arguments_in(_value(given, (*_ARGUMENTS, _COVERS[0]), ())),
        result=plain(decoded(_value(given, (*_RESULTS, _COVERS[1]), ()))),
        error=raw.error,
    )


_EVENT_VALUES = ("gen_ai.prompt", "gen_ai.completion")
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def _of_events(events: Sequence[tuple[str, Attributes]]) -> Iterator[tuple[str, Any]]:
    """The attributes that older conventions put into events of a span."""
    asked: list[Any] = []
    said: list[Any] = []
    for name, given in events:
        if name == "gen_ai.choice":
            said.append({"role": "assistant", **mapping(given.get("message", given))})
        elif name in _EVENT_ROLES:
            asked.append({"role": _EVENT_ROLES[name], **given})
        elif name == "gen_ai.client.inference.operation.details":
            yield from given.items()
        yield from ((each, given[each]) for each in _EVENT_VALUES if each in given)
    if asked:
        yield "gen_ai.input.messages", asked
    if said:
        yield "gen_ai.output.messages", said
