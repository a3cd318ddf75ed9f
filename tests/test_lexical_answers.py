"""The lexical judge on answers: correct, alike, about the query, in line with the documents."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lexical_judge import asked

QUERY = "Which tent is the most waterproof?"
TRUTH = "The Alpine Explorer is the most waterproof tent."
TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=150)


def correct(response: str, truth: str | None, *facts: str, query: str = QUERY) -> Any:
    inputs = {"ground_truth": truth, "expected_facts": list(facts)}
    return asked("correctness", query=query, response=response, **inputs)


def alike(response: str, truth: str, query: str | None = QUERY) -> Any:
    return asked("similarity", query=query, response=response, ground_truth=truth)


@pytest.mark.parametrize(
    ("response", "truth"),
    [
        (TRUTH, TRUTH),
        ("The Alpine Explorer.", TRUTH),
        ("It is the Alpine Explorer, which sleeps two and comes in green.", TRUTH),
        ("No, it is wet.", "It is wet."),
        ("1800 g", "1,800 g"),
        ("这款帐篷重2公斤，可以睡两个人。", "帐篷重2公斤。"),
        ("Sie wiegt 2 kg.", "2 kg"),
    ],
)
def test_what_says_the_expected_answer_is_correct(response: str, truth: str) -> None:
    assert correct(response, truth) == {
        "faults": [],
        "reason": "The response states every expected fact.",
        "verdict": "yes",
    }


@pytest.mark.parametrize(
    ("response", "truth", "kind", "why"),
    [
        ("The Coral Diver.", "Alpine", "missing", "'Alpine' is not in the response"),
        ("Coral Diver is the most waterproof tent.", TRUTH, "contradicted", "it says 'Alpine'"),
        ("It is not the Alpine Explorer.", "Alpine Explorer", "contradicted", "with a negation"),
        ("The Alpine Explorer isn't waterproof.", TRUTH, "contradicted", "does not negate"),
        (
            "It weighs 2 kg.",
            "It weighs 1.8 kg.",
            "contradicted",
            "it says '1.8 kg' where the response says '2 kg'",
        ),
        ("No.", "Yes.", "missing", "'Yes' is not in the response"),
        ("这款帐篷不防水。", "这款帐篷防水。", "contradicted", "the response"),
        ("", TRUTH, "missing", "are not in the response"),
    ],
)
def test_a_fault_is_missing_or_contradicted_and_told(
    response: str, truth: str, kind: str, why: str
) -> None:
    reply = correct(response, truth)
    assert reply["verdict"] == "no"
    (fault,) = reply["faults"]
    assert (fault["fact"], fault["kind"]) == (truth, kind)
    assert why in fault["why"]
    assert reply["reason"].startswith("The response does not state 1 of 1 expected facts. Of the")


def test_a_name_elsewhere_in_the_response_is_no_other_name() -> None:
    fact = "The Alpine sleeps two and weighs 2 kg."
    far = "This tent sleeps two and weighs 2 kg. You can have it sent to any address from Lisbon."
    assert correct(far, fact)["verdict"] == "yes"
    assert correct("The Lisbon sleeps two and weighs 2 kg.", fact)["verdict"] == "no"


def test_each_expected_fact_is_looked_for_beside_the_ground_truth() -> None:
    facts = ("It weighs 1.8 kg.", "It sleeps two.", "It comes in green.")
    reply = correct("The Alpine sleeps two and weighs 2 kg.", "The Alpine.", *facts)
    assert [(fault["fact"], fault["kind"]) for fault in reply["faults"]] == [
        ("It weighs 1.8 kg.", "contradicted"),
        ("It comes in green.", "missing"),
    ]


def test_words_of_the_query_are_no_answer() -> None:
    truth, response = "The Alpine is the most waterproof tent.", "The most waterproof tent."
    assert correct(response, truth)["verdict"] == "no"
    assert correct(response, truth, query="?")["verdict"] == "yes"


def test_answers_without_a_word_are_the_same_only_where_they_are_identical() -> None:
    assert correct("👍", "👍")["verdict"] == "yes"
    assert correct("👎", "👍")["faults"] == [
        {"fact": "👍", "kind": "missing", "why": "it has no words to look for"}
    ]
    assert alike("👍", "👍")["score"] == 5
    assert alike("👎", "👍")["score"] == 1


def test_an_answer_held_against_nothing_is_not_correct() -> None:
    assert correct("The Alpine Explorer.", None)["verdict"] == "no"


@pytest.mark.parametrize(
    ("response", "score"),
    [
        (TRUTH, 5),
        ("THE ALPINE EXPLORER is the most waterproof tent", 5),
        ("The most waterproof tent? The Alpine Explorer.", 5),
        ("The Alpine Explorer, which comes in green.", 4),
        ("The Coral Diver is the most waterproof tent.", 2),
        ("The Alpine Explorer is not the most waterproof tent.", 2),
        ("Our shops open at nine.", 1),
        ("", 1),
    ],
)
def test_the_more_of_the_ground_truth_is_said_the_more_alike(response: str, score: int) -> None:
    assert alike(response, TRUTH)["score"] == score


def test_what_is_added_counts_less_than_what_is_left_out() -> None:
    more, less = "The tent is dry, green, light, big and cheap.", "The tent is dry."
    assert alike(more, less, None)["score"] > alike(less, more, None)["score"]


def test_one_contradiction_among_many_claims_costs_less_than_one_of_two() -> None:
    truth = "The tent is dry. It sleeps two. It comes in green. It costs 300 euros."
    wrong = "The tent is dry. It sleeps two. It comes in green. It costs 200 euros."
    assert alike(wrong, truth, None)["score"] == 3
    assert alike("It costs 200 euros.", "It costs 300 euros.", None)["score"] == 2


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (TRUTH, "Both say the same, in the same words or nearly so."),
        (f"{TRUTH} It is green.", "'green' is not in the ground truth."),
        ("The Alpine.", "Of the ground truth, 'Explorer', 'waterproof', 'tent' are not in"),
        (
            "Coral Explorer is the most waterproof tent.",
            "Of the ground truth, it says 'Alpine' where the response says 'Coral'.",
        ),
    ],
)
def test_what_the_two_do_not_share_is_told(response: str, reason: str) -> None:
    assert alike(response, TRUTH)["reason"].startswith(reason)


@given(TEXTS, TEXTS)
def test_a_response_that_is_the_ground_truth_is_correct_and_the_same(text: str, query: str) -> None:
    if text.strip():
        assert alike(text, text, query)["score"] == 5
        assert correct(text, text, query=query)["verdict"] == "yes"


@given(TEXTS, TEXTS, TEXTS, st.lists(TEXTS, max_size=2))
def test_any_texts_get_a_verdict_that_agrees_with_its_faults(
    query: str, response: str, truth: str, texts: list[str]
) -> None:
    reply = correct(response, truth, *texts, query=query)
    assert (reply["verdict"] == "yes") == (not reply["faults"]) or not truth.strip()
    assert all(fault["why"] for fault in reply["faults"])
    assert alike(response, truth, query)["score"] in (1, 2, 3, 4, 5)
    inputs = {"query": query, "response": response, "documents": texts}
    for task in ("relevance_to_query", "context_relevancy"):
        reply = asked(task, **inputs)
        assert reply["verdict"] in ("yes", "no")
        assert reply["reason"]


def test_a_response_is_about_the_query_where_it_takes_it_up() -> None:
    def verdict(response: str) -> str:
        return str(asked("relevance_to_query", query=QUERY, response=response)["verdict"])

    assert verdict("The Alpine is the most waterproof.") == "yes"
    assert verdict("Our shops open at nine.") == "no"
    assert verdict("I don't know which tent is the most waterproof.") == "no"


@pytest.mark.parametrize(
    ("query", "response", "verdict", "reason"),
    [
        (QUERY, "The Alpine tent is the most waterproof.", "yes", "bear out every sentence"),
        (QUERY, "The Coral tent is not waterproof at all.", "no", "do not bear this out"),
        (QUERY, "Our shops open at nine.", "no", "does not take up 'tent', 'waterproof'"),
        (QUERY, "I don't know which tent it is.", "no", "declines to answer"),
        ("Go on.", "Our shops open at nine.", "yes", "bear out every sentence"),
    ],
)
def test_a_response_is_in_line_with_query_and_documents(
    query: str, response: str, verdict: str, reason: str
) -> None:
    documents = ["The Alpine tent is the most waterproof.", "Our shops open at nine."]
    reply = asked("context_relevancy", query=query, response=response, documents=documents)
    assert reply["verdict"] == verdict
    assert reason in reply["reason"]
