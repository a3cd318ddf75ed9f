"""The lexical judge on retrieved documents: relevant, answering, sufficient."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lexical_judge import asked

from pytest_llmeval.text.intents import intents
from pytest_llmeval.text.words import tokens, words

WEIGHT = "The Alpine tent weighs 1.8 kg."
WARRANTY = "The warranty runs two years and covers the seams."
HOURS = "Our shops open at nine."
TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=150)
WORDED = st.text(alphabet=st.characters(categories=("L", "N", "Z", "P")), max_size=150)
LATIN = st.text(alphabet="abcdefghij .,", max_size=150)


def relevant(query: str, document: str, *titles: str) -> bool:
    reply = asked("chunk_relevance", query=query, documents=[document], titles=list(titles))
    assert reply["reason"].startswith("The document ")
    return bool(reply["verdict"] == "yes")


def retrieved(query: str | None, *documents: str, **more: object) -> Any:
    return asked("retrieval", query=query, documents=list(documents), **more)["intents"]


def sufficient(truth: str | None, *documents: str, facts: tuple[str, ...] = ()) -> Any:
    inputs = {"ground_truth": truth, "expected_facts": list(facts), "query": "Tell me of it."}
    return asked("context_sufficiency", documents=list(documents), **inputs)


@pytest.mark.parametrize(
    ("query", "document", "other"),
    [
        ("How much does the Alpine tent weigh?", WEIGHT, WARRANTY),
        ("How long does the warranty run?", WARRANTY, WEIGHT),
        ("保修期多长？", "保修期为两年。", "这款帐篷防水。"),
        ("Wie viel wiegt das Zelt?", "Das Zelt wiegt 2 kg.", "Die Garantie gilt zwei Jahre."),
    ],
)
def test_a_document_that_holds_the_query_together_is_relevant(
    query: str, document: str, other: str
) -> None:
    assert relevant(query, document)
    assert not relevant(query, other)


def test_words_of_the_query_that_stand_far_apart_make_no_document_relevant() -> None:
    filler = "Boats and people passed along that quiet and distant northern shore in summer. " * 3
    together = "The castle orchard grows snow apples."
    apart = filler.join(["The castle stood.", "An orchard grew.", "Snow fell.", "Apples too."])
    assert relevant("castle orchard snow apples", f"{together} {filler}")
    assert not relevant("castle orchard snow apples", apart)


def test_a_document_is_relevant_that_answers_one_of_two_questions() -> None:
    query = "How much does the Alpine tent weigh, and how long does the warranty run?"
    assert relevant(query, WEIGHT)
    assert relevant(query, WARRANTY)
    assert not relevant(query, HOURS)


def test_a_title_says_what_its_document_is_about() -> None:
    query = "How much does the Alpine Explorer weigh?"
    assert not relevant(query, "It weighs 1.8 kg.", "Coral Diver")
    assert relevant(query, "It weighs 1.8 kg.", "Alpine Explorer")


@given(WORDED, LATIN, LATIN)
def test_a_document_that_holds_the_query_word_for_word_is_relevant(
    query: str, before: str, after: str
) -> None:
    if tokens(query):
        assert relevant(query, query)
        assert relevant(query, f"{before}. {query} .{after}")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Which tent is dry?", ["Which tent is dry?"]),
        (
            "How heavy is it, and who designed it?",
            ["How heavy is it", "who designed it?"],
        ),
        ("Is it dry? Is it green?", ["Is it dry?", "Is it green?"]),
        ("Is it dry and warm?", ["Is it dry and warm?"]),
        ("Which tents and mats are dry?", ["Which tents and mats are dry?"]),
        ("what does it weigh and how many people sleep in it", None),
        ("Was wiegt es und wer hat es entworfen?", ["Was wiegt es", "wer hat es entworfen?"]),
        ("We hike in May. Which tent is dry? Thanks!", ["Which tent is dry?"]),
        ("Compare the tents and their prices.", ["Compare the tents and their prices."]),
        ("Is it dry? Why?", ["Is it dry? Why?"]),
        ("这款帐篷防水吗？保修期多长？", ["这款帐篷防水吗？", "保修期多长？"]),
        ("???", ["???"]),
    ],
)
def test_a_query_is_split_where_another_question_begins(
    query: str, expected: list[str] | None
) -> None:
    assert intents(query) == (expected or ["what does it weigh", "how many people sleep in it"])


@given(TEXTS)
def test_every_query_has_an_intent_and_no_intent_words_of_its_own(query: str) -> None:
    found = intents(query)
    assert found
    held = {word.form for word in words(query)}
    assert {word.form for each in found for word in words(each) if word.counts} <= held


def test_each_intent_names_the_documents_that_answer_it() -> None:
    query = "How much does the Alpine tent weigh? How long does the warranty run? Is it red?"
    found = retrieved(query, WEIGHT, WARRANTY, HOURS, document_ids=["a", "b", "c"])
    assert [(each["answered"], each["documents"]) for each in found] == [
        ("yes", ["a"]),
        ("yes", ["b"]),
        ("no", []),
    ]
    assert found[2]["reason"] == "The best document does not: 'red' is in no document."


def test_documents_without_ids_are_numbered_from_one() -> None:
    (found,) = retrieved("How long does the warranty run?", WEIGHT, WARRANTY)
    assert found["documents"] == ["2"]


def test_each_document_has_its_own_title() -> None:
    texts, titles = ["It weighs 2 kg.", "It weighs 3 kg."], ["Alpine Explorer", "Coral Diver"]
    (found,) = retrieved("How much does the Coral Diver weigh?", *texts, titles=titles)
    assert found["documents"] == ["2"]


def test_without_a_query_the_last_question_of_the_conversation_is_it() -> None:
    turns = ["Is it red?", "No.", "How long does the warranty run?", "One moment."]
    (found,) = retrieved(None, WEIGHT, WARRANTY, history=turns)
    assert (found["intent"], found["documents"]) == (turns[2], ["2"])
    (found,) = retrieved(None, WEIGHT, history=["The warranty."])
    assert (found["intent"], found["documents"]) == ("The warranty.", [])


@given(st.none() | TEXTS, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3))
def test_any_texts_get_intents_with_documents_that_are_there(
    query: str | None, documents: list[str], history: list[str]
) -> None:
    found = retrieved(query, *documents, history=history)
    assert found
    for each in found:
        assert each["answered"] == ("yes" if each["documents"] else "no")
        assert {*each["documents"]} <= {"1", "2", "3"}
        assert each["reason"]


def test_documents_suffice_together() -> None:
    truth = "The Alpine tent weighs 1.8 kg. The warranty runs two years."
    assert sufficient(truth, WEIGHT, WARRANTY, facts=("Our shops open at nine.",)) == {
        "missing": ["Our shops open at nine."],
        "reason": "The documents do not bear out 1 of 3 facts. In the first of these, 'shops', "
        "'open', 'nine' are in no document.",
        "verdict": "no",
    }
    assert sufficient(truth, WEIGHT, WARRANTY)["verdict"] == "yes"
    assert sufficient(truth, WEIGHT)["missing"] == ["The warranty runs two years."]
    assert sufficient("The warranty runs nine years.", WARRANTY, HOURS)["verdict"] == "no"


def test_nothing_suffices_where_nothing_is_expected() -> None:
    assert sufficient(None, WEIGHT)["verdict"] == "no"


@given(TEXTS, TEXTS, st.text(alphabet="ωψφχξθ .", max_size=80))
def test_an_unrelated_document_takes_nothing_away(truth: str, document: str, other: str) -> None:
    shared = {word.form for word in words(other)} & {word.form for word in words(document + truth)}
    if not shared - {"."}:
        before = sufficient(truth, document)
        assert before["verdict"] in ("yes", "no")
        if before["verdict"] == "yes":
            assert sufficient(truth, document, other)["verdict"] == "yes"
            assert sufficient(truth, other, document)["verdict"] == "yes"
