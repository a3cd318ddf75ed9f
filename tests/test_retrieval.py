"""Retrieval: a score computed from the intents of the query and the documents that are there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from active_session import active_session
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import Case, Document, Evidence, Outcome, Part, Result, evaluate
from pytest_llmeval.errors import CaseError, UnreadableReply
from pytest_llmeval.metrics.part_names import document_names
from pytest_llmeval.testing import ScriptedJudge

CONTEXT = [{"content": "Two years.", "id": "warranty"}, "Green.", {"content": "x", "id": " "}]


@pytest.fixture(autouse=True, scope="module")
def _session() -> Iterator[None]:
    with active_session(mode="off"):
        yield


def intent(answered: str, *documents: Any, text: str = "i") -> dict[str, Any]:
    return {"intent": text, "reason": "r", "answered": answered, "documents": [*documents]}


def judged(*intents: dict[str, Any], context: Any = CONTEXT, **fields: Any) -> Result:
    judge = ScriptedJudge({"intents": [*intents]})
    case = Case.model_validate({"query": "q", "context": context, **fields})
    return evaluate(case, "retrieval", judge=judge)


def test_the_score_is_the_share_of_intents_that_the_documents_answer() -> None:
    result = judged(
        intent("yes", "warranty", text="how long"),
        intent("yes", "2", "warranty", text="which colour"),
        intent("no", text="what it costs"),
    )
    assert result.score == pytest.approx(1 + 4 * 2 / 3)
    assert result.outcome is Outcome.FAILED
    assert result.reason == "the documents answer 2 of 3 intents of the query"
    assert result.evidence == (Evidence("unanswered", "what it costs", "r"),)
    assert result.parts == (
        Part("warranty", 1.0, "answers: how long; which colour"),
        Part("2", 1.0, "answers: which colour"),
        Part("3", 0.0),
    )


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_every_intent_has_the_same_weight(met: list[bool]) -> None:
    result = judged(*(intent("yes", "2") if each else intent("no") for each in met))
    assert result.score == pytest.approx(1 + 4 * sum(met) / len(met))
    assert len(result.evidence) == met.count(False)
    assert [part.score for part in result.parts] == [0, float(any(met)), 0]
    assert result.passed == (sum(met) / len(met) >= 0.75)


@pytest.mark.parametrize(
    ("documents", "why"),
    [
        ((), "counted as no: the judge names no document; r"),
        (("4", "Warranty"), "counted as no: there is no document 4, Warranty; r"),
    ],
)
def test_a_yes_that_names_no_known_document_counts_as_no(
    documents: tuple[str, ...], why: str
) -> None:
    result = judged(intent("yes", *documents))
    assert result.score == 1
    assert result.evidence == (Evidence("unanswered", "i", why),)
    assert not any(part.score for part in result.parts)


def test_a_no_makes_no_document_relevant_whatever_it_names() -> None:
    assert [part.score for part in judged(intent("no", "2")).parts] == [0, 0, 0]


def test_one_known_document_is_enough_for_a_yes_and_numbers_name_documents_too() -> None:
    result = judged(intent("yes", "9", " warranty "), intent("yes", 2, 2))
    assert result.score == 5
    assert [part.score for part in result.parts] == [1, 1, 0]
    assert result.parts[1].reason == "answers: i"


@pytest.mark.parametrize("intents", [[], [intent("yes", "2", text=" ")]])
def test_a_reply_without_intents_is_asked_for_once_more_and_then_unreadable(
    intents: list[dict[str, Any]],
) -> None:
    case = Case.model_validate({"query": "q", "context": CONTEXT})
    judge = ScriptedJudge([{"intents": intents}, {"intents": [intent("yes", "2")]}])
    assert evaluate(case, "retrieval", judge=judge).score == 5
    error = judged(*intents).error
    assert type(error) is UnreadableReply
    assert "at least one intent is needed" in error.fault


@pytest.mark.parametrize("documents", [None, "2", [True], [None], [["2"]]])
def test_ids_that_are_none_are_unreadable(documents: Any) -> None:
    assert type(judged({**intent("yes"), "documents": documents}).error) is UnreadableReply


def test_a_conversation_is_enough_and_its_earlier_turns_tell_what_is_meant() -> None:
    judge = ScriptedJudge({"intents": [intent("yes", "1")]})
    turns = [("user", "Which tent?"), ("assistant", "The Alpine."), ("user", "And its price?")]
    messages = [{"role": role, "content": content} for role, content in turns]
    case = Case.model_validate({"messages": messages, "context": "It costs $300."})
    assert evaluate(case, "retrieval", judge=judge).score == 5
    asked = judge.questions[0]
    assert asked.inputs["query"] == "And its price?"
    assert asked.inputs["history"] == ["Which tent?", "The Alpine."]
    assert "id: 1\nIt costs $300." in asked.messages[1][1]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"query": None}, "retrieval needs query or messages, which are missing in the case"),
        ({"context": None}, "retrieval needs context, which is missing in the case"),
    ],
)
def test_what_is_lacking_is_named(fields: dict[str, Any], told: str) -> None:
    error = judged(intent("no"), **fields).error
    assert type(error) is CaseError
    assert str(error) == told


NAMED = st.builds(
    Document, content=st.just("d"), id=st.none() | st.sampled_from("123a ") | st.text()
)


@given(st.lists(NAMED, max_size=8))
def test_no_two_documents_are_called_the_same(documents: list[Document]) -> None:
    names = document_names(documents)
    assert len(set(names)) == len(names) == len(documents)
    assert all(name == name.strip() != "" for name in names)


def test_a_document_is_called_by_its_id_else_by_its_number() -> None:
    ids = ["a", None, "a", "5", None, "a"]
    named = document_names([Document(content="d", id=each) for each in ids])
    assert named == ["a", "2", "a (2)", "5", "5 (2)", "a (3)"]


def test_thousands_of_documents_of_one_id_are_named_in_no_time() -> None:
    began = time.process_time()
    names = document_names([Document(content="d", id="a") for _ in range(20_000)])
    assert time.process_time() - began < 2
    assert (names[-1], len(set(names))) == ("a (20000)", 20_000)
