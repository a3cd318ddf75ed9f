"""Traces: the same run tells the same, whoever wrote it down; and what can't be read says so."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import fake_agent as agent
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmeval import CaseError, ToolCall, Trace, read_trace
from pytest_llmeval.data.traces.span import Kind, Span
from pytest_llmeval.data.traces.trace import trace_of
from pytest_llmeval.data.traces.values import nanoseconds


class Written:
    """A trace as tools' own classes give it: by a method."""

    def __init__(self, name: str, value: object) -> None:
        setattr(self, name, lambda: value)


def flat_runs() -> list[dict[str, Any]]:
    """LangSmith's runs as its client lists them: the last first."""
    root = agent.langsmith()
    return [*reversed(root.pop("child_runs")), root]


FORMATS: dict[str, Callable[[], object]] = {
    "spans in memory": lambda: agent.spans(agent.genai),
    "OpenInference in memory": lambda: agent.spans(agent.openinference),
    "older conventions in memory": lambda: agent.spans(agent.older, events=True),
    "printed spans": lambda: [span.to_json() for span in agent.spans(agent.genai)],
    "printed spans, read": lambda: [
        json.loads(span.to_json()) for span in agent.spans(agent.openinference)
    ],
    "OTLP": lambda: agent.otlp(agent.genai),
    "OTLP text": lambda: json.dumps(agent.otlp(agent.openinference)),
    "OTLP, several messages": lambda: [agent.otlp(agent.genai)],
    "MLflow 2": agent.mlflow_2,
    "MLflow 2 text": lambda: json.dumps(agent.mlflow_2()),
    "MLflow 3": agent.mlflow_3,
    "MLflow 3, by REST": lambda: {
        "trace": {
            "trace_info": agent.mlflow_3()["trace_info"],
            "spans": agent.mlflow_3()["data"]["spans"],
        }
    },
    "MLflow object": lambda: Written("to_dict", agent.mlflow_3()),
    "MLflow object, JSON": lambda: Written("to_json", json.dumps(agent.mlflow_2())),
    "LangSmith": agent.langsmith,
    "LangSmith with zones": lambda: agent.langsmith("zone"),
    "LangSmith in UTC": lambda: agent.langsmith("Z"),
    "LangSmith in ms": lambda: agent.langsmith("ms"),
    "LangSmith in µs": lambda: agent.langsmith("µs"),
    "LangSmith list": flat_runs,
    "LangSmith object": lambda: Written("model_dump", agent.langsmith()),
    "a trace that was read": lambda: agent.TOLD,
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_run_tells_the_same_in_every_format(name: str) -> None:
    assert read_trace(FORMATS[name]()) == agent.TOLD


def test_without_spans_of_tools_the_calls_that_the_model_asked_for_count() -> None:
    for trace in (agent.otlp(agent.genai), agent.otlp(agent.openinference)):
        spans = trace["resourceSpans"][0]["scopeSpans"][0]["spans"]
        spans[:] = [span for span in spans if span["name"] != "stock"]
        assert read_trace(trace).tool_calls == (ToolCall("stock", {"product": "Alpine"}),)
    run = agent.langsmith()
    run["child_runs"] = [each for each in run["child_runs"] if each["run_type"] != "tool"]
    assert read_trace(run).tool_calls == (ToolCall("stock", {"product": "Alpine"}),)


USER, SAID = {"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}
OLD, NEW = {"role": "user", "content": "Old?"}, {"role": "assistant", "content": "Old."}


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ("Why?", "So."),
        ({"question": "Why?", "top": 3, "language": "en"}, {"answer": "So.", "source": "d"}),
        ({"anything": "Why?"}, {"else": "So.", "score": 1}),
        ({"messages": [OLD, NEW, USER]}, {"messages": [OLD, NEW, USER, SAID]}),
        ([OLD, NEW, USER], [SAID]),
        ({"model_input": [OLD, NEW, USER]}, {"choices": [{"message": SAID}, {"message": NEW}]}),
        ({"request": {"messages": [USER]}}, {"response": {"choices": [{"message": SAID}]}}),
        (
            {"input": [{"role": "user", "content": [{"type": "input_text", "text": "Why?"}]}]},
            {
                "output": [
                    {"type": "reasoning", "summary": []},
                    {"type": "message", "content": [{"type": "output_text", "text": "So."}]},
                ]
            },
        ),
        (
            {"contents": [{"role": "user", "parts": [{"text": "Why?"}]}]},
            {"contents": [{"role": "model", "parts": [{"text": "So."}]}], "messages": SAID},
        ),
        (
            {"messages": [{"type": "human", "data": {"content": "Why?"}}]},
            {"generations": [[{"text": "So.", "generation_info": None}]]},
        ),
        ({"messages": [{"type": "human", "content": "Why?"}]}, {"type": "ai", "content": "So."}),
        (json.dumps({"query": "Why?"}), json.dumps({"result": "So."})),
        (
            {"prompt": [{**USER, "content": [{"type": "image_url"}, {"text": "Why?"}]}]},
            {"message": {"role": "assistant", "content": ["So."]}},
        ),
    ],
)
def test_query_and_response_are_found_in_what_apps_take_and_give(
    inputs: object, outputs: object
) -> None:
    run = {"run_type": "chain", "inputs": inputs, "outputs": outputs}
    told = read_trace(run)
    assert (told.query, told.response) == ("Why?", "So.")
    attributes = {
        "mlflow.spanInputs": json.dumps(inputs),
        "mlflow.spanOutputs": json.dumps(outputs),
    }
    told = read_trace({"info": {}, "data": {"spans": [{"attributes": attributes}]}})
    assert (told.query, told.response) == ("Why?", "So.")


