"""Names of files: what is a misspelling, and what is honest metadata."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.data.words.naming import meant, spelt
from pytest_llmeval.data.words.vocabulary import KNOWN

MISSPELT = {
    "Query": "query",
    "QUERY": "query",
    "query ": "query",
    " Response": "response",
    "Response\u200b": "response",
    "\ufeffquery": "query",
    "qurey": "query",
    "querry": "query",
    "qery": "query",
    "respnse": "response",
    "responce": "response",
    "reponse": "response",
    "contxt": "context",
    "contex": "context",
    "ground truth": "ground_truth",
    "Ground-Truth": "ground_truth",
    "groundtruth": "ground_truth",
    "grond_truth": "ground_truth",
    "gorund_truth": "ground_truth",
    "qustion": "question",
    "anwser": "answer",
    "ouput": "output",
    "guideline": "guidelines",
    "guidlines": "guidelines",
    "expected_fact": "expected_facts",
    "expectd_facs": "expected_facts",
    "Expected Response": "expected_response",
    "expected_respons": "expected_response",
    "retreived_context": "retrieved_context",
    "actual_ouput": "actual_output",
    "mesages": "messages",
    "meta_data": "metadata",
    "user-text": "user_text",
    "Inputs": "inputs",
    "expectation": None,  # by an s alone, of a name that is no field of ours
}


@pytest.mark.parametrize(("name", "right"), MISSPELT.items())
def test_a_misspelt_name_is_told_from_its_right_one(name: str, right: str | None) -> None:
    assert meant(name, sorted(KNOWN)) == right


HONEST = [
    "contexts_used",
    "response_time",
    "query_id",
    "language",
    "category",
    "difficulty",
    "source",
    "tags",
    "score",
    "label",
    "id2",
    "query2",
    "question_1",
    "context_id",
    "answer_type",
    "answers",
    "questions",
    "responses",
    "message",
    "document",
    "content",
    "contents",
    "contest",
    "preference",
    "race",
    "track",
    "trade",
    "user_id",
    "session",
    "split",
    "topic",
    "title",
    "url",
    "author",
    "notes",
    "comment",
    "model",
    "latency",
    "tokens",
    "cost",
    "rating",
    "annotator",
    "reason",
    "reasoning",
    "rationale",
    "explanation",
    "expected",
    "unexpected_output",
    "outcome",
    "outline",
    "persona_name",
    "query_style",
    "answerable",
    "difficulty_level",
    "turn",
    "turn_count",
    "trace_id",
    "span_id",
    "created_at",
    "source_file",
    "rubric",
    "rubrics",
    "name",
    "locale",
    "version",
    "domain",
    "intent",
    "sentiment",
    "claim",
    "request_time",
    "response_length",
    "input_tokens",
    "output_tokens",
    "question_type",
    "conversion",
    "requested",
    "summary",
    "ideal",
    "references",
    "reference_url",
    "documentation",
    "grounded",
    "truth",
    "fact",
    "facts",
    "idx",
    "index",
    "row_id",
    "uid",
    "key",
    "note",
    "is_answerable",
    "test",
    "prompt",
    "completion",
    "Sprache",
    "言語",
    "Категория",
]


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_name_of_something_else_is_metadata(name: str) -> None:
    assert name not in KNOWN
    assert meant(name, sorted(KNOWN)) is None


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("userText", "user_text"),
        ("requestID", "request_id"),
        ("retrievedContext", "retrieved_context"),
        ("expected_facts", "expected_facts"),
        ("Query", "Query"),
        ("x", "x"),
        ("", ""),
    ],
)
def test_camel_case_is_another_spelling_of_snake_case(name: str, spelling: str) -> None:
    assert spelt(name) == spelling


@given(st.sampled_from(sorted(KNOWN)), st.sampled_from(" -_.\t\u200b"), st.integers(0, 20))
def test_case_and_what_stands_between_letters_hide_no_known_name(
    name: str, sign: str, place: int
) -> None:
    written = f"{name[:place]}{sign}{name[place:]}".upper()
    found = meant(written, sorted(KNOWN))
    assert found is not None
    assert found.replace("_", "") == name.replace("_", "")


@given(st.text(max_size=30))
def test_any_name_can_be_asked_about(name: str) -> None:
    assert meant(name, sorted(KNOWN)) in {None, *KNOWN}
