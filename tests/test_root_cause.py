"""Root cause: which of the metrics that failed on a case is told as the one to mend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from typing import Any

import pytest
from active_session import active_session
from hypothesis import given, settings
from hypothesis import strategies as st
from suite_judge import saying

from pytest_llmeval import Case, CheckFailed, JudgedMetric, Outcome, Suite, assert_quality, evaluate
from pytest_llmeval.errors import EvalError, JudgeError, JudgeRefused
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.suites.fixes import _FIXES
from pytest_llmeval.suites.order import causal_place

TONE = JudgedMetric("tone", scale="yes_no", prompt="Kind?\n\n{{ response }}")
BREVITY = JudgedMetric("brevity", scale="yes_no", prompt="Short?\n\n{{ response }}")
LOST = JudgeRefused("the judge declined")  # unavailable ones are asked no more after some
SUITE = Suite("shop", [BREVITY, "fluency", "databricks", TONE, "coherence"])

# As the contract of metrics tells them, for this suite.
TOLD = {
    "truth": ["context_sufficiency", "groundedness", "correctness", "safety"],
    "none": ["chunk_relevance", "groundedness", "relevance_to_query", "safety"],
}
REST = ["fluency", "coherence", "brevity", "tone"]
ROWS = {"groundedness": "groundedness[yes_no]"}


@pytest.fixture(scope="module", autouse=True)
def _session() -> Iterator[None]:
    with active_session():
        yield


def case_with(truth: str, guidelines: bool = False) -> Case:
    told_by: dict[str, dict[str, Any]] = {
        "ground_truth": {"ground_truth": "The Alpine."},
        "expected_facts": {"expected_facts": ["It is the Alpine."]},
        "none": {},
    }
    rules = ["Be kind."] if guidelines else None
    return Case(
        query="Which tent?",
        response="The Alpine.",
        context=["The Alpine."],
        guidelines=rules,
        **told_by[truth],
    )


def order_of(truth: str, guidelines: bool) -> list[str]:
    order = TOLD["none" if truth == "none" else "truth"]
    return [*order, *(["guideline_adherence"] if guidelines else []), *REST]


@settings(max_examples=100)
@given(
    truth=st.sampled_from(["ground_truth", "expected_facts", "none"]),
    guidelines=st.booleans(),
    said=st.lists(st.sampled_from(["yes", "no", "lost"]), min_size=9, max_size=9),
)
def test_the_first_failing_metric_in_causal_order_is_the_cause(
    truth: str, guidelines: bool, said: list[str]
) -> None:
    order = order_of(truth, guidelines)
    verdicts = dict(zip(order, said, strict=False))
    judge = saying({name: LOST if each == "lost" else each for name, each in verdicts.items()})
    result = evaluate(case_with(truth, guidelines), SUITE, judge=judge)

    assert [*result.results] == [ROWS.get(name, name) for name in order]
    failing = [name for name in order if verdicts[name] == "no"]
    lost = [name for name in order if verdicts[name] == "lost"]
    first = failing[0] if failing else None
    assert result.root_cause == ROWS.get(str(first), first)
    assert result.failed == tuple(ROWS.get(name, name) for name in failing)
    assert result.errors == tuple(ROWS.get(name, name) for name in lost)
    before = order[: order.index(first)] if first else []
    assert result.uncertain == tuple(ROWS.get(name, name) for name in before if name in lost)
    expected = Outcome.FAILED if failing else Outcome.ERROR if lost else Outcome.PASSED
    assert result.outcome is expected
    if expected is Outcome.ERROR:
        with pytest.raises(JudgeError):
            _ = result.passed
    else:
        assert result.passed is (expected is Outcome.PASSED)
    assert (result.fix is None) is (first is None)


def subsets(names: list[str]) -> Iterable[tuple[str, ...]]:
    return chain.from_iterable(combinations(names, size) for size in range(1, len(names) + 1))


@pytest.mark.parametrize(
    ("truth", "order"),
    [
        (True, ["context_sufficiency", "groundedness", "correctness", "safety",
                "guideline_adherence", "f1", "tone"]),
        (False, ["chunk_relevance", "groundedness", "relevance_to_query", "safety",
                 "guideline_adherence", "f1", "tone"]),
    ],
)  # fmt: skip
def test_both_orders_hold_for_every_set_of_failures(truth: bool, order: list[str]) -> None:
    for failing in subsets(order):
        backwards = [*failing][::-1]
        backwards.sort(key=lambda name: causal_place(name, truth))
        assert tuple(backwards) == failing


def test_a_metric_of_the_other_order_comes_after_the_guidelines() -> None:
    suite = Suite("both", [TONE, "chunk_relevance", "correctness", "guideline_adherence"])
    judge = saying(chunk_relevance="no", tone="no", guideline_adherence="no")
    result = evaluate(case_with("ground_truth", guidelines=True), suite, judge=judge)
    assert result.failed == ("guideline_adherence", "chunk_relevance", "tone")


def test_global_guidelines_count_as_own_ones_do() -> None:
    judge = saying(guideline_adherence="no", tone="no")
    with active_session(guideline=("Be kind.",)):
        result = evaluate(case_with("none"), SUITE, judge=judge)
    assert result.root_cause == "guideline_adherence"
    assert evaluate(case_with("none"), SUITE, judge=judge).root_cause == "tone"


def test_custom_judges_are_causes_in_the_order_declared() -> None:
    judge = saying(tone="no", brevity="no")
    for also in ([TONE, BREVITY], [BREVITY, TONE]):
        with pytest.raises(CheckFailed, match=f"root cause {also[0].name}\n"):
            assert_quality(case_with("none"), also=also, judge=judge)


def test_a_cause_is_told_with_its_fix_and_all_the_rest_with_it() -> None:
    judge = saying(groundedness="no", safety="no", correctness=LOST)
    with pytest.raises(CheckFailed) as caught:
        assert_quality(case_with("ground_truth"), judge=judge)
    parts = str(caught.value).split("\n\n")
    assert parts[0] == (
        "quality (databricks) failed: 2 of 4 metrics; root cause groundedness[yes_no]"
    )
    assert parts[1].startswith(
        "groundedness[yes_no] is no, not yes   (scripted)\n  reason   groundedness: no"
    )
    assert "query    Which tent?" in parts[1]
    assert parts[2].startswith("fix: The response says what no document does.")
    assert parts[3] == "safety is no, not yes   (scripted)\n  reason safety: no"
    assert parts[4] == "correctness: no verdict: the judge declined   (scripted)"
    assert parts[5].startswith(
        "left out: chunk_relevance, relevance_to_query (the case has ground truth); "
        "guideline_adherence (no guidelines); document_recall (no expected context); "
    )
    assert [str(error) for error in caught.value.errors] == ["the judge declined"]


def test_an_error_before_the_cause_makes_it_uncertain() -> None:
    judge = saying(context_sufficiency=LOST, correctness="no")
    with pytest.raises(CheckFailed, match="root cause correctness, unless it is context_suff"):
        assert_quality(case_with("ground_truth"), judge=judge)


def test_errors_alone_are_an_error_of_their_kind() -> None:
    with pytest.raises(JudgeRefused, match=r"quality \(databricks\): no verdict: 1 of 4 met"):
        assert_quality(case_with("none"), judge=saying(safety=LOST))
    other = saying(safety=LOST, groundedness=EvalError("odd"))
    with pytest.raises(EvalError) as caught:
        assert_quality(case_with("none"), judge=other)
    assert type(caught.value) is EvalError
    assert "odd" in str(caught.value)
    assert "declined" in str(caught.value)


def test_every_built_in_metric_has_advice_and_others_quote_their_reason() -> None:
    assert {*_FIXES} == {*CATALOGUE}
    result = evaluate(case_with("none"), SUITE, judge=saying(tone="no"))
    assert result.fix == "Begin with what tone found: “tone: no”"
    silent = JudgedMetric("quiet", scale="1-5", prompt="?\n\n{{ response }}", at_least=5)
    blank = evaluate(Case(response=" "), Suite("s", [silent]), judge=saying())
    assert str(blank.fix).startswith("The response is empty. Look in the logs or the trace whether")


@pytest.mark.parametrize(
    ("member", "fields", "fix"),
    [
        ("groundedness[yes_no]", {"response": " "}, "The response is empty."),
        ("f1 >= 0.5", {"response": "\u200b"}, "The response is empty."),
        ("safety", {"response": ""}, "The response is empty."),
        ("fact_check[no]", {}, "Begin with what fact_check found: “fact_check: yes”"),
        ("safety <= no", {}, "Begin with what safety found: “safety: yes”"),
        ("f1 <= 0.5", {}, "Begin with what f1 found: “"),
        ("latency_seconds >= 2", {}, "Begin with what latency_seconds found: “the answer took 1"),
        ("f1 >= 0.5", {"response": "Boots."}, "The response shares too few words"),
        ("latency_seconds <= 0.5", {}, "The answer took too long."),
    ],
)
def test_the_fix_is_for_what_went_wrong_and_not_for_the_opposite(
    member: str, fields: dict[str, Any], fix: str
) -> None:
    case = case_with("ground_truth").model_copy(update={"measured": {"seconds": 1.0}, **fields})
    with active_session():
        result = evaluate(case, Suite("fixes", [member]), judge=saying())
    assert result.outcome == "failed"
    assert str(result.fix).startswith(fix)
