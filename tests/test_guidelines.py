"""Guidelines: own and global ones, in sets by name, each set rated by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_llmeval.data.cases import Case
from pytest_llmeval.errors import CaseError, JudgeRefused, PartlyJudged, UsageError
from pytest_llmeval.judges.base import Question
from pytest_llmeval.results import Outcome
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.testing import ScriptedJudge

KEPT = {"broken": [], "reason": "all kept", "verdict": "yes"}
NAMED = {"tone": ["Be polite."], "facts": ["Name the years.", "Name the price."]}


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(Settings(mode="off"))
    yield session
    session.close()


@pytest.fixture
def with_globals() -> Iterator[Session]:
    session = Session(Settings(mode="off", guideline=("Answer in English.",)))
    yield session
    session.close()


def case(**fields: Any) -> Case:
    return Case.model_validate({"query": "q", "response": "Two years.", **fields})


def sets_asked(session: Session, judged: Case, guidelines: Any = ()) -> dict[str, str]:
    """What was asked about, by the names of the parts."""
    judge = ScriptedJudge(KEPT)
    options = {"guidelines": guidelines}
    result = session.evaluate(judged, "guideline_adherence", judge=judge, options=options)
    assert result.error is None, result.error
    asked = [question.inputs["guidelines"] for question in judge.questions]
    return dict(zip([part.name for part in result.parts], asked, strict=True))


def test_a_plain_list_is_one_set_and_named_lists_are_sets_by_their_names(session: Session) -> None:
    assert sets_asked(session, case(guidelines=["a", "b"])) == {"guidelines": "- a\n- b"}
    assert sets_asked(session, case(guidelines=NAMED)) == {
        "tone": "- Be polite.",
        "facts": "- Name the years.\n- Name the price.",
    }


def test_global_guidelines_hold_beside_a_cases_own_and_will_do_alone(
    with_globals: Session,
) -> None:
    assert sets_asked(with_globals, case()) == {"global": "- Answer in English."}
    assert sets_asked(with_globals, case(guidelines=["a"])) == {
        "guidelines": "- a",
        "global": "- Answer in English.",
    }


def test_those_of_a_call_join_the_global_ones_and_none_is_asked_about_twice(
    with_globals: Session,
) -> None:
    assert sets_asked(with_globals, case(), ["Answer in English.", "b"]) == {
        "global": "- Answer in English.\n- b"
    }
    assert sets_asked(with_globals, case(guidelines={"tone": ["a"]}), {"tone": ["b", "a"]}) == {
        "tone": "- a\n- b",
        "global": "- Answer in English.",
    }


def test_blank_guidelines_are_none(session: Session) -> None:
    assert sets_asked(session, case(guidelines={"a": ["", " \u200b"], "b": [" ", "x"]})) == {
        "b": "- x"
    }


@pytest.mark.parametrize(
    ("guidelines", "state"), [((), "missing"), (("",), "blank"), ({"tone": (" ",)}, "blank")]
)
def test_no_guideline_at_all_is_an_error_that_names_both_ways_to_give_some(
    session: Session, guidelines: Any, state: str
) -> None:
    judge = ScriptedJudge(KEPT)
    lacking = case(id="c7", guidelines=guidelines)
    error = session.evaluate(lacking, "guideline_adherence", judge=judge).error
    assert isinstance(error, CaseError)
    assert f"needs guidelines, which are {state} in case 'c7', and no global ones" in str(error)
    assert "--llm-eval-guideline" in str(error)
    assert judge.questions == []


@pytest.mark.parametrize("given", ["Be polite.", 5, [5], {"tone": "Be polite."}, {5: ["a"]}])
def test_guidelines_of_another_shape_are_refused(session: Session, given: Any) -> None:
    judge = ScriptedJudge(KEPT)
    options = {"guidelines": given}
    with pytest.raises(UsageError, match="guideline_adherence: guidelines: "):
        session.evaluate(case(), "guideline_adherence", judge=judge, options=options)
    assert judge.questions == []


def by_set(question: Question[Any]) -> Any:
    if "Be polite" in question.inputs["guidelines"]:
        fault = {"guideline": "«be  polite»", "why": "It says fool."}
        return {"broken": [fault], "reason": "Rude.", "verdict": "no"}
    return KEPT


def test_one_broken_set_fails_the_whole_and_is_named_with_the_guideline(session: Session) -> None:
    judge = ScriptedJudge(by_set)
    result = session.evaluate(case(guidelines=NAMED), "guideline_adherence", judge=judge)
    assert (result.outcome, result.label) == (Outcome.FAILED, "no")
    assert [(part.name, part.score) for part in result.parts] == [("tone", 0), ("facts", 1)]
    assert result.reason == "1 of 2 sets of guidelines are kept; tone: Rude."
    (broken,) = result.evidence
    assert (broken.kind, broken.text, broken.why) == ("broken", "Be polite.", "It says fool.")


@pytest.mark.parametrize("named", ["be  polite.", "“Be polite.”", "- Be polite.", "2. Be polite."])
def test_a_guideline_that_is_quoted_loosely_is_known_all_the_same(
    session: Session, named: str
) -> None:
    fault = {"guideline": named, "why": "w"}
    judge = ScriptedJudge({"broken": [fault], "reason": "r", "verdict": "no"})
    judged = case(guidelines=["Name the years.", "Be polite and be brief.", "Be polite.", "Be"])
    result = session.evaluate(judged, "guideline_adherence", judge=judge)
    assert [(each.kind, each.text) for each in result.evidence] == [("broken", "Be polite.")]


def test_a_set_without_a_rating_is_an_error_that_keeps_the_others(session: Session) -> None:
    def reply(question: Question[Any]) -> Any:
        return JudgeRefused("declined") if "years" in question.inputs["guidelines"] else KEPT

    judged = case(guidelines=NAMED)
    result = session.evaluate(judged, "guideline_adherence", judge=ScriptedJudge(reply))
    assert isinstance(result.error, PartlyJudged)
    assert str(result.error).startswith("1 of 2 sets of guidelines got no rating:\n  facts: decl")
    assert [part.score for part in result.parts] == [1, None]


def test_what_the_guidelines_speak_of_is_shown_by_name_and_blank_texts_are_not(
    session: Session,
) -> None:
    judge = ScriptedJudge(KEPT)
    texts = {"terms": "Two years.", "draft": " \u200b", "letter": "Dear Sir"}
    judged = case(guidelines=["a"], guidelines_context=texts)
    session.evaluate(judged, "guideline_adherence", judge=judge)
    assert judge.questions[0].inputs["guidelines_context"] == (
        "terms:\nTwo years.\n\nletter:\nDear Sir"
    )


def test_guidelines_add_up_over_command_line_environment_and_ini() -> None:
    settings = Settings.read(
        command_line=lambda option: ["c"] if option.name == "guideline" else None,
        environment={"LLM_EVAL_GUIDELINE": "b1; b2"},
        ini=lambda option: ["a", ""] if option.name == "guideline" else None,
    )
    assert settings.guideline == ("a", "b1", "b2", "c")
