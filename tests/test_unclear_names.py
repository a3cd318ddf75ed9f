"""Unclear names: what may be read in two ways is refused, or told by what stands beside it."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmeval import Case, Document
from pytest_llmeval.data.field_names import FieldNames
from pytest_llmeval.data.rows import Row
from pytest_llmeval.data.words.shapes import case_of
from pytest_llmeval.errors import CaseError

Q, R, G, D = "How long?", "Two years.", "2 years", "The warranty is two years."


def case(values: dict[str, Any], flat: bool = False, fields: Any = None) -> Case:
    return case_of(Row("f.jsonl:1", values, flat, FieldNames.of(fields)))


@pytest.mark.parametrize(
    ("values", "context"),
    [
        ({"input": Q, "context": [D], "expected_output": G}, None),
        ({"input": Q, "context": [D], "actual_output": R}, None),
        ({"input": Q, "context": [D], "actual_output": R, "tools_called": ["search"]}, None),
        ({"input": Q, "output": R, "context": [D]}, D),
        ({"input": Q, "answer": R, "context": [D]}, D),
        ({"query": Q, "context": [D], "expected_output": G}, D),
        ({"query": Q, "response": R, "context": [D], "tools_called": ["search"]}, D),
        ({"query": Q, "context": [D], "expected_tools": ["search"]}, D),
        ({"query": Q, "context": [D], "completion_time": 2}, D),
        ({"query": Q, "context": [D], "actual_output": None, "retrieval_context": None}, D),
    ],
)
def test_context_is_the_ideal_one_only_in_a_row_that_is_deepevals(
    values: Any, context: str | None
) -> None:
    made = case(values)
    assert [each.content for each in made.context] == ([context] if context else [])
    assert (made.metadata or {}).get("context") == (None if context else [D])


@pytest.mark.parametrize(
    "values",
    [
        {"input": Q, "context": [D]},
        {"input": Q, "context": [D], "expected_output": None},
        {"input": Q, "actual_output": R, "ground_truth": G, "context": [D]},
        {"query": Q, "retrieval_context": ["x"], "context": [D]},
    ],
)
def test_a_mixture_that_leaves_context_unclear_is_refused(values: Any) -> None:
    with pytest.raises(CaseError, match="'context' may be what was retrieved or, as DeepEval has"):
        case(values)
    assert case(values, fields={"context": None}).metadata == {"context": [D]}
    if "retrieval_context" not in values:
        assert case(values, fields={"context": "context"}).context == (Document(content=D),)


AMBIGUOUS: list[dict[str, Any]] = [
    {"inputs": {"question": Q}, "outputs": {"answer": R}},
    {"inputs": {"question": Q}, "outputs": {"answer": R}, "metadata": {"a": 1}},
    {"inputs": {"question": Q}, "outputs": {"answer": R}, "expectations": None},
    {"inputs": {"question": Q}, "outputs": {"answer": R}, "expectations": {"expected_facts": None}},
    {"inputs": Q, "outputs": R, "id": "1"},
    {"query": Q, "outputs": R},
]


@pytest.mark.parametrize("values", AMBIGUOUS)
def test_outputs_that_may_be_the_answer_or_the_reference_are_refused(values: Any) -> None:
    with pytest.raises(CaseError) as raised:
        case(values)
    assert str(raised.value) == (
        "f.jsonl:1: 'outputs' may be the app's answer or the reference: say which by "
        'fields={"outputs": "response"} or fields={"outputs": "ground_truth"}'
    )
    for field in ("response", "ground_truth"):
        made = case(values, fields={"outputs": field})
        assert (made.query, getattr(made, field)) == (Q, R)
        assert {made.response, made.ground_truth} == {R, None}
    assert case({"inputs.question": Q, "outputs.answer": R}, True, {"outputs": "response"}) == Case(
        query=Q, response=R
    )


@pytest.mark.parametrize(
    "beside",
    [
        {"expectations": {"expected_facts": ["f"]}},
        {"retrieved_context": [D]},
        {"expected_facts": ["f"]},
        {"ground_truth": G},
        {"reference": G},
        {"guidelines": ["Be kind."]},
    ],
)
def test_outputs_beside_what_is_expected_are_the_answer(beside: Any) -> None:
    assert case({"inputs": {"question": Q}, "outputs": {"answer": R}, **beside}).response == R


@pytest.mark.parametrize(
    "beside",
    [
        *({name: "x"} for name in ("dataset_id", "source_run_id", "modified_at", "attachments")),
        {"id": "x", "created_at": "2026-01-01"},
    ],
)
def test_outputs_of_what_is_surely_an_example_are_the_reference(beside: Any) -> None:
    made = case({"inputs": {"question": Q}, "outputs": {"answer": R}, **beside})
    assert (made.response, made.ground_truth) == (None, R)
