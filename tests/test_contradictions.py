"""Replies that contradict themselves, or what was asked about: asked for again, then an error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_llmeval.data.cases import Case
from pytest_llmeval.errors import UnreadableReply
from pytest_llmeval.results import Outcome
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.testing import ScriptedJudge

WEIGHT, SLEEPS = "It weighs 2 kg.", "It sleeps two."
CASE = Case.model_validate(
    {
        "query": "How heavy is the tent?",
        "response": f"Hello! {WEIGHT} {SLEEPS}",
        "context": ["The tent is green."],
        "expected_facts": ["It weighs 3 kg.", "It is green."],
    }
)
YES_NO = {"scale": "yes_no"}


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(Settings(mode="off"))
    yield session
    session.close()


def ungrounded(*quotes: str, **decided: Any) -> dict[str, Any]:
    named = [{"quote": each, "why": "w"} for each in quotes]
    return {"ungrounded": named, "reason": "r", **decided}


def lacking(*facts: str, **decided: Any) -> dict[str, Any]:
    faults = [{"fact": each, "kind": "missing", "why": "w"} for each in facts]
    return {"faults": faults, "reason": "r", **decided}


CONTRADICTIONS: dict[str, tuple[str, dict[str, Any], Any, Any, str]] = {
    "the top level with a sentence that is ungrounded": (
        "groundedness",
        {},
        ungrounded(WEIGHT, score=5),
        ungrounded(WEIGHT, score=4),
        "level 5 is for responses in which no sentence is ungrounded",
    ),
    "a yes with every claim ungrounded": (
        "groundedness",
        YES_NO,
        {**ungrounded(WEIGHT, f"“{SLEEPS}”"), "verdict": "yes"},
        ungrounded(WEIGHT, verdict="yes"),
        "not supported where each sentence of it is ungrounded",
    ),
    "a yes with the whole response ungrounded": (
        "groundedness",
        YES_NO,
        {**ungrounded(f"{WEIGHT} {SLEEPS}"), "verdict": "yes"},
        {**ungrounded(f"{WEIGHT} {SLEEPS}"), "verdict": "no"},
        "not supported where each sentence of it is ungrounded",
    ),
    "a yes that lacks every expected fact": (
        "correctness",
        {},
        lacking("It is green", "it weighs 3 kg", verdict="yes"),
        lacking("It is green", verdict="yes"),
        "lacks each expected fact is not correct",
    ),
}


@pytest.mark.parametrize("which", CONTRADICTIONS)
def test_a_reply_that_contradicts_itself_is_asked_for_again_and_then_unreadable(
    session: Session, which: str
) -> None:
    metric, options, wrong, right, told = CONTRADICTIONS[which]
    judge = ScriptedJudge([wrong, right])
    result = session.evaluate(CASE, metric, judge=judge, options=options)
    assert result.error is None
    assert result.graded is not None
    assert told in judge.messages[-1][-1][1]
    result = session.evaluate(CASE, metric, judge=ScriptedJudge(wrong), options=options)
    assert (result.outcome, result.graded) == (Outcome.ERROR, None)
    assert isinstance(result.error, UnreadableReply)
    assert told in result.error.fault


def test_the_only_expected_fact_cannot_be_missing_in_a_correct_response(session: Session) -> None:
    judge = ScriptedJudge(lacking("Three kilograms.", verdict="yes"))
    for expected in (
        {"expected_facts": ("Three kilograms.",)},
        {"ground_truth": "Three kilograms."},
    ):
        case = CASE.model_copy(update={"expected_facts": (), **expected})
        assert isinstance(session.evaluate(case, "correctness", judge=judge).error, UnreadableReply)
    longer = CASE.model_copy(update={"ground_truth": "It is a tent.", "expected_facts": ()})
    assert session.evaluate(longer, "correctness", judge=judge).passed


def test_a_part_of_a_sentence_or_a_fact_may_be_lacking_in_a_good_response(session: Session) -> None:
    judge = ScriptedJudge(ungrounded("2 kg", "two", verdict="yes"))
    assert session.evaluate(CASE, "groundedness", judge=judge, options=YES_NO).passed
    judge = ScriptedJudge(lacking("3 kg", "green", verdict="yes"))
    assert session.evaluate(CASE, "correctness", judge=judge).passed


def test_a_blank_quote_names_nothing(session: Session) -> None:
    judge = ScriptedJudge(ungrounded(" ", score=5))
    assert session.evaluate(CASE, "groundedness", judge=judge).score == 5


def test_no_reference_answer_can_be_given_where_nothing_bears_on_the_query(
    session: Session,
) -> None:
    turns = [("user", "Which tent?"), ("assistant", "The Alpine."), ("user", "How heavy?")]
    messages = [{"role": role, "content": text} for role, text in turns]
    messages.append({"role": "assistant", "content": "Two kilograms."})
    case = Case.model_validate({"messages": messages, "context": ["The tent is green."]})
    wrong = {"reason": "r", "bearing": "no", "answer": "Two kilograms."}
    result = session.evaluate(case, "relevance", judge=ScriptedJudge(wrong))
    assert isinstance(result.error, UnreadableReply)
    assert "'answer' is not empty though 'bearing' is no" in result.error.fault
    judge = ScriptedJudge([wrong, {**wrong, "answer": " "}])
    assert session.evaluate(case, "relevance", judge=judge).score == 5
