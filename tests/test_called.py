"""A metric called with the fields of a case, under our names or those of other tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from active_session import active_session

from pytest_llmeval import Case, CheckFailed, Document, Outcome, assert_metric, evaluate, metric
from pytest_llmeval.data.aliases import ALIASES
from pytest_llmeval.errors import CaseError, CaseTypeError, UsageError
from pytest_llmeval.session import Session
from pytest_llmeval.testing import ScriptedJudge

YES = {"faults": [], "reason": "r", "verdict": "yes"}


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


@metric(needs="query", scale="yes_no")
def seen(case: Case, reference: str = "", seen: dict[str, Any] | None = None) -> tuple[int, str]:
    """Tells what it was given."""
    if seen is not None:
        seen.update(case=case, reference=reference)
    return 1, reference


def case_of(**named: Any) -> Case:
    told: dict[str, Any] = {}
    assert evaluate(seen, seen=told, **named).error is None
    case: Case = told["case"]
    return case


def test_a_metric_takes_the_fields_of_a_case() -> None:
    case = case_of(query="q", response="r", context=["d"], id="7")
    assert case == Case(query="q", response="r", context=(Document(content="d"),), id="7")


def test_it_takes_them_under_the_names_of_other_tools() -> None:
    judge = ScriptedJudge(YES)
    result = evaluate("correctness", request="q", response="r", expected_response="e", judge=judge)
    assert result.passed
    assert judge.questions[0].inputs["ground_truth"] == "e"
    case = case_of(
        request="q",
        answer="r",
        retrieved_context=[{"doc_uri": "a", "content": "d"}],
        expected_retrieved_context=[{"doc_uri": "a"}, "b"],
        request_id="7",
    )
    assert case.context == (Document(content="d", id="a"),)
    assert (case.expected_context, case.id) == (("a", "b"), "7")


def test_every_alias_is_of_a_field() -> None:
    assert {*ALIASES.values()} <= {*Case.model_fields}
    assert not {*ALIASES} & {*Case.model_fields}


def test_where_a_name_is_both_an_option_and_a_field_the_option_wins() -> None:
    told: dict[str, Any] = {}
    evaluate(seen, query="q", reference="r", seen=told)
    assert (told["reference"], told["case"].ground_truth) == ("r", None)


def test_what_is_none_is_not_given() -> None:
    assert case_of(query="q", question=None, answer=None) == Case(query="q")


@pytest.mark.parametrize("call", [evaluate, assert_metric])
@pytest.mark.parametrize(
    ("given", "named", "told"),
    [
        (("relevance",), {"query": "q", "request": "q"}, "query is given twice: as query and as"),
        ((Case(), "relevance"), {"query": "q"}, "a whole Case was given, and query beside it"),
        (
            ("relevance",),
            {"qwery": "q"},
            "relevance has no option 'qwery': did you mean 'query'?",
        ),
        ((Case(),), {}, "a metric is its name, or a Metric; got NoneType"),
        ((), {"query": "q"}, "a metric is its name, or a Metric; got NoneType"),
        (("relevence",), {"query": "q"}, "there is no metric 'relevence'"),
    ],
)
def test_a_call_that_can_mean_two_things_or_none_is_refused(
    call: Any, given: Any, named: Any, told: str
) -> None:
    with pytest.raises(UsageError) as caught:
        call(*given, **named)
    assert told in str(caught.value)


def test_a_field_of_the_wrong_type_and_one_that_lacks_are_errors_of_the_check() -> None:
    assert isinstance(evaluate("relevance", query=5, response="r").error, CaseTypeError)
    assert isinstance(evaluate("relevance", response="r").error, CaseError)
    assert isinstance(evaluate("relevance").error, CaseTypeError)
    assert isinstance(evaluate("relevance", "relevance").error, CaseTypeError)  # type: ignore[call-overload]
    with pytest.raises(CaseTypeError, match="expected a Case, got int"):
        assert_metric(5, "relevance")  # type: ignore[call-overload]


def test_an_assertion_takes_them_the_same() -> None:
    no = {"faults": [], "reason": "r", "verdict": "no"}
    given: dict[str, Any] = {"question": "q", "answer": "a", "reference": "g"}
    assert assert_metric("correctness", judge=ScriptedJudge(YES), **given).passed
    with pytest.raises(CheckFailed):
        assert_metric("correctness", judge=ScriptedJudge(no), **given)


def test_case_and_metric_may_still_be_named() -> None:
    case = Case(query="q", response="r")
    reply = ScriptedJudge({"reason": "r", "score": 5})
    result = evaluate(case=case, metric="relevance", judge=reply, at_least=5)
    assert result.outcome is Outcome.PASSED
