"""Cases: every shape of context, and refusals that name the field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import Case, Document, Message, ToolCall
from pytest_llmeval.data.blank import is_blank
from pytest_llmeval.data.measured import Measured
from pytest_llmeval.errors import CaseError, CaseTypeError

TWO = (Document(content="a"), Document(content="b", id="u", title="t"))


@pytest.mark.parametrize(
    "context",
    [
        ["a", {"content": "b", "id": "u", "title": "t"}],
        ["a", {"content": "b", "doc_uri": "u", "title": "t"}],
        [Document(content="a"), Document(content="b", id="u", title="t")],
        {"citations": ["a", {"content": "b", "id": "u", "title": "t"}]},
        ("a", {"content": "b", "id": "u", "title": "t"}),
    ],
)
def test_context_is_taken_in_every_shape(context: Any) -> None:
    assert Case(context=context).context == TWO


def test_text_is_a_context_of_one_document() -> None:
    case = Case.model_validate({"context": "a"})
    assert case.context == (Document(content="a"),)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("respnse", "response"),
        ("Query", "query"),
        ("question", "query"),
        ("retrieved_context", "context"),
        ("expected_response", "ground_truth"),
        ("actual_output", "response"),
    ],
)
def test_a_wrong_name_is_refused_with_the_closest_right_one(name: str, meant: str) -> None:
    with pytest.raises(CaseError, match=rf"no field '{name}': did you mean '{meant}'\?"):
        Case.model_validate({name: "x"})


def test_a_name_like_no_field_is_refused_with_all_of_them() -> None:
    with pytest.raises(CaseError, match="known are id, query, response"):
        Case.model_validate({"zzz": "x"})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"query": 5}, "Case.query: .* got int"),
        ({"response": b"x"}, "Case.response: .* got bytes"),
        ({"context": 5}, "context: expected text, .* got int"),
        ({"context": [5]}, "context: .* a list with int"),
        ({"context": b"x"}, "context: .* got bytes"),
        ({"context": {"content": "a", 1: "b"}}, "Document.1.*keys should be strings"),
        ({"context": [{"content": "a", None: "b"}]}, "Document.None.*keys should be strings"),
        ({1: "x"}, "Case.1.*keys should be strings"),
        ({"messages": [{"role": "user", "content": 3}]}, "Message.content: .* got int"),
        ({"messages": [{"role": "bot", "content": "x"}]}, "Message.role"),
    ],
)
def test_a_value_of_the_wrong_type_is_a_type_error_that_names_it(
    fields: dict[Any, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        Case.model_validate(fields)


def test_a_misspelt_field_of_a_document_is_named_rather_than_the_missing_one() -> None:
    with pytest.raises(CaseError, match="Document has no field 'contnt': did you mean 'content'"):
        Case.model_validate({"context": [{"contnt": "x"}]})


def test_what_is_no_mapping_is_refused() -> None:
    with pytest.raises(CaseTypeError, match="Case: .* got list"):
        Case.model_validate([1])


def test_null_is_absent() -> None:
    assert Case.model_validate({"query": None, "context": None, "messages": None}) == Case()


@pytest.mark.parametrize(
    "blank", ["", "  \n", "\u200b", "\ufeff \u200d", [], [""], ["  "], {"citations": []}]
)
def test_blank_context_is_no_context(blank: Any) -> None:
    assert not Case.model_validate({"context": blank}).has("context")


@pytest.mark.parametrize("blank", [None, "", " \t", "\u200b\u200b", "\u2060 \ufeff"])
def test_a_blank_response_is_no_response(blank: str | None) -> None:
    assert not Case(response=blank).has("response")


@given(st.text())
def test_text_with_a_letter_is_never_blank(text: str) -> None:
    assert not is_blank(text + "x")


def test_what_is_no_text_and_no_collection_is_not_blank() -> None:
    assert not is_blank(0)
    assert is_blank({"a": "", "b": [None]})
    assert is_blank([Message(role="user", content=" ")])


def test_the_given_id_is_the_identity() -> None:
    assert Case(id="a", query="x").identity == "a"


def test_identity_stays_when_the_response_or_the_documents_change() -> None:
    first = Case(query="x", response="a", context=TWO)
    assert first.identity == Case(query="x", response="b").identity
    assert first.identity != Case(query="y", response="a", context=TWO).identity


def test_identity_and_digest_of_a_known_case_stay_what_they_are() -> None:
    known = Case(
        query="Q?",
        response="R.",
        context=["a", {"id": "d", "content": "b"}],
        messages=[{"role": "user", "content": "Hi"}],
        expected_facts=["f"],
        ground_truth="G",
    )
    assert (known.identity, known.digest) == ("9c4cd51c41ca", "dc6913c3a0f3149a")
    changed = known.model_copy(update={"query": "another"})
    assert changed.identity != known.identity
    assert changed.digest != known.digest


def test_a_case_that_asks_nothing_has_no_identity_of_its_own() -> None:
    assert Case(response="a", context=TWO).identity is None


def test_a_case_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Case(query="x").query = "y"


UNSEEN = [
    *["\u200b\u2003\u200b\u2003\u200b", "\u200e", "\u2061", "\ufe0f", "\u034f", "\u202a\u202c"],
    *[
        "\u2800",
        "\u3164",
        "\u00ad",
        "\U000e0041\U000e007f",
        "\x00",
        "\x08",
        "\u115f\u1160",
        "\uffa0",
    ],
    *["\u180e", "\u2028", "\x85", " \t\n", "", "\ud83d", "\u0301"],
]


@pytest.mark.parametrize("text", UNSEEN, ids=ascii)
def test_text_that_nobody_can_see_is_blank(text: str) -> None:
    assert is_blank(text)
    assert is_blank([text, {"a": text}])
    assert not is_blank(f"{text}.{text}")


@pytest.mark.parametrize(
    "text", ["...", "—", "0", "帐", "👍", "a\u0301", "\ue000", "½", "_", "ก็", "👩\u200d🚀"]
)
def test_text_that_shows_is_not_blank(text: str) -> None:
    assert not is_blank(text)


def test_a_copy_is_held_to_the_rules_of_a_new_case() -> None:
    case = Case(id="a", query="x", metadata={"a": [1]})
    copied = case.model_copy(update={"response": "y", "context": ["a", {"content": "b"}]})
    assert copied.context == (Document(content="a"), Document(content="b"))
    assert (copied.id, copied.query, copied.response) == ("a", "x", "y")
    assert copied.model_copy(update={"id": None}).id is None
    with pytest.raises(CaseError, match="no field 'respnse': did you mean 'response'"):
        case.model_copy(update={"respnse": "y"})
    with pytest.raises(CaseTypeError, match="Case.response.* got int"):
        case.model_copy(update={"response": 5})


def test_a_deep_copy_shares_nothing_that_can_change() -> None:
    case = Case(query="x", metadata={"a": [1]})
    assert case.metadata is not None
    for copied in (case.model_copy(deep=True), case.model_copy(deep=True, update={"query": "y"})):
        assert copied.metadata == case.metadata
        assert copied.metadata is not None
        assert copied.metadata["a"] is not case.metadata["a"]
    assert case.model_copy() == case


def test_guidelines_that_are_bare_text_are_refused_in_words_of_the_field() -> None:
    with pytest.raises(CaseTypeError) as raised:
        Case(guidelines="Be polite.")
    assert str(raised.value).startswith("Case.guidelines: input should be a valid list")


def test_an_answer_takes_the_place_of_what_the_case_held_and_leaves_the_rest() -> None:
    asked = Case(query="q", response="old", context=["a"], ground_truth="g", metadata={"k": 1})
    told = asked.answered("new", context=[{"id": "b", "content": "B"}], measured={"seconds": 1.5})
    assert (told.response, told.context[0].id, told.measured) == ("new", "b", Measured(seconds=1.5))
    assert (told.query, told.ground_truth, told.metadata) == ("q", "g", {"k": 1})
    assert asked.answered(tools_called=["search"]).tools_called == (ToolCall("search"),)
    assert asked.answered().response == asked.response == "old"
    with pytest.raises(CaseTypeError, match="response"):
        asked.answered(3)  # type: ignore[arg-type]