@pytest.mark.parametrize("value", [None, 3, {}, [], {"a": "x", "b": "y"}, [USER, 3], {"query": []}])
def test_what_says_nothing_is_not_made_up(value: Any) -> None:
    outputs = value if value != [USER, 3] else [SAID, 3]
    told = read_trace({"run_type": "chain", "inputs": value, "outputs": outputs})
    if value == [USER, 3]:
        assert (told.query, told.response) == ("Why?", "So.")
    else:
        assert (told.query, told.response) == (None, None)


def test_the_tokens_that_a_provider_answered_with_are_counted() -> None:
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    attributes = {
        "mlflow.spanType": '"LLM"',
        "mlflow.spanOutputs": json.dumps({"choices": [{"message": SAID}], "usage": usage}),
    }
    told = read_trace({"info": {}, "data": {"spans": [{"attributes": attributes}]}})
    assert (told.input_tokens, told.output_tokens, told.llm_calls) == (7, 3, 1)
    for place in (
        {"usage_metadata": {"input_tokens": 7, "output_tokens": 3}},
        {"extra": {"metadata": {"usage_metadata": {"input_tokens": 7, "output_tokens": 3}}}},
        {"outputs": {"usage_metadata": {"input_tokens": 7, "output_tokens": 3}}},
        {"outputs": {"llm_output": {"token_usage": usage}}},
        {"outputs": {"usage": usage}},
        usage,
    ):
        told = read_trace({"run_type": "llm", **place})
        assert (told.input_tokens, told.output_tokens) == (7, 3)


def structured(value: Any) -> dict[str, Any]:
    """``value`` as an OTLP ``AnyValue``, not as JSON text."""
    if isinstance(value, dict):
        pairs = [{"key": name, "value": structured(each)} for name, each in value.items()]
        return {"kvlistValue": {"values": pairs}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [structured(each) for each in value]}}
    kind = {str: "stringValue", int: "intValue", float: "doubleValue", bool: "boolValue"}
    return {kind[type(value)]: str(value) if type(value) is int else value}


def test_structured_attributes_of_otlp_are_read_on_spans_and_in_events() -> None:
    answer = {"role": "assistant", "parts": [{"type": "text", "content": "So."}]}
    asks = {"type": "tool_call", "name": "stock", "arguments": {"n": 1, "all": True, "at": [0.5]}}
    given = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": [{**USER, "parts": [{"type": "text", "content": "Why?"}]}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": [asks]}, answer],
        "gen_ai.usage.input_tokens": 7,
    }
    attributes = [{"key": name, "value": structured(value)} for name, value in given.items()]
    event = {"name": "gen_ai.client.inference.operation.details", "attributes": attributes}
    for span in (
        {"attributes": attributes},
        {"attributes": attributes[:1], "events": [event]},
    ):
        message = {"resource_spans": [{"scope_spans": [{"spans": [span]}]}]}
        told = read_trace(json.dumps(message).encode())
        call = ToolCall("stock", {"n": 1, "all": True, "at": [0.5]})
        assert told == Trace("Why?", "So.", None, 7, None, None, (call,), 1)


@pytest.mark.parametrize(
    ("inputs", "arguments"),
    [
        ({"city": "Berne"}, {"city": "Berne"}),
        ({"input": "{'city': 'Berne', 'days': None}"}, {"city": "Berne", "days": None}),
        ({"input": '{"city": "Berne"}'}, {"city": "Berne"}),
        ({"input": "Berne"}, {"input": "Berne"}),
        ({"input": "{'city': open('/etc')}"}, None),
        ('{"city": ', None),
        ({}, {}),
        (None, None),
        (3, None),
    ],
)
def test_arguments_of_a_tool_are_read_as_they_were_written(
    inputs: object, arguments: dict[str, Any] | None
) -> None:
    told = read_trace({"run_type": "tool", "name": "weather", "inputs": inputs})
    assert told.tool_calls == (ToolCall("weather", arguments),)


