"""Field names: what fields= says of names holds over all that would be recognised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_llmeval import Case, Document, load_cases
from pytest_llmeval.data.field_names import FieldNames
from pytest_llmeval.data.measured import Measured
from pytest_llmeval.data.rows import Row
from pytest_llmeval.data.words.shapes import case_of
from pytest_llmeval.errors import CaseError, CaseTypeError


def case(values: dict[str, Any], fields: Any, flat: bool = False) -> Case:
    return case_of(Row("q:1", values, flat, FieldNames.of(fields)))


@pytest.mark.parametrize(
    ("values", "fields", "wanted"),
    [
        (
            {"prompt": "q", "gold": "g", "question": "kept"},
            {"prompt": "query", "gold": "ground_truth", "question": None},
            Case(query="q", ground_truth="g", metadata={"question": "kept"}),
        ),
        (
            {"inputs": {"question": "q"}, "outputs": {"answer": "g", "k": 1}},
            {"outputs": "ground_truth"},
            Case(query="q", ground_truth="g", metadata={"outputs.k": 1}),
        ),
        (
            {"inputs": {"question": "q"}, "outputs": {"answer": "r", "n": {"m": "g"}}},
            {"outputs": "response", "outputs.n.m": "ground_truth"},
            Case(query="q", response="r", ground_truth="g"),
        ),
        (
            {"payload": {"text": "q", "k": 1}},
            {"payload.text": "query"},
            Case(query="q", metadata={"payload": {"k": 1}}),
        ),
        (
            {"inputs": {"a": "q", "k": 1}, "outputs": {"b": "r", "documents": ["d"]}},
            {"inputs.a": "query", "outputs.b": "response"},
            Case(query="q", response="r", context=["d"], metadata={"inputs.k": 1}),
        ),
        (
            {"inputs": {"question": "q"}, "outputs": {"answer": "g", "text": "t"}},
            {"outputs.answer": "ground_truth"},
            Case(query="q", ground_truth="g", metadata={"outputs.text": "t"}),
        ),
        ({"payload": {"text": "q"}}, {"payload": "query"}, Case(query="q")),
        (
            {"talk": [{"role": "user", "content": "q"}], "ms": 2, "n": 3, "more": {"a": 1}},
            {
                "talk": "query",
                "ms": "measured.seconds",
                "n": "measured.output_tokens",
                "more": "metadata",
            },
            Case(query="q", measured=Measured(seconds=2, output_tokens=3), metadata={"a": 1}),
        ),
        (
            {"answer": [{"role": "assistant", "content": "r"}], "docs": [{"text": "d"}]},
            {"answer": "response", "docs": "context"},
            Case(response="r", context=["d"]),
        ),
        ({"qurey": "q"}, {"qurey": "query"}, Case(query="q")),
        ({"prompt": "q", "gold": None}, {"prompt": "query", "gold": "id"}, Case(query="q")),
    ],
)
def test_what_is_said_of_a_name_holds_over_what_it_would_be(
    values: Any, fields: Any, wanted: Case
) -> None:
    assert case(values, fields) == wanted


@pytest.mark.parametrize(
    ("cell", "fields"),
    [
        ({"q": "q", "docs": '["d"]'}, {"q": "query", "docs": "context"}),
        ({"q": "q", "o": '{"docs": ["d"]}'}, {"q": "query", "o.docs": "context"}),
        ({"q": "q", "o.docs": "d"}, {"q": "query", "o.docs": "context"}),
    ],
)
def test_columns_are_read_as_the_field_that_they_are_said_to_be(cell: Any, fields: Any) -> None:
    assert case(cell, fields, flat=True) == Case(query="q", context=(Document(content="d"),))
    with pytest.raises(CaseTypeError, match="facts: expected a list, as JSON in its cell"):
        case({"query": "q", "facts": "f"}, {"facts": "expected_facts"}, flat=True)


def test_what_a_name_leads_to_in_text_is_met(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("inputs,outputs\nq,\"{'answer': 'g', 'k': 1}\"\n")
    (made,) = load_cases(path, fields={"outputs.answer": "ground_truth"})
    assert made == Case(query="q", ground_truth="g", metadata={"outputs.k": 1})


def test_what_is_said_and_what_is_recognised_may_not_differ() -> None:
    with pytest.raises(CaseError, match="query is given twice, .* as 'question' and as 'prompt'"):
        case({"question": "a", "prompt": "b"}, {"prompt": "query"})


def test_the_line_of_what_was_recognised_tells_what_was_said(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"prompt": "q", "k": 1, "dataList": []}) + "\n")
    told = load_cases(path, fields={"prompt": "query"}).told[0]
    assert "prompt → query" in told
    path.write_text(json.dumps({"userText": "q", "dataList": [], "responseContent": "r"}))
    (told,) = load_cases(path).told
    assert told.endswith(
        'whose document is the userText, is read by fields={"userText": "context"})'
    )
    (checked,) = load_cases(path, fields={"userText": "context"})
    assert checked == Case(context=["q"], response="r")
