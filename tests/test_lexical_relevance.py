"""The lexical judge on relevance: whether a response is about the query at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lexical_judge import asked

TENTS = (
    "The Alpine Explorer is the most waterproof of our tents. It weighs 1.8 kg and was designed by "
    "Maria Keller in 2019."
)
TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=150)


def judged(query: str, response: str, *documents: str) -> Any:
    return asked("relevance", query=query, response=response, documents=list(documents))


@pytest.mark.parametrize(
    ("query", "response"),
    [
        ("Which tent is the most waterproof?", "The most waterproof tent is the Alpine Explorer."),
        ("How much does it weigh?", "1.8 kg"),
        ("When was it designed?", "In the spring of last year, after long tests."),
        ("Who designed the tent?", "Maria Keller."),
        ("Is it waterproof?", "Yes."),
        ("who designed the tent?", "the tent was designed by maria keller"),
        ("帐篷防水吗？", "这款帐篷防水性能很好。"),
        ("هل الخيمة مقاومة للماء؟", "نعم، الخيمة مقاومة للماء."),
    ],
)
def test_an_answer_is_relevant(query: str, response: str) -> None:
    assert judged(query, response)["score"] >= 4


@pytest.mark.parametrize(
    ("query", "response", "score", "reason"),
    [
        ("Which tent is dry?", "Our shops open at nine.", 1, "does not take up 'tent', 'dry'"),
        ("Which tent is dry?", "Which tent is dry?", 2, "says nothing that the query does not say"),
        ("How much does the tent weigh?", "The tent weighs little.", 2, "gives neither a number"),
        ("Who designed the tent?", "The tent has a nice design.", 2, "names nobody"),
        ("Which tent is dry?", "I'm sorry, that tent is dry.", 1, "declines to answer"),
        ("Which tent is dry?", "I don't know which tent is dry.", 1, "declines to answer"),
        ("Which tent is dry?", "We cannot find any dry tent.", 1, "declines to answer"),
        ("Which tent is dry?", "The documents do not say which tent is dry.", 1, "declines"),
        ("Quelle tente est sèche ?", "Je ne sais pas quelle tente est sèche.", 1, "declines"),
        ("哪个帐篷防水？", "我不知道哪个帐篷防水。", 1, "declines"),
    ],
)
def test_what_does_not_answer_is_told_by_its_words(
    query: str, response: str, score: int, reason: str
) -> None:
    reply = judged(query, response)
    assert reply["score"] == score
    assert reason in reply["reason"]


def test_a_policy_is_no_refusal_to_answer() -> None:
    assert judged("Do you refund tents?", "We do not refund tents after 30 days.")["score"] >= 4


def test_a_refusal_further_down_leaves_the_answer_standing() -> None:
    response = "The dry tent is the Alpine. I don't know its price."
    assert judged("Which tent is dry?", response)["score"] >= 4


def test_a_short_answer_is_recognised_by_the_documents() -> None:
    query = "Which tent is the most waterproof?"
    assert judged(query, "The Alpine Explorer.", TENTS)["score"] >= 4
    assert judged(query, "The Coral Diver.", TENTS)["score"] < 4
    assert judged(query, "The Alpine Explorer.", "Shops open at nine.")["score"] < 4


def test_a_name_somewhere_is_no_answer_to_who_in_a_long_response() -> None:
    response = "The Coral Diver is a mask that Ocean Gear of Lisbon sells in shops around Portugal."
    assert judged("Who designed the tent?", response)["score"] < 4


def test_a_short_answer_from_far_off_in_the_documents_is_not_recognised() -> None:
    document = f"The best tent is dry. {'Boats passed along the shore. ' * 20}The Coral Diver."
    assert judged("Which tent is the best?", "The Coral Diver.", document)["score"] < 4


def test_half_of_a_query_is_half_relevant() -> None:
    reply = judged("Compare the warranty, weight, colour and price.", "It has a two year warranty.")
    assert reply["score"] == 3
    assert reply["reason"] == "The response does not take up 'Compare', 'weight', 'colour'."


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=2))
def test_any_texts_get_a_score_and_a_reason(
    query: str, response: str, documents: list[str]
) -> None:
    reply = judged(query, response, *documents)
    assert reply["score"] in (1, 2, 3, 4, 5)
    assert reply["reason"].startswith("The response ")


def test_answers_to_other_questions_are_told_from_answers() -> None:
    folder = Path(os.environ.get("LLM_EVAL_DATA", Path(__file__).parent.parent / "../shared/data"))
    data = folder / "relevance.jsonl"
    if not data.exists():
        pytest.skip(f"data absent: {data}")
    rows = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
    passed = {True: [0, 0], False: [0, 0]}
    for row in rows:
        useful = row["label"] >= 4
        passed[useful][0] += judged(row["query"], row["response"])["score"] >= 4
        passed[useful][1] += 1
    found, wrong = (passed[useful][0] / passed[useful][1] for useful in (True, False))
    assert (found + 1 - wrong) / 2 > 0.62