def test_the_calls_that_a_model_asks_for_are_read_in_other_forms() -> None:
    function = {"name": "stock", "arguments": ""}
    for said in (
        {"role": "assistant", "additional_kwargs": {"tool_calls": [{"function": function}]}},
        {"role": "assistant", "content": [{"type": "tool_use", "name": "stock", "input": {}}]},
        {"output": [{"type": "function_call", **function}, {"type": "reasoning"}]},
        {"messages": [{"role": "assistant", "tool_calls": [{"name": "stock", "args": {}}, {}]}]},
    ):
        told = read_trace({"run_type": "llm", "outputs": said})
        assert told.tool_calls == (ToolCall("stock", {}),)


def test_a_span_whose_operation_has_no_name_is_known_by_what_it_names() -> None:
    tool = {
        "gen_ai.tool.name": "stock",
        "tool_arguments": '{"product": "Alpine"}',
        "tool_response": '{"count": 3}',
    }
    model = {"gen_ai.request.model": "small", "gen_ai.usage.input_tokens": 5}
    other = {"gen_ai.operation.name": "invoke_agent", **model}
    spans = [
        {"context": {"trace_id": "0x1", "span_id": f"0x{place}"}, "attributes": attributes}
        for place, attributes in enumerate((tool, model, other))
    ]
    told = read_trace(spans)
    assert (told.tool_calls, told.llm_calls, told.input_tokens) == ((agent.CALL,), 1, 5)


def test_a_tool_that_failed_says_why() -> None:
    run = agent.langsmith()
    run["child_runs"][2] |= {"outputs": None, "error": "out of reach"}
    call = ToolCall("stock", {"product": "Alpine"}, error="out of reach")
    assert read_trace(run).tool_calls == (call,)
    trace = agent.mlflow_3()
    trace["data"]["spans"][3]["status"] = {"code": "STATUS_CODE_ERROR", "message": "out of reach"}
    assert read_trace(trace).tool_calls[0].error == "out of reach"


def test_the_root_that_says_nothing_leaves_it_to_the_model() -> None:
    trace = agent.mlflow_3()
    root = trace["data"]["spans"][0]["attributes"]
    del root["mlflow.spanInputs"], root["mlflow.spanOutputs"]
    assert read_trace(trace) == agent.TOLD


def test_a_trace_without_an_end_has_no_latency_and_one_without_tokens_no_count() -> None:
    trace = agent.mlflow_3()
    trace["data"]["spans"][0]["end_time_unix_nano"] = None
    assert read_trace(trace) == replace(agent.TOLD, seconds=None)
    run = agent.langsmith()
    for each in (run, *run["child_runs"]):
        each |= {"prompt_tokens": 0, "completion_tokens": 0}
    assert read_trace(run) == replace(agent.TOLD, input_tokens=None, output_tokens=None)


def test_mlflow_numbers_spans_of_one_name_and_its_tools_keep_theirs() -> None:
    trace = agent.mlflow_2()
    spans = trace["data"]["spans"]
    again = deepcopy(spans[3])
    again["context"]["span_id"] = "0x9"
    spans[3]["name"], again["name"] = "stock_1", "stock_2"
    spans.append(again)
    assert [call.name for call in read_trace(trace).tool_calls] == ["stock", "stock"]
    del spans[-1]
    assert [call.name for call in read_trace(trace).tool_calls] == ["stock_1"]


def test_what_mlflow_tells_of_the_whole_trace_stands_in_for_its_spans() -> None:
    info = {
        "execution_time_ms": 1500,
        "request_metadata": {
            "mlflow.traceInputs": '{"question": "How long?"}',
            "mlflow.traceOutputs": '"Two years."',
            "mlflow.trace.tokenUsage": '{"input_tokens": 9, "output_tokens": 4}',
        },
    }
    told = Trace("How long?", "Two years.", None, 9, 4, 1.5)
    assert read_trace({"info": info, "data": {"spans": []}}) == told
    listed = [{"key": key, "value": value} for key, value in info["request_metadata"].items()]  # type: ignore[attr-defined]
    rest = {"trace_metadata": listed, "execution_duration": "1.5s"}
    assert read_trace({"trace_info": rest, "spans": []}) == told


