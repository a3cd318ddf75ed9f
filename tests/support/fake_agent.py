"""One run of an agent that was never there, as each tracer would have written it.

It retrieves two documents, calls a model, then a tool, then the model again. Its root span repeats
the tokens of its steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext, set_span_in_context

from pytest_llmeval import Document, ToolCall, Trace

QUERY = "Which tent is the most waterproof, and is it in stock?"
ANSWER = "The Alpine. Three are in stock."
DOCUMENTS = (
    Document(id="alpine", content="The Alpine withstands 3000 mm."),
    Document(id="dune", content="The Dune withstands 1500 mm."),
)
CALL = ToolCall("stock", {"product": "Alpine"}, result={"count": 3})
TOLD = Trace(
    query=QUERY,
    response=ANSWER,
    documents=DOCUMENTS,
    input_tokens=250,
    output_tokens=50,
    seconds=2.5,
    tool_calls=(CALL,),
    llm_calls=2,
)

BEGAN = 1_750_000_000_000_000_000
"""In nanoseconds since the epoch."""


@dataclass(frozen=True)
class Step:
    """A span: its name, what it is, when it ran in milliseconds, and what it took and gave."""

    name: str
    kind: str
    since: int
    until: int
    inputs: Any
    outputs: Any
    tokens: tuple[int, int] | None = None


ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUERY}]
WANTS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "stock", "arguments": json.dumps(CALL.arguments)},
        }
    ],
}
GAVE = {"role": "tool", "tool_call_id": "c1", "content": json.dumps(CALL.result)}
SAID = {"role": "assistant", "content": ANSWER}

ROOT = Step("shop agent", "agent", 0, 2500, {"question": QUERY}, ANSWER, (250, 50))
STEPS = (
    Step("search", "retriever", 10, 200, {"query": "waterproof tent"}, DOCUMENTS),
    Step("chat small", "llm", 210, 1000, ASKED, WANTS, (100, 20)),
    Step("stock", "tool", 1010, 1200, CALL.arguments, CALL.result),
    Step("chat small", "llm", 1210, 2400, [*ASKED, WANTS, GAVE], SAID, (150, 30)),
)

Attributes = Callable[[Step], Mapping[str, Any]]


def _parts(message: Mapping[str, Any]) -> dict[str, Any]:
    """``message`` as the GenAI conventions have it."""
    parts: list[dict[str, Any]] = []
    if message["role"] == "tool":
        given = {"type": "tool_call_response", "id": "c1", "response": message["content"]}
        return {"role": "tool", "parts": [given]}
    if message["content"]:
        parts.append({"type": "text", "content": message["content"]})
    if "tool_calls" in message:
        call = {"type": "tool_call", "id": "c1", "name": CALL.name, "arguments": CALL.arguments}
        parts.append(call)
    return {"role": message["role"], "parts": parts}


def genai(step: Step) -> dict[str, Any]:
    """The attributes of the current conventions; retrieval is beyond them, so it is MLflow's."""
    if step.kind == "retriever":
        found = [{"id": each.id, "content": each.content, "score": 0.5} for each in step.outputs]
        documents = {"gen_ai.retrieval.documents": json.dumps(found)}
        return {"gen_ai.operation.name": "retrieval", **documents}
    if step.kind == "tool":
        return {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": step.name,
            "gen_ai.tool.call.arguments": json.dumps(step.inputs),
            "gen_ai.tool.call.result": json.dumps(step.outputs),
        }
    agent = step.kind == "agent"
    inputs = ASKED[1:] if agent else step.inputs
    outputs = SAID if agent else step.outputs
    return {
        "gen_ai.operation.name": "invoke_agent" if agent else "chat",
        "gen_ai.usage.input_tokens": step.tokens[0] if step.tokens else 0,
        "gen_ai.usage.output_tokens": step.tokens[1] if step.tokens else 0,
        "gen_ai.input.messages": json.dumps([_parts(each) for each in inputs]),
        "gen_ai.output.messages": json.dumps([_parts(outputs)]),
    }


