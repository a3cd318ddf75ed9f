"""Whatever way a case comes in, harm is judged on all that the app said in the turn."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from active_session import active_session
from datasets import Dataset

from pytest_llmeval import Case, evaluate, load_cases
from pytest_llmeval.data.completed import completed
from pytest_llmeval.errors import CaseError
from pytest_llmeval.judges.base import Question
from pytest_llmeval.session import Session
from pytest_llmeval.testing import ScriptedJudge

Q, FIRST, LAST = "How?", "First-this", "Then-that."
GAVE = "the-tool-gave"
CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
ASKED = {"role": "user", "content": Q}
ON_THE_WAY = {"role": "assistant", "content": FIRST, "tool_calls": [CALL]}
RETURNED = {"role": "tool", "tool_call_id": "c", "content": GAVE}
ANSWERED = {"role": "assistant", "content": LAST}
TURN = [ON_THE_WAY, RETURNED, ANSWERED]
EARLIER = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi!"}, ASKED]
PARTS = [
    {"type": "text", "text": FIRST},
    {"type": "tool_use", "id": "c", "name": "look", "input": {}},
]
RESULT = {"role": "user", "content": [{"type": "tool_result", "content": GAVE}]}
COVERED = {"type": "constructor", "id": ["langchain", "AIMessage"]}
ITEMS = [
    {"type": "reasoning", "summary": []},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": FIRST}]},
    {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c"},
    {"type": "function_call_output", "call_id": "c", "output": GAVE},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": LAST}]},
]

RESPONSES: dict[str, Any] = {
    "OpenAI's messages": TURN,
    "a whole talk": [*EARLIER, *TURN],
    "under messages": {"messages": TURN},
    "OpenAI's Responses": {"output": ITEMS},
    "Anthropic's parts": [{"role": "assistant", "content": PARTS}, RESULT, ANSWERED],
    "LangChain's": [
        {"type": "ai", "data": {"content": FIRST, "tool_calls": [{"name": "look", "args": {}}]}},
        {"type": "tool", "data": {"content": GAVE}},
        {"type": "ai", "data": {"content": LAST}},
    ],
    "no tool": [{"role": "assistant", "content": FIRST}, {"role": "assistant", "content": LAST}],
    "blanks": [ON_THE_WAY, {"role": "assistant", "content": " "}, RETURNED, ANSWERED],
    "a greeting": [{"role": "assistant", "content": FIRST}, ASKED, ANSWERED],
    "a call at the end": [*TURN, {"role": "assistant", "content": None, "tool_calls": [CALL]}],
}
"""What an app answered in one turn, as files have it under ``response``."""


def row(response: Any) -> dict[str, Any]:
    return {"query": Q, "response": response}


def in_file(name: str, written: Callable[[Path], object]) -> Callable[[Path], Case]:
    def read(folder: Path) -> Case:
        written(folder / name)
        (case,) = load_cases(folder / name)
        return case

    return read


def in_csv(**values: str) -> Callable[[Path], object]:
    def write(path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerows([values, values.values()])

    return write


def in_python(given: object) -> Callable[[Path], Case]:
    def read(folder: Path) -> Case:
        (case,) = load_cases(given)
        return case

    return read


def span(number: int, parent: int, kind: str, **attributes: Any) -> dict[str, Any]:
    """A span of OTLP; values that are no text are JSON text in it."""
    told = {"openinference.span.kind": kind, **attributes}
    texts = {name: v if isinstance(v, str) else json.dumps(v) for name, v in told.items()}
    return {
        "traceId": "t",
        "spanId": f"s{number}",
        "parentSpanId": f"s{parent}" if parent else "",
        "startTimeUnixNano": str(number),
        "endTimeUnixNano": str(number + 1),
        "attributes": [{"key": name, "value": {"stringValue": v}} for name, v in texts.items()],
    }


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": [*spans]}]}]}


def openinference(message: dict[str, Any], name: str = "llm.output_messages.0") -> dict[str, str]:
    calls = {f"{name}.message.tool_calls.0.tool_call.function.name": "look"}
    return {
        f"{name}.message.role": "assistant",
        f"{name}.message.contents.0.message_content.type": "text",
        f"{name}.message.contents.0.message_content.text": message["content"],
        **(calls if "tool_calls" in message else {}),
    }


ROOT = span(1, 0, "AGENT", **{"input.value": Q, "output.value": LAST})
TOOL = span(3, 1, "TOOL", **{"tool.name": "look", "output.value": GAVE})
WITHIN = span(4, 3, "LLM", **{"gen_ai.output.messages": [{**ON_THE_WAY, "content": "in-a-tool"}]})
REWRITES = span(6, 1, "LLM", **{"gen_ai.output.messages": [{**ANSWERED, "content": "a-rewrite"}]})
CHATS = [
    span(2, 1, "LLM", **{"gen_ai.output.messages": [ON_THE_WAY]}),
    span(5, 1, "LLM", **{"gen_ai.output.messages": [ANSWERED]}),
]
RUN = {"run_type": "chain", "id": "r", "inputs": {"question": Q}, "outputs": {"answer": LAST}}
GENERATION = {"kwargs": {"content": FIRST, "tool_calls": [{"name": "look", "args": {}}]}, **COVERED}

TRACES: dict[str, Any] = {
    "OpenTelemetry": otlp(ROOT, REWRITES, *CHATS, TOOL, WITHIN),
    "without a root that tells": otlp(span(1, 0, "AGENT"), *CHATS, TOOL, WITHIN),
    "OpenInference": otlp(
        ROOT,
        span(2, 1, "LLM", **openinference(ON_THE_WAY)),
        span(5, 1, "LLM", **openinference(ANSWERED)),
    ),
    "the last call alone": otlp(
        span(
            1,
            0,
            "LLM",
            **{"gen_ai.input.messages": [*EARLIER, *TURN[:2]]} | openinference(ANSWERED),
        )
    ),
    "messages of the root": otlp(
        span(1, 0, "AGENT", **{"output.value": {"messages": [*EARLIER, *TURN]}})
    ),
    "LangSmith": {
        **RUN,
        "child_runs": [
            {"run_type": "llm", "id": "a", "outputs": {"generations": [[{"message": GENERATION}]]}},
            {"run_type": "tool", "id": "b", "name": "look", "outputs": {"output": GAVE}},
        ],
    },
    "MLflow": {"info": {}, "data": {"spans": [], "response": json.dumps({"messages": TURN})}},
}

RECORDED = otlp(ROOT, *CHATS)
TALK = {"messages": [*EARLIER, *TURN]}

WAYS: dict[str, Callable[[Path], Case]] = {
    "a field": lambda _: Case(query=Q, response=LAST, said_before=[FIRST]),
    "a conversation": lambda _: Case.model_validate(TALK),
    "a talk and its trace": lambda _: Case.model_validate({**TALK, "trace": RECORDED}),
    "answered anew": lambda _: Case(query=Q, response="old", said_before=["older"]).answered(
        LAST, said_before=[FIRST]
    ),
    "answered with a trace": lambda _: Case(query=Q).answered(LAST, trace=RECORDED),
    "another answer than the trace's": lambda _: Case(query=Q, response=LAST, trace=otlp(*CHATS)),
    **{f"response: {name}": in_python([row(given)]) for name, given in RESPONSES.items()},
    "trace": lambda _: Case(query=Q, trace=RECORDED),
    **{f"trace: {name}": in_python([{"query": Q, "trace": t}]) for name, t in TRACES.items()},
    "a run as the row": in_python([TRACES["LangSmith"]]),
    "outputs": in_python([{"inputs": {"q": Q}, "outputs": {"messages": TURN}, "expectations": {}}]),
    "DeepEval": in_python([{"input": Q, "actual_output": TURN, "retrieval_context": []}]),
    "jsonl": in_file("a.jsonl", lambda path: path.write_text(json.dumps(row(TURN)))),
    "json": in_file("a.json", lambda path: path.write_text(json.dumps([row(TURN)]))),
    "csv": in_file(
        "a.csv", in_csv(query=Q, outputs=json.dumps({"messages": TURN}), guidelines='["g"]')
    ),
    "csv, a field": in_file("a.csv", in_csv(query=Q, response=LAST, said_before=f'["{FIRST}"]')),
    "parquet": in_file(
        "a.parquet", lambda path: pq.write_table(pa.Table.from_pylist([row(TURN)]), path)
    ),
    "Hugging Face": in_python(Dataset.from_list([row(TURN)])),
}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


def judge() -> ScriptedJudge:
    """A judge that gives every metric here a verdict."""
    values = {"passages": [], "severity": "very low", "reason": "r", "score": 5}

    def reply(question: Question[Any]) -> dict[str, Any]:
        return {name: values[name] for name in question.reply.model_fields}

    return ScriptedJudge(reply)


@pytest.mark.parametrize("way", WAYS)
def test_harm_is_judged_on_all_that_was_said_and_the_rest_on_the_answer(
    session: Session, tmp_path: Path, way: str
) -> None:
    case, asked = WAYS[way](tmp_path), judge()
    for metric in ("violence", "violence[each_turn]", "coherence"):
        evaluate(case, metric, judge=asked).score  # noqa: B018 - it raises where none is
    said = {each.task: each.inputs["response"] for each in asked.questions}
    assert said == {"violence": f"{FIRST}\n\n{LAST}", "coherence": LAST}


@pytest.mark.parametrize("name", RESPONSES)
def test_fields_of_a_call_are_read_like_those_of_a_row(session: Session, name: str) -> None:
    asked = judge()
    assert evaluate("violence", query=Q, answer=RESPONSES[name], judge=asked).passed
    assert asked.questions[0].inputs["response"] == f"{FIRST}\n\n{LAST}"


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (Case(query=Q, response="old", said_before=[FIRST]).answered(LAST), LAST),
        (Case(query=Q, response="old", said_before=[FIRST]).answered(trace=otlp(ROOT)), "+old"),
        (Case(query=Q, trace=RECORDED).answered(trace=otlp(ROOT)), LAST),
        (completed(Case(query=Q, trace=RECORDED)).answered("new"), "new"),
        (completed(Case(query=Q, trace=RECORDED)).answered(LAST, trace=RECORDED), f"+{LAST}"),
        (Case(query=Q, response=LAST, said_before=[], trace=RECORDED), LAST),
        (Case(query=Q, response="", said_before=[FIRST, " "]), "+"),
        (Case(query=Q, response=LAST, said_before=[FIRST, LAST]), f"+{LAST}"),
        (Case.model_validate({"messages": [ASKED, ON_THE_WAY], "said_before": [LAST]}), None),
        (Case(query=Q, response="x" * 10**6, said_before=[FIRST]), f"+{'x' * 10**6}"),
    ],
)
def test_what_was_said_before_goes_with_its_response_and_nothing_is_cut(
    session: Session, case: Case, expected: str | None
) -> None:
    asked = judge()
    assert evaluate(case, "violence", judge=asked).passed
    told = f"{LAST}\n\n{FIRST}" if expected is None else expected.replace("+", f"{FIRST}\n\n", 1)
    assert asked.questions[0].inputs["response"] == told.rstrip("\n")


def test_a_part_that_is_no_text_is_refused_rather_than_left_unjudged(session: Session) -> None:
    image = {"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}
    with pytest.raises(CaseError, match="message 1: a part is of type 'image_url'"):
        load_cases([row([image, ANSWERED])])[0]
    error = evaluate("violence", query=Q, response=[image, ANSWERED], judge=judge()).error
    assert isinstance(error, CaseError)