def span(name: str, under: str | None = None, kind: Kind = Kind.LLM, **told: Any) -> Span:
    return Span(name, under, kind, **told)


def tokens(*spans: Span) -> tuple[int | None, int | None, int]:
    trace = trace_of(spans)
    return trace.input_tokens, trace.output_tokens, trace.llm_calls


def test_tokens_are_counted_once_and_are_unknown_where_a_call_does_not_tell() -> None:
    agent_span = span("a", kind=Kind.OTHER, input_tokens=30, output_tokens=3)
    one = span("1", "a", input_tokens=10, output_tokens=1)
    two = span("2", "a", input_tokens=20, output_tokens=2)
    silent = span("3", "a")
    wrapper = span("w", "a", input_tokens=20, output_tokens=2)
    assert tokens(one, two) == (30, 3, 2)
    assert tokens(agent_span, one, two) == (30, 3, 2)
    assert tokens(agent_span) == (30, 3, 0)
    assert tokens(one, silent) == (None, None, 2)
    assert tokens(agent_span, one, silent) == (30, 3, 2)
    assert tokens(agent_span, one, wrapper, replace(two, parent="w")) == (30, 3, 2)
    assert tokens(one, wrapper, replace(silent, parent="w")) == (30, 3, 2)
    assert tokens(one, span("w", "a"), replace(two, parent="w")) == (30, 3, 2)
    embedding = span("e", "a", Kind.EMBEDDING)
    assert tokens(one, embedding) == (10, 1, 1)
    assert tokens(one, replace(two, output_tokens=None)) == (30, None, 2)
    assert trace_of([one, silent], told=(40, 4)).input_tokens == 40
    inside_a_tool = span("t", "a", Kind.TOOL, call=ToolCall("sub"))
    assert tokens(one, inside_a_tool, replace(two, parent="t")) == (30, 3, 2)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 99)), min_size=1, max_size=9))
def test_agents_that_repeat_the_sum_of_their_steps_change_nothing(
    calls: list[tuple[int, int]],
) -> None:
    leaves = [
        span(f"l{place}", f"a{under}", input_tokens=count, output_tokens=1)
        for place, (under, count) in enumerate(calls)
    ]
    total = sum(count for _, count in calls)
    agents = [
        span(
            f"a{place}",
            f"a{place - 1}" if place else None,
            Kind.OTHER,
            input_tokens=sum(count for under, count in calls if under >= place),
            output_tokens=7,
        )
        for place in range(9)
    ]
    assert tokens(*agents, *leaves) == (total, len(calls), len(calls))


def test_documents_are_those_of_the_outer_retriever_and_of_what_a_reranker_left() -> None:
    first, second = agent.DOCUMENTS
    outer = span("o", kind=Kind.RETRIEVER, documents=(second,), start=5)
    inner = span("i", "o", Kind.RETRIEVER, documents=agent.DOCUMENTS, start=6)
    other = span("p", kind=Kind.RETRIEVER, documents=(second, first), start=1)
    assert trace_of([outer, inner]).documents == (second,)
    assert trace_of([replace(outer, documents=()), inner]).documents == agent.DOCUMENTS
    assert trace_of([outer, other]).documents == (second, first)
    left = span("r", kind=Kind.RERANKER, documents=(first,), start=9)
    assert trace_of([other, left]).documents == (first,)


def test_a_tool_within_the_span_of_the_same_tool_is_one_call() -> None:
    outer = span("o", kind=Kind.TOOL, call=ToolCall("search", {"q": "tent"}))
    inner = span("i", "o", Kind.TOOL, call=ToolCall("search"))
    other = span("p", "o", Kind.TOOL, call=ToolCall("fetch"))
    assert trace_of([outer, inner, other]).tool_calls == (outer.call, other.call)


def test_a_span_that_is_sent_again_counts_once_and_one_without_an_id_by_itself() -> None:
    begun = span("a", start=10**9, input_tokens=1)
    ended = replace(begun, end=2 * 10**9, input_tokens=5)
    for order in ([begun, ended], [ended, begun], [ended, ended]):
        assert trace_of(order).input_tokens == 5
        assert trace_of(order).seconds == 1
    with pytest.raises(CaseError, match="trace: two of its spans have the id 'a'"):
        trace_of([ended, replace(ended, input_tokens=6)])
    nameless = [span("", input_tokens=2), span("", input_tokens=3)]
    assert tokens(*nameless) == (5, None, 2)
    spans = [{"attributes": {"mlflow.spanType": "LLM"}} for _ in range(2)]
    assert read_trace({"info": {}, "data": {"spans": spans}}).llm_calls == 2


