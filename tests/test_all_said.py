"""What metrics of harm judge of a conversation: all that the assistant said in the turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from active_session import active_session
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import (
    Case,
    JudgedMetric,
    Outcome,
    Suite,
    assert_quality,
    evaluate,
    metric,
)
from pytest_llmeval.data.conversation import as_judged
from pytest_llmeval.data.turns import turns_of
from pytest_llmeval.judges.base import Question
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.session import Session
from pytest_llmeval.testing import ScriptedJudge

WORDS = {"u": "user", "a": "assistant", "c": "assistant", "s": "system", "t": "tool"}
OF_HARM = {"safety", "hate_unfairness", "sexual", "violence", "self_harm"}
KNIFE = "a-knife"


@pytest.fixture
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


def talk(said: str, **fields: Any) -> Case:
    """``u1 a1`` as a conversation; ``c1`` is text of the assistant that comes with a tool call,
    ``c`` a tool call alone."""
    messages = [
        {
            "role": WORDS[each[0]],
            "content": each if len(each) > 1 else "",
            **({"tool_calls": ["find"]} if each[0] == "c" else {}),
        }
        for each in said.split()
    ]
    return Case.model_validate({"messages": messages, **fields})


def told(case: Case) -> str:
    response = case.response if case.response is None else case.response.replace("\n\n", "+")
    return f"{' '.join(each.content for each in case.messages)}|{case.query}|{response}"


@pytest.mark.parametrize(
    ("said", "fields", "expected"),
    [
        ("u1 a1", {}, ["|u1|a1"]),
        ("u1 a1 a2", {}, ["|u1|a1+a2"]),
        ("u1 c1 t1 a2", {}, ["t1|u1|c1+a2"]),
        ("u1 c t1 a2", {}, [" t1|u1|a2"]),
        ("u1 a1 c t1", {}, ["|u1|a1"]),
        ("u1 a1 a", {}, ["|u1|a1"]),
        ("s0 a0 u1 a1", {}, ["s0|u1|a0+a1"]),
        ("a0 u1 a1 a2 u2 a3 a4", {}, ["|u1|a0+a1+a2", "a0 u1 a1 a2|u2|a3+a4"]),
        ("a0 u1 u2 a2", {}, ["u1|u2|a0+a2"]),
        ("a0 u1", {}, ["a0|u1|None"]),
        ("a0 u1", {"response": "own"}, ["|u1|a0+own"]),
        ("a0", {"query": "own", "response": "r"}, ["|own|a0+r"]),
        ("a0 u1 a1", {"query": "own", "response": "r"}, ["|u1|a0+a1", "a0 u1 a1|own|r"]),
        ("u1 a1 a2", {"response": "own"}, ["|u1|a1+own"]),
        ("u1 a1 a2", {"response": ""}, ["|u1|a1"]),
        ("u1 c1 t1", {"response": "own"}, ["t1|u1|c1+own"]),
        ("a0", {}, ["a0|None|None"]),
    ],
)
def test_all_that_was_said_in_a_turn_is_the_response_and_stands_in_no_history(
    said: str, fields: dict[str, Any], expected: list[str]
) -> None:
    case = talk(said, **fields)
    assert [told(each.case) for each in turns_of(case, whole_turn=True).turns] == expected
    assert told(as_judged(case, whole_turn=True)) == expected[-1]


SAID = st.lists(st.sampled_from(["u1", "u2", "a1", "a2", "a", "c", "c1", "t1", "s1"]), max_size=9)


@given(SAID)
def test_over_all_turns_nothing_that_the_assistant_said_goes_unjudged(said: list[str]) -> None:
    case = talk(" ".join([*said, "u", "a-last"]))
    texts = [each.content for each in case.messages if each.role == "assistant" and each.content]
    turns = [each.case for each in turns_of(case, whole_turn=True).turns]
    responses = [each.response for each in turns]
    if None not in responses:  # else the whole is an error
        assert "\n\n".join(filter(None, responses)) == "\n\n".join(texts)
    for plain, whole in zip(turns_of(case).turns, turns, strict=True):
        assert plain.case.response != whole.response or plain.case == whole


def finding(harm: str = KNIFE) -> ScriptedJudge:
    """A judge that calls a response harmful where ``harm`` stands in it, and praises all else."""

    def reply(question: Question[Any]) -> dict[str, Any]:
        found = [{"quote": harm, "why": "w"}] if harm in question.inputs["response"] else []
        values = {
            **dict.fromkeys(("harmful", "passages"), found),
            "severity": "high" if found else "very low",
            "verdict": "no" if found else "yes",
            "score": 5,
        }
        return {name: values.get(name, "r") for name in question.reply.model_fields}

    return ScriptedJudge(reply)


@pytest.mark.parametrize("name", ["safety", "violence"])
@pytest.mark.parametrize(
    ("said", "last", "turn"),
    [
        (f"u1 {KNIFE} a2", True, 1),
        ("u1 c-knife t1 a2", True, 1),
        (f"{KNIFE} u1 a1", True, 1),
        (f"u1 a1 u2 {KNIFE} a3", True, 2),
        (f"u1 a1 u2 {KNIFE} a3 u3 a4", False, 2),
        (f"{KNIFE} u1 a1 u2 a2", False, 1),
        (f"u1 a1 u2 t-{KNIFE} a2", False, None),
    ],
)
def test_harm_is_found_wherever_in_the_turn_it_was_said(
    session: Session, name: str, said: str, last: bool, turn: int | None
) -> None:
    harm = next((each for each in said.split() if each in (KNIFE, "c-knife")), KNIFE)
    of_last = evaluate(talk(said), name, judge=finding(harm))
    assert of_last.outcome is (Outcome.FAILED if last else Outcome.PASSED)
    of_each = evaluate(talk(said), name, turns="each", judge=finding(harm))
    assert of_each.outcome is (Outcome.FAILED if turn else Outcome.PASSED)
    if turn:
        assert of_each.turn == turn
        assert [(each.kind, each.text) for each in of_each.evidence] == [("harmful", harm)]
        assert harm in dict(of_each.shown)["response"]


def test_metrics_of_harm_are_those_and_all_others_judge_the_last_message(session: Session) -> None:
    assert {name for name in CATALOGUE if session.names.metrics[name].whole_turn} == OF_HARM
    judge = finding()
    assert evaluate(talk(f"u1 {KNIFE} a2"), "coherence", judge=judge).passed
    assert [each.inputs["response"] for each in judge.questions] == ["a2"]


def test_a_harm_of_ones_own_is_looked_for_in_all_that_was_said(session: Session) -> None:
    case = talk(f"u1 {KNIFE} a2")
    asked = "{{ response }}"

    @metric(needs="response", scale="severity")
    def cutlery(case: Case) -> str:
        return "high" if KNIFE in str(case.response) else "very low"

    assert evaluate(case, cutlery).outcome is Outcome.FAILED
    for scale, seen in (("severity", f"{KNIFE}\n\na2"), ("1-5", "a2")):
        judge = ScriptedJudge({"reason": "r", "verdict": "low", "score": 4})
        evaluate(case, JudgedMetric(f"own{len(seen)}", prompt=asked, scale=scale), judge=judge)
        assert judge.questions[0].inputs["response"] == seen


def test_a_suite_finds_what_was_said_before_the_last_message(session: Session) -> None:
    every = Suite("each", ["azure", "violence[each_turn]"])
    for said, failed in (
        (f"u1 a1 u2 {KNIFE} a2", [*OF_HARM - {"safety"}, "violence[each_turn]"]),
        (f"u1 {KNIFE} a1 u2 a2", ["violence[each_turn]"]),
        ("u1 a1 u2 a2", []),
    ):
        result = evaluate(talk(said), suite=every, judge=finding())
        assert ({*result.failed}, result.errors) == ({*failed}, ())
    with pytest.raises(AssertionError, match="violence"):
        assert_quality(talk(f"u1 {KNIFE} a1"), suite="azure", judge=finding())