def openinference(step: Step) -> dict[str, Any]:
    """The attributes of OpenInference, field by field."""
    given: dict[str, Any] = {"openinference.span.kind": step.kind.upper()}
    if step.kind == "retriever":
        for place, each in enumerate(step.outputs):
            given[f"retrieval.documents.{place}.document.id"] = each.id
            given[f"retrieval.documents.{place}.document.content"] = each.content
        return {**given, "input.value": "waterproof tent"}
    if step.kind == "llm":
        for place, message in enumerate(step.inputs):
            name = f"llm.input_messages.{place}.message"
            given |= {f"{name}.role": message["role"], f"{name}.content": message["content"] or ""}
        name = "llm.output_messages.0.message"
        given |= {f"{name}.role": "assistant", f"{name}.content": step.outputs["content"] or ""}
        for call in step.outputs.get("tool_calls", ()):
            name = f"{name}.tool_calls.0.tool_call.function"
            given |= {f"{name}.{key}": value for key, value in call["function"].items()}
    else:
        text = isinstance(step.outputs, str)
        given["input.value"] = json.dumps(step.inputs)
        given["output.value"] = step.outputs if text else json.dumps(step.outputs)
    if step.tokens:
        given["llm.token_count.prompt"], given["llm.token_count.completion"] = step.tokens
    return given


def older(step: Step) -> dict[str, Any]:
    """The attributes of earlier conventions and of OpenLLMetry; messages are events of spans."""
    if step.kind == "tool":
        return {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": step.name,
            "traceloop.entity.input": json.dumps(step.inputs),
            "traceloop.entity.output": json.dumps(step.outputs),
        }
    if step.kind == "retriever":
        return openinference(step)
    if step.kind == "agent":
        given = {"traceloop.entity.input": json.dumps(step.inputs)}
        return {**given, "traceloop.span.kind": "workflow", "traceloop.entity.output": ANSWER}
    assert step.tokens
    return {
        "gen_ai.request.model": "small",
        "gen_ai.usage.prompt_tokens": step.tokens[0],
        "gen_ai.usage.completion_tokens": step.tokens[1],
    }


