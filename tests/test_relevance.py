"""Relevance: which of its three forms judges a case, and what each makes of the replies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from active_session import active_session

from pytest_llmeval import Case, Evidence, Outcome, Result, assert_relevant, evaluate
from pytest_llmeval.errors import CaseError, CaseTypeError, UnreadableReply, UsageError
from pytest_llmeval.testing import ScriptedJudge

BUILT = {"reason": "a document tells", "bearing": "yes", "answer": "Two years."}
NOTHING = {"reason": "they speak of shops", "bearing": "no", "answer": ""}
RATED = {"reason": "it says so", "score": 4, "contradicts": "no", "consistent": "yes"}
TALK = [
    {"role": "user", "content": "Which tent?"},
    {"role": "assistant", "content": "The Alpine."},
    {"role": "user", "content": "And its warranty?"},
    {"role": "assistant", "content": "Two years."},
]
FORMS = {
    "a": ["relevance"],
    "b": ["relevance/reference", "relevance/against_reference"],
    "c": ["relevance/against_ground_truth"],
}


@pytest.fixture(autouse=True)
def _session() -> Iterator[None]:
    with active_session(mode="off"):
        yield


def scripted(built: dict[str, Any] = BUILT, **rated: Any) -> ScriptedJudge:
    return ScriptedJudge(
        {name: {**RATED, **rated} for names in FORMS.values() for name in names}
        | {"relevance/reference": built}
    )


def judged(judge: ScriptedJudge, form: str = "auto", **fields: Any) -> Result:
    return evaluate(Case.model_validate(fields), "relevance", judge=judge, form=form)


SINGLE: dict[str, Any] = {"query": "Which?", "response": "This."}
DOCS: dict[str, Any] = {"context": ["d"]}
TRUTH: dict[str, Any] = {"ground_truth": "g"}
CHOICES: list[tuple[dict[str, Any], str]] = [
    (SINGLE, "a"),
    ({**SINGLE, **DOCS}, "a"),
    ({**SINGLE, **DOCS, **TRUTH}, "a"),
    ({"messages": TALK[:2], **DOCS, **TRUTH}, "a"),
    ({"messages": TALK, **DOCS}, "b"),
    ({"messages": [*TALK[:3], {**TALK[3], "context": ["d"]}]}, "b"),
    ({"messages": TALK[:2], **SINGLE, **DOCS}, "b"),
    ({"messages": TALK, **DOCS, "ground_truth": " "}, "b"),
    ({"messages": TALK, **DOCS, **TRUTH}, "c"),
    ({"messages": TALK, **TRUTH}, "c"),
    ({"messages": TALK}, "a"),
]


@pytest.mark.parametrize(("fields", "form"), CHOICES)
def test_the_case_decides_on_the_form(fields: dict[str, Any], form: str) -> None:
    judge = scripted()
    assert judged(judge, **fields).score == 4
    assert [question.task for question in judge.questions] == FORMS[form]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fields", [SINGLE, {"messages": TALK}])
def test_a_form_that_is_asked_for_is_taken(form: str, fields: dict[str, Any]) -> None:
    judge = scripted()
    judged(judge, form, **fields, **DOCS, **TRUTH)
    assert [question.task for question in judge.questions] == FORMS[form]


@pytest.mark.parametrize(("form", "need"), [("b", "context"), ("c", "ground_truth")])
def test_a_form_that_is_asked_for_and_cannot_be_judged_is_an_error(form: str, need: str) -> None:
    result = judged(scripted(), form, messages=TALK)
    assert type(result.error) is CaseError
    assert f"relevance in its form {form!r} needs {need}" in str(result.error)


def test_another_form_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(UsageError, match="form is one of 'auto', 'a', 'b', 'c'; got 'd'"):
        judged(scripted(), "d", **SINGLE)


def test_the_reference_answer_is_kept_as_evidence() -> None:
    result = judged(scripted(), messages=TALK, **DOCS)
    assert result.evidence == (Evidence("reference", "Two years."),)
    assert result.usage.asked == 2


def test_where_nothing_relevant_was_retrieved_the_answer_can_be_no_better() -> None:
    judge = scripted(NOTHING, score=1)
    result = judged(judge, messages=TALK, **DOCS)
    assert (result.score, result.evidence, len(judge.questions)) == (5, (), 1)
    assert "nothing relevant was retrieved: they speak of shops" in result.reason


@pytest.mark.parametrize("answer", ["", " \n", "\u200b"])
def test_a_reference_that_is_said_to_be_there_and_is_not_is_asked_for_once_more(
    answer: str,
) -> None:
    blank = {**BUILT, "answer": answer}
    result = judged(ScriptedJudge([blank, BUILT, RATED]), messages=TALK, **DOCS)
    assert result.evidence == (Evidence("reference", "Two years."),)
    result = judged(ScriptedJudge([blank, blank]), messages=TALK, **DOCS)
    assert type(result.error) is UnreadableReply
    assert "'answer' is empty though 'bearing' is yes" in str(result.error)


@pytest.mark.parametrize("score", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("contradicts", ["yes", "no"])
@pytest.mark.parametrize("consistent", ["yes", "no"])
def test_contradiction_caps_the_score_and_so_does_a_lack_of_consistency(
    score: int, contradicts: str, consistent: str
) -> None:
    judge = scripted(score=score, contradicts=contradicts, consistent=consistent)
    result = judged(judge, messages=TALK, **TRUTH)
    sound = (contradicts, consistent) == ("no", "yes")
    assert result.score == (score if sound else min(score, 2))
    told = f"level {score} is capped at 2" in result.reason
    assert told == (not sound and score > 2)
    assert ("contradicts the ground truth" in result.reason) == (
        told and contradicts == "yes" and consistent == "yes"
    )
    assert ("is not consistent with the ground truth" in result.reason) == (
        told and consistent == "no"
    )
    assert result.outcome is (Outcome.PASSED if sound and score >= 4 else Outcome.FAILED)


def test_a_response_is_asserted_with_the_conversation_beside_it() -> None:
    judge = scripted()
    assert assert_relevant("Two.", messages=TALK[:3], ground_truth="2", judge=judge).passed
    asked = judge.questions[0]
    assert (asked.inputs["query"], asked.inputs["response"]) == ("And its warranty?", "Two.")
    with pytest.raises(CaseTypeError, match=r"Message\.role"):
        assert_relevant("Two.", messages=[{"role": "bot", "content": "x"}], judge=judge)