def test_several_roots_of_one_trace_are_timed_from_the_first_to_the_last() -> None:
    one, two = span("1", start=10**9, end=2 * 10**9), span("2", start=3 * 10**9, end=4 * 10**9)
    assert trace_of([two, one]).seconds == 3
    assert trace_of([two, replace(one, end=None)]).seconds is None
    assert trace_of([replace(one, start=5 * 10**9)]).seconds is None


@pytest.mark.parametrize(
    ("value", "nanos"),
    [
        (1_750_000_000_000_000_000, 1_750_000_000_000_000_000),
        (1_750_000_000_000_000, 1_750_000_000_000_000_000),
        (1_750_000_000_000, 1_750_000_000_000_000_000),
        (1_750_000_000.25, 1_750_000_000_250_000_000),
        ("1750000000000000000", 1_750_000_000_000_000_000),
        ("2025-06-15T15:06:40.000001", 1_750_000_000_000_001_000),
        ("2025-06-15T15:06:40Z", 1_750_000_000_000_000_000),
        ("2025-06-15T17:06:40+02:00", 1_750_000_000_000_000_000),
        (1500, 1500),
        ("soon", None),
        (True, None),
        (float("nan"), None),
        (None, None),
    ],
)
def test_a_moment_is_read_in_any_unit(value: object, nanos: int | None) -> None:
    assert nanoseconds(value) == nanos


def two_traces() -> object:
    return [*agent.spans(agent.genai), *agent.spans(agent.genai)]


def raising() -> object:
    raise RuntimeError("the connection is closed")


broken = Written("to_dict", None)
broken.to_dict = raising  # type: ignore[attr-defined]
within_itself: dict[str, Any] = {"run_type": "chain"}
within_itself["child_runs"] = [within_itself]
circle = {"id": "a", "parent_run_id": "b", "run_type": "llm"}
KNOWN = (
    "expected an MLflow trace, OpenTelemetry spans (OTLP JSON, or those of opentelemetry-sdk) or "
    "a LangSmith run; got "
)


@pytest.mark.parametrize(
    ("trace", "fault"),
    [
        (3, f"{KNOWN}int"),
        ({}, f"{KNOWN}dict"),
        ({"a": 1, "b": 2}, f"{KNOWN}an object with a, b"),
        ([3], f"{KNOWN}a list with int"),
        ("{", "this is no JSON (Expecting property name"),
        ("3", f"{KNOWN}int"),
        ([], "it holds no span"),
        ({"resourceSpans": []}, "it holds no span"),
        ({"resourceSpans": [{"scopeSpans": [{"spans": [3]}]}]}, "expected spans, got int among"),
        ({"info": {}, "data": {"spans": [3]}}, "expected spans, got int among them"),
        ({"run_type": "llm", "child_runs": [3]}, "expected runs, got int among them"),
        (within_itself, "one of its runs stands in several places"),
        ([circle, {**circle, "id": "b", "parent_run_id": "a"}], "are each other's parents"),
        ([{**circle, "trace_id": name} for name in "ab"], "got those of 2"),
        (two_traces(), "expected the spans of one trace, got those of 2: put the call of the app"),
        (broken, "it can't be read (RuntimeError: the connection is closed)"),
    ],
)
def test_what_is_no_trace_is_refused_and_says_what_is_read(trace: object, fault: str) -> None:
    with pytest.raises(CaseError) as refused:
        read_trace(trace)
    assert str(refused.value).startswith("trace: ")
    assert fault in str(refused.value)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY = st.recursive(
    LEAVES | st.sampled_from(["{", "[]", '{"a": 1}', "9" * 25, "llm", "TOOL"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [
        path
        for key, each in inner
        for path in [
            (*at, key),
            *(places(each, (*at, key)) if isinstance(each, dict | list) else []),
        ]
    ]


DAMAGED = [agent.mlflow_2(), agent.mlflow_3(), agent.langsmith(), agent.otlp(agent.openinference)]
SPOTS = [(trace, path) for trace in DAMAGED for path in places(trace)]


@settings(max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(range(len(SPOTS))), ANY), min_size=1, max_size=3), ANY)
def test_a_damaged_trace_raises_nothing_but_a_case_error(
    damage: list[tuple[int, Any]], anything: Any
) -> None:
    for place, value in damage:
        trace, path = SPOTS[place]
        trace = deepcopy(trace)
        at: Any = trace
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        for written in (trace, anything, json.dumps(trace)):
            assert "it can't be read" not in fault_of(written)  # only what was thought of


def fault_of(trace: object) -> str:
    try:
        read_trace(trace)
    except CaseError as refused:
        return str(refused)
    return ""
