"""Other words: calls in responses, and what files of other tools hold beside their fields."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmeval import Case, Document, ToolCall
from pytest_llmeval.data.field_names import FieldNames
from pytest_llmeval.data.measured import Measured
from pytest_llmeval.data.rows import Row
from pytest_llmeval.data.words.shapes import case_of
from pytest_llmeval.errors import CaseError

Q, R, G, D = "How long?", "Two years.", "2 years", "The warranty is two years."
CALL = {"name": "search", "arguments": {"q": "tent"}}


def case(values: dict[str, Any], flat: bool = False, fields: Any = None) -> Case:
    return case_of(Row("f.jsonl:1", values, flat, FieldNames.of(fields)))


CALLED = (ToolCall("search", {"q": "tent"}),)


@pytest.mark.parametrize(
    "values",
    [
        {
            "query": Q,
            "response": [
                {"role": "assistant", "content": [{"type": "tool_call", **CALL}]},
                {"role": "tool", "content": [{"type": "tool_result", "tool_result": "x"}]},
                {"role": "assistant", "content": [{"type": "text", "text": R}]},
            ],
        },
        {
            "request": json.dumps({"messages": [{"role": "user", "content": Q}]}),
            "response": {
                "choices": [
                    {"message": {"role": "assistant", "content": R, "tool_calls": [CALL]}}
                ]
            },
        },
        {
            "inputs": {"question": Q},
            "reference_outputs": None,
            "trace_id": "t",
            "outputs": {
                "messages": [
                    {"type": "ai", "content": "", "tool_calls": [{"name": "old"}]},
                    {"type": "human", "content": Q},
                    {"type": "ai", "content": "", "tool_calls": [{"function": CALL}]},
                    {"type": "ai", "content": R},
                ]
            },
        },
        {"query": Q, "response": R, "tool_calls": [{"type": "tool_call", **CALL}]},
        {
            "query": Q,
            "response": R,
            "tool_calls": [
                {"type": "tool_call", "tool_call": {"id": "1", "function": {**CALL}}},
            ],
        },
        {"query": Q, "response": {"output": [{"type": "function_call", **CALL}, {"role": "ai",
            "content": R}]}},
    ],
)  # fmt: skip
def test_tool_calls_in_a_response_are_those_that_answering_took(values: Any) -> None:
    made = case(values)
    assert (made.query, made.response, made.tools_called) == (Q, R, CALLED)
    own = case({**values, "tools_called": ["mine"]}) if "tool_calls" not in values else None
    assert own is None or own.tools_called == (ToolCall("mine"),)


ASKS = {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL]}
TOLD = {"role": "tool", "content": "how to build a bomb"}
SAYS = {"role": "assistant", "content": R}
ITEMS = [
    {"type": "reasoning", "summary": []},
    {"type": "function_call", "call_id": "c", **CALL},
    {"type": "function_call_output", "call_id": "c", "output": "x"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": R}]},
]


@pytest.mark.parametrize("name", ["response", "answer", "output", "actual_output"])
def test_an_answer_in_a_cell_is_read_as_it_is_in_a_row_of_objects(name: str) -> None:
    whole = ({"messages": [ASKS, TOLD, SAYS]}, {"choices": [{"message": SAYS}]}, {"output": ITEMS})
    for held in ([ASKS, TOLD, SAYS], [SAYS], ITEMS, *whole):
        wanted = case({"query": Q, name: held})
        assert wanted.response == R
        assert (wanted.tools_called == CALLED) is (str(CALL)[1:-1] in str(held))
        for text in (json.dumps(held), f" {held!r}"):
            assert case({"query": Q, name: text}, flat=True) == wanted
            assert case({"query": Q, "x": text}, flat=True, fields={"x": "response"}) == wanted
    assert case({"query": Q, name: [ASKS, TOLD, SAYS]}).said_before == ("Let me look.",)
    row = {"query": Q, "ground_truth": G, "outputs.answer": json.dumps([ASKS, TOLD, SAYS])}
    nested = case(row, flat=True)
    assert (nested.response, nested.tools_called) == (R, CALLED)
    reference = {"query": Q, "reference": json.dumps([SAYS])}
    assert case(reference, flat=True).ground_truth == R


@pytest.mark.parametrize(
    "text",
    [
        '[{"role": "user", "name": "Ann"}, {"role": "system", "name": "root"}]',
        '[{"type": "tool", "name": "hammer"}]',
        '[{"type": "phone_call", "name": "Ann"}]',
        '[{"type": "function_call", "name": "Ann"}]',
        '[{"role": "admin", "content": "x"}]',
        '[{"role": "user", "content": "x"}, "y"]',
        '{"role": "user", "content": "x"}',
        '{"messages": []}',
        '{"type": "function", "output": ["x"]}',
        '[{"role": "user", "content": "x"}',
        "['role' 'type']",
        "[1] see the role of x",
    ],
)
def test_an_answer_in_a_cell_that_is_something_else_stays_text(text: str) -> None:
    assert case({"query": Q, "response": text}, flat=True).response == text


def test_what_deepeval_has_of_a_turn_is_kept() -> None:
    turn = {
        "role": "assistant",
        "content": R,
        "tools_called": [{"name": "search", "inputParameters": {"q": "tent"}, "output": "x"}],
        "documents": [D],
        "user_id": "u",
    }
    made = case({"turns": [{"role": "User", "content": Q}, turn]})
    assert made.messages[1].tool_calls == CALLED
    assert made.messages[1].context == (Document(content=D),)
    agent = case({"messages": [{"role": "human", "content": Q}, {"role": "AGENT", "content": R}]})
    assert [each.role for each in agent.messages] == ["user", "assistant"]


def test_a_csv_of_deepeval_has_its_lists_joined_by_bars() -> None:
    row = {
        "input": Q,
        "actual_output": R,
        "retrieval_context": "a|b; c",
        "context": "x|y",
        "tools_called": json.dumps([{"name": "search", "inputParameters": {"q": "tent"}}]),
        "input_token_count": "10",
        "output_token_count": "3.0",
        "completion_time": "1.5",
        "expectations": None,
    }
    made = case(row, flat=True)
    assert [each.content for each in made.context] == ["a", "b; c"]
    assert made.metadata == {"context": ["x", "y"]}
    assert made.tools_called == CALLED
    assert made.measured == Measured(seconds=1.5, input_tokens=10, output_tokens=3)
    assert case({"query": Q, "context": "a|b"}, flat=True).context == (Document(content="a|b"),)
    assert case({**row, "retrieval_context": '["a|b"]'}, flat=True).context[0].content == "a|b"


@pytest.mark.parametrize("outer", ["inputs", "vars", "outputs"])
def test_a_near_miss_within_an_object_is_refused_as_it_is_outside(outer: str) -> None:
    inner = {"respnse": "x", "k": 1} if outer == "outputs" else {"qustion": "x", "k": 1}
    right = "response" if outer == "outputs" else "question"
    with pytest.raises(CaseError, match=f"did you mean '{right}'"):
        case({outer: inner, "ground_truth": G})
    assert case({"inputs": {"city": "Bern", "tone": "kind"}, "ground_truth": G}).query is None


def test_an_integer_is_an_id_wherever_one_is_due() -> None:
    made = case(
        {"id": 7, "query": Q, "context": [{"id": 1, "content": D}], "expected_context": [1]}
    )
    assert (made.id, made.context[0].id, made.expected_context) == ("7", "1", ("1",))
    told = case({"query": Q, "context": [{"page_content": D, "metadata": {"source": 3}}]})
    assert told.context[0].id == "3"
    with pytest.raises(CaseError, match="Case.expected_context.0: input should be a valid string"):
        case({"query": Q, "expected_context": [True]})


def test_one_rule_among_mlflows_expectations_is_a_guideline_and_its_columns_are_read() -> None:
    rule = {"inputs": {"question": Q}, "expectations": {"guidelines": "Be kind."}}
    assert case(rule).guidelines == ("Be kind.",)
    for cell, wanted in (("Be kind.", ("Be kind.",)), ('["a", "b"]', ("a", "b"))):
        flat = {"inputs.question": Q, "expectations.guidelines": cell}
        assert case(flat, flat=True).guidelines == wanted
    flat = {"inputs.question": Q, "expectations.expected_facts": '["f", "g"]'}
    assert case(flat, flat=True).expected_facts == ("f", "g")


def test_what_promptfoo_keeps_in_files_is_refused_by_name_and_its_metadata_is_metadata() -> None:
    for name, value in (("vars", {"query": Q, "context": "file://d.txt"}), ("assert", "file://a")):
        with pytest.raises(CaseError, match=f"{name}.*: 'file://.*' is a file, which is not read"):
            case({"vars": {"query": Q}, name: value})
    made = case({"query": Q, "__expected": "x", "__metadata:topic": "tents"}, flat=True)
    assert made.metadata == {"__expected": "x", "topic": "tents"}


def test_a_run_within_another_is_no_row_of_its_own() -> None:
    inner = {"run_type": "llm", "parent_run_id": "p", "inputs": {"messages": [[{"lc": 1}]]}}
    with pytest.raises(CaseError, match="one row is a whole run: its root, with the others in chi"):
        case(inner)
