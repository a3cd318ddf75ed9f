"""The shop's own metrics at work. A scripted judge answers, so that this runs without a key.

With an LLM in its place these tests need no `judge=`.
"""

import pytest

from own_metrics import no_pressure
from pytest_llmeval import Case, assert_metric, assert_metrics
from pytest_llmeval.testing import ScriptedJudge
from shop.assistant import Assistant
from shop.pages import read_pages

QUESTION = "What does the Traverse 45 cost?"

pytestmark = pytest.mark.llm_eval


@pytest.fixture(scope="module")
def case() -> Case:
    """A question that the assistant has answered."""
    answer = Assistant(read_pages()).answer(QUESTION)
    return Case.model_validate(
        {"query": QUESTION, "response": answer.text, "context": answer.context}
    )


def test_a_declared_metric(case: Case) -> None:
    judge = ScriptedJudge({"reason": "It names a price and no more.", "score": 5})
    assert_metric(case, no_pressure, judge=judge)


def test_a_metric_on_each_document(case: Case) -> None:
    judge = ScriptedJudge({"reason": "It describes a product.", "verdict": "yes"})
    assert_metric(case, "for_customers", judge=judge, at_least=1)


def test_a_plain_function_asks_no_judge(case: Case) -> None:
    assert_metric(case, "brief", most=30)


def test_an_async_function_asks_about_each_price(case: Case) -> None:
    judge = ScriptedJudge({"reason": "The page says so.", "right": True})
    assert_metric(case, "prices", judge=judge)


def test_a_metric_in_a_markdown_file() -> None:
    judge = ScriptedJudge({"reason": "It thanks and offers help.", "verdict": "warm"})
    assert_metric("courtesy", request=QUESTION, answer="Thanks for asking: 189 euros!", judge=judge)


@pytest.mark.llm_cases("questions.jsonl", metrics=["brief"], answer=lambda case: "In two days.")
def test_a_marker_names_metrics_that_the_conftest_gives(llm_case: Case) -> None:
    assert_metrics(llm_case)
