"""Calls that cannot be meant: clear words in place of an error from within."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Literal

import pytest
from active_session import active_session

from pytest_llmeval import Case, assert_grounded, assert_metric, assert_metrics, evaluate
from pytest_llmeval.errors import CaseError, CaseTypeError, UsageError
from pytest_llmeval.metrics.base import Metric
from pytest_llmeval.metrics.built_in import built_in
from pytest_llmeval.metrics.pass_rules import parse_threshold, threshold_of
from pytest_llmeval.results import Outcome, Part, Verdict
from pytest_llmeval.scales import FRACTION, ONE_TO_FIVE, YES_NO, Scale, Threshold
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings

CASE = Case.model_validate({"response": "It sleeps two.", "context": "It sleeps two."})


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with active_session(mode="off", model="lexical") as session:
        yield session


@pytest.mark.parametrize("case", [None, "text", {"response": "a"}, 5, ["a"], object()])
def test_what_is_no_case_is_an_error_that_says_what_came(case: Any, session: Session) -> None:
    result = evaluate(case, "groundedness")
    assert result.outcome is Outcome.ERROR
    assert type(result.error) is CaseTypeError
    assert f"expected a Case, got {type(case).__name__}" in str(result.error)
    news = session.news("", "")
    assert news is not None
    assert [each["error"] for each in news["records"]] == ["CaseTypeError"]


@pytest.mark.parametrize("named", [None, 5, b"groundedness", ["groundedness"], len])
def test_a_metric_that_is_no_name_and_no_metric_is_refused(named: Any) -> None:
    with pytest.raises(UsageError, match="a metric is its name, or a Metric; got"):
        evaluate(CASE, named)


@pytest.mark.parametrize("value", ["4", True, False, [4], b"4", 1j, object()])
def test_a_bound_that_is_no_number_is_refused(value: Any) -> None:
    for bound in ({"at_least": value}, {"at_most": value}):
        with pytest.raises(UsageError, match=f"{next(iter(bound))} is a number; got"):
            evaluate(CASE, "groundedness", **bound)
    with pytest.raises(UsageError, match="at_least is a number"):
        assert_grounded(CASE, at_least=value)


@pytest.mark.parametrize("value", [1, 0, 6, float("nan"), float("inf"), 10**400])
def test_a_bound_that_tells_nothing_apart_is_refused(value: float) -> None:
    with pytest.raises(UsageError, match="groundedness"):
        evaluate(CASE, "groundedness", at_least=value)


def test_a_bound_may_be_any_kind_of_number() -> None:
    rule = threshold_of(Fraction(9, 2), None)  # type: ignore[arg-type]
    assert rule is not None
    assert (rule.bound, rule.value, type(rule.value)) == ("at_least", 4.5, float)


def test_a_judge_that_is_none_is_an_error_that_says_what_came() -> None:
    result = evaluate(CASE, "groundedness", judge=5)  # type: ignore[call-overload]
    assert "expected a judge, a name or a model; got int" in str(result.error)


@pytest.mark.parametrize(
    ("option", "meant"),
    [("at_leat", "did you mean 'at_least'"), ("claim", "did you mean 'claims'")],
)
def test_a_misspelt_argument_is_refused_with_the_closest_right_one(option: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"fact_check has no option '{option}': {meant}"):
        evaluate(CASE, "fact_check", **{option: 1})  # type: ignore[call-overload]


def test_a_context_whose_names_are_no_text_is_a_case_error() -> None:
    with pytest.raises(CaseTypeError, match="keys should be strings"):
        assert_grounded("a", context={"content": "a", 5: "b"})


def test_a_metric_with_a_pass_rule_that_nothing_can_fail_cannot_be_made() -> None:
    async def anything(case: Case, ask: Any) -> Verdict:
        return Verdict(1, "")

    with pytest.raises(UsageError, match="anything: every score is at least 1"):
        built_in(needs=(), scale=ONE_TO_FIVE, rule=Threshold("at_least", 1))(anything)
    rule = Threshold("at_least", 2)
    assert built_in(needs=(), scale=ONE_TO_FIVE, rule=rule)(anything).name == "anything"


def test_assert_metrics_outside_of_a_marked_test_says_where_metrics_are_named() -> None:
    with pytest.raises(UsageError, match="what the test's marker names"):
        assert_metrics(CASE)


def test_a_check_that_asserts_needs_a_pass_mark_from_somewhere(session: Session) -> None:
    async def length(case: Case, ask: Any) -> Verdict:
        return Verdict(0.5, "half")

    measured = built_in(needs=("response",), scale=FRACTION)(length)
    assert evaluate(CASE, measured).outcome is Outcome.MEASURED
    with pytest.raises(UsageError, match="length has no pass mark of its own: give at_least="):
        assert_metric(CASE, measured)
    assert assert_metric(CASE, measured, at_least=0.5).passed


def test_more_than_is_a_pass_rule_that_the_bound_itself_does_not_meet() -> None:
    rule = Threshold("more_than", 0).on(FRACTION, "chunks")
    assert [rule.holds(score) for score in (0, 0.01, 1)] == [False, True, True]
    assert rule.asks_for == "at_least"


def test_the_same_question_on_another_scale_has_a_row_and_a_mark_of_its_own() -> None:
    async def grade(case: Case, ask: Any) -> Verdict:
        return Verdict(1, "fine")

    async def stars(
        case: Case, ask: Any, part: Literal["all", "first"] = "all", most: int = 5
    ) -> Verdict:
        return Verdict(4, part)

    other = built_in(needs=(), scale=YES_NO, rule=Threshold("at_least", 1), of="stars")(grade)
    both = built_in(needs=(), scale=ONE_TO_FIVE, others=(other,), identifying=("part",))(stars)
    assert both.with_options({"scale": "yes_no"}).row == "stars[yes_no]"
    assert both.with_options({"scale": "yes_no"}).held_to(Threshold("at_most", 0)).row == (
        "stars[yes_no,no]"
    )
    assert both.with_options({"scale": "1-5", "part": "first"}).row == "stars[first]"
    assert both.with_options({"part": "all"}).row == "stars"
    with pytest.raises(UsageError, match="stars: scale is one of '1-5', 'yes_no'; got 'percent'"):
        both.with_options({"scale": "percent"})
    known = {"stars": both}
    with pytest.raises(UsageError, match="there is no metric 'stars\\[first,first\\]'"):
        parse_threshold("stars[first,first]=3", known)
    assert parse_threshold("stars[first]=3", known) == ("stars[first]", Threshold("at_least", 3))
    assert parse_threshold("stars[yes_no]=yes", known)[1] == Threshold("at_least", 1)
    with pytest.raises(UsageError, match="there is no metric 'stars\\[second\\]'"):
        parse_threshold("stars[second]=3", known)
    with pytest.raises(UsageError, match="there is no metric 'grade\\[x\\]'"):
        parse_threshold("grade[x]=1", {"grade": other})


def test_of_several_fields_any_one_will_do_and_all_are_named_where_none_is_there() -> None:
    async def right(case: Case, ask: Any) -> Verdict:
        return Verdict(1, "right")

    needing = built_in(needs=(("ground_truth", "expected_facts"),), scale=YES_NO)(right)
    assert evaluate(Case(expected_facts=("It sleeps two.",)), needing).score == 1
    assert "right needs ground_truth or expected_facts, which are missing in the case" in str(
        evaluate(Case(), needing).error
    )


def test_a_part_that_is_rated_with_no_finite_number_is_an_error() -> None:
    async def odd(case: Case, ask: Any) -> Verdict:
        return Verdict(1, "odd", parts=(Part("first", float("nan")),))

    error = evaluate(Case(), built_in(needs=(), scale=YES_NO)(odd)).error
    assert "odd rated 'first' nan, no finite number" in str(error)


def test_a_row_of_the_summary_names_its_metric_in_a_call_too() -> None:
    case = Case.model_validate({"query": "Does it?", "response": "Yes.", "context": "Yes."})
    truth = Case(response="It sleeps two.", ground_truth="It sleeps two.")
    assert evaluate(case, "groundedness[yes_no]").metric == "groundedness[yes_no]"
    assert evaluate(case, "fact_check[no]").metric == "fact_check[no]"
    assert evaluate(truth, "rouge[rouge1,recall]").metric == "rouge[rouge1,recall]"
    for name in ("rouge[rouge9]", "rouge[]", "rouge[recall,rouge1]", "rouge[rougeL]", "f1[yes]"):
        with pytest.raises(UsageError, match="there is no metric"):
            evaluate(truth, name)
        with pytest.raises(UsageError, match="threshold: there is no metric"):
            Session(Settings(threshold=(f"{name}=0.5",)))


def test_two_metrics_of_one_name_on_two_scales_are_refused() -> None:
    async def tone(case: Case, ask: Any) -> Verdict:
        return Verdict(1, "kind")

    evaluate(Case(), metric_on(YES_NO, tone))
    evaluate(Case(), metric_on(YES_NO, tone))
    with pytest.raises(UsageError, match="two metrics are called 'tone', on the scales yes_no and"):
        evaluate(Case(), metric_on(ONE_TO_FIVE, tone))


def metric_on(scale: Scale, function: Any) -> Metric:
    return built_in(needs=(), scale=scale)(function)


def test_a_blank_response_fails_also_where_there_is_no_pass_mark() -> None:
    result = evaluate(Case(response=" ", ground_truth="Two."), "f1")
    assert (result.outcome, result.score) == (Outcome.FAILED, None)


def test_the_score_of_an_error_raises_it_for_none_would_pass_for_a_low_one() -> None:
    result = evaluate(Case(response="Two."), "f1")
    with pytest.raises(CaseError, match="f1 needs ground_truth"):
        _ = result.score
    with pytest.raises(CaseError, match="f1 needs ground_truth"):
        _ = result.label
    assert result.graded is None


def test_a_score_that_is_no_word_of_its_scale_is_an_error() -> None:
    async def tone(case: Case, ask: Any) -> Verdict:
        return Verdict(0.3, "kind")

    words = Scale("tone", 0, 1, labels={"curt": 0, "kind": 1})
    assert "scored 0.3, which is not on its scale" in str(
        evaluate(Case(), metric_on(words, tone)).error
    )


def test_a_document_with_two_ids_is_refused_unless_they_are_the_same() -> None:
    twice = {"id": "a", "doc_uri": "b", "content": "x"}
    with pytest.raises(CaseError, match="'id' and 'doc_uri' name different ones"):
        Case(context=[twice])
    assert Case(context=[{**twice, "doc_uri": "a"}]).context[0].id == "a"