def spans(attributes: Attributes, events: bool = False) -> tuple[ReadableSpan, ...]:
    """The run as ``opentelemetry-sdk`` keeps it in memory."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("shop")
    root = tracer.start_span(ROOT.name, attributes=attributes(ROOT), start_time=BEGAN)
    within = set_span_in_context(root)
    for step in STEPS:
        began, ended = (BEGAN + moment * 10**6 for moment in (step.since, step.until))
        span = tracer.start_span(step.name, within, attributes=attributes(step), start_time=began)
        if events and step.kind == "llm":
            for message in step.inputs:
                span.add_event(f"gen_ai.{message['role']}.message", {"content": message["content"]})
            span.add_event("gen_ai.choice", {"message": json.dumps(step.outputs)})
        span.end(ended)
    root.end(BEGAN + ROOT.until * 10**6)
    provider.shutdown()
    return exporter.get_finished_spans()


def _any_value(value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


def _context(span: ReadableSpan) -> SpanContext:
    context = span.get_span_context()
    assert context is not None
    return context


def otlp(attributes: Attributes) -> dict[str, Any]:
    """The run as OTLP writes it in JSON: ids in hexadecimal, 64-bit integers as text."""
    made = [
        {
            "traceId": f"{_context(span).trace_id:032x}",
            "spanId": f"{_context(span).span_id:016x}",
            "parentSpanId": f"{span.parent.span_id:016x}" if span.parent else "",
            "name": span.name,
            "startTimeUnixNano": str(span.start_time),
            "endTimeUnixNano": str(span.end_time),
            "attributes": [
                {"key": name, "value": _any_value(value)}
                for name, value in (span.attributes or {}).items()
            ],
            "status": {},
        }
        for span in spans(attributes)
    ]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": made}]}]}


_MLFLOW = {"agent": "AGENT", "retriever": "RETRIEVER", "llm": "CHAT_MODEL", "tool": "TOOL"}


def _mlflow_attributes(step: Step) -> dict[str, str]:
    outputs = step.outputs
    if step.kind == "retriever":
        outputs = [
            {"page_content": each.content, "metadata": {"doc_uri": each.id}, "id": None}
            for each in outputs
        ]
    if step.kind == "llm":
        outputs = {"choices": [{"index": 0, "message": outputs}]}
    inputs = {"messages": step.inputs} if step.kind == "llm" else step.inputs
    given: dict[str, Any] = {
        "mlflow.spanType": _MLFLOW[step.kind],
        "mlflow.spanInputs": inputs,
        "mlflow.spanOutputs": outputs,
    }
    if step.tokens:
        took, gave = step.tokens
        usage = {"input_tokens": took, "output_tokens": gave, "total_tokens": took + gave}
        given["mlflow.chat.tokenUsage"] = usage
    return {name: json.dumps(value) for name, value in given.items()}


def mlflow_2() -> dict[str, Any]:
    """The run as MLflow 2 writes it."""
    made: list[dict[str, Any]] = [
        {
            "name": step.name,
            "context": {"span_id": f"0x{place}", "trace_id": "0xa"},
            "parent_id": "0x0" if place else None,
            "start_time": BEGAN + step.since * 10**6,
            "end_time": BEGAN + step.until * 10**6,
            "status_code": "OK",
            "status_message": "",
            "attributes": _mlflow_attributes(step),
            "events": [],
        }
        for place, step in enumerate((ROOT, *STEPS))
    ]
    data = {"spans": made, "request": json.dumps(ROOT.inputs), "response": json.dumps(ANSWER)}
    return {"info": {"request_id": "r", "execution_time_ms": 2600, "status": "OK"}, "data": data}


def mlflow_3() -> dict[str, Any]:
    """The run as MLflow 3 writes it."""
    made: list[dict[str, Any]] = [
        {
            "trace_id": "oQ==",
            "span_id": f"b{place}==",
            "parent_span_id": "b0==" if place else "",
            "name": step.name,
            "start_time_unix_nano": BEGAN + step.since * 10**6,
            "end_time_unix_nano": BEGAN + step.until * 10**6,
            "events": [],
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "attributes": _mlflow_attributes(step),
        }
        for place, step in enumerate((ROOT, *STEPS))
    ]
    usage = json.dumps({"input_tokens": 250, "output_tokens": 50, "total_tokens": 300})
    info = {
        "trace_id": "tr-1",
        "state": "OK",
        "execution_duration": "2.5s",
        "trace_metadata": {"mlflow.trace.tokenUsage": usage},
    }
    return {"trace_info": info, "data": {"spans": made}}


def _lc(message: Mapping[str, Any]) -> dict[str, Any]:
    """``message`` as LangChain writes it."""
    names = {"system": "SystemMessage", "user": "HumanMessage", "tool": "ToolMessage"}
    name = names.get(message["role"], "AIMessage")
    kwargs: dict[str, Any] = {"content": message["content"] or ""}
    if "tool_calls" in message:
        kwargs["tool_calls"] = [{"name": CALL.name, "args": CALL.arguments, "id": "c1"}]
    return {"lc": 1, "type": "constructor", "id": ["langchain", "messages", name], "kwargs": kwargs}


def langsmith(times: str = "ISO") -> dict[str, Any]:
    """The run as LangSmith writes it, a tree."""
    runs = [_run(step, place, times) for place, step in enumerate((ROOT, *STEPS))]
    return {**runs[0], "child_runs": runs[1:]}


def _run(step: Step, place: int, times: str) -> dict[str, Any]:
    inputs, outputs = step.inputs, step.outputs
    if step.kind == "retriever":
        found = [{"page_content": e.content, "metadata": {"source": e.id}} for e in outputs]
        outputs = {"documents": [{**each, "type": "Document"} for each in found]}
    if step.kind == "llm":
        inputs = {"messages": [[_lc(each) for each in inputs]]}
        outputs = {"generations": [[{"text": outputs["content"] or "", "message": _lc(outputs)}]]}
    if step.kind == "tool":
        inputs, outputs = {"input": str(inputs)}, {"output": json.dumps(outputs)}
    if step.kind == "agent":
        outputs = {"output": outputs}
    tokens = step.tokens or (0, 0)
    return {
        "id": f"run-{place}",
        "trace_id": "run-0",
        "parent_run_id": "run-0" if place else None,
        "name": step.name,
        "run_type": "chain" if step.kind == "agent" else step.kind,
        "inputs": inputs,
        "outputs": outputs,
        "prompt_tokens": tokens[0],
        "completion_tokens": tokens[1],
        "start_time": _moment(step.since, times),
        "end_time": _moment(step.until, times),
        "error": None,
    }


def _moment(milliseconds: int, times: str) -> Any:
    if times == "ms":
        return BEGAN // 10**6 + milliseconds
    if times == "µs":
        return BEGAN // 10**3 + milliseconds * 1000
    second, rest = divmod(milliseconds, 1000)
    zone = {"ISO": "", "Z": "Z", "zone": "+00:00"}[times]
    # 2025-06-15T15:06:40 UTC is where the run begins.
    return f"2025-06-15T15:06:{40 + second:02d}.{rest:03d}000{zone}"
