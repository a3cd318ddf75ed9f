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
