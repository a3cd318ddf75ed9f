"""The assistant under test: plain asserts for what it finds, a judge for what it says."""

import pytest

from pytest_llmeval import (
    Case,
    assert_fact_checked,
    assert_grounded,
    assert_not_fact_checked,
    assert_relevant,
)
from shop.assistant import SORRY, Assistant, CarelessAssistant
from shop.pages import read_pages


@pytest.fixture(scope="module")
def assistant() -> Assistant:
    """The assistant over every page of the shop."""
    return Assistant(read_pages())


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("How do I wash the Snowfield?", "snowfield-sleeping-bag"),
        ("Which backpack has a rain cover?", "traverse-backpack"),
        ("How long does a repair take?", "returns"),
    ],
)
def test_the_right_page_is_found_first(assistant: Assistant, question: str, page: str) -> None:
    assert assistant.find(question)[0].name == page


def test_what_no_page_says_is_declined(assistant: Assistant) -> None:
    assert assistant.answer("Who won the football match?").text == SORRY
    assert assistant.answer("Is the Ridgeline 2 available in pink?").text == SORRY


@pytest.mark.llm_eval
def test_the_answer_is_grounded(assistant: Assistant) -> None:
    question = "What does the warranty of the Ridgeline 2 cover?"
    answer = assistant.answer(question)
    assert_grounded(answer.text, context=answer.context, query=question)


@pytest.mark.llm_eval
def test_the_answer_is_relevant(assistant: Assistant) -> None:
    question = "At how many degrees do I wash the Marten jacket?"
    assert_relevant(assistant.answer(question).text, query=question)


@pytest.mark.llm_eval
def test_the_price_is_on_the_page(assistant: Assistant) -> None:
    answer = assistant.answer("What does the Traverse 45 cost?")
    assert_fact_checked(answer.text, context=answer.context)


@pytest.mark.llm_eval
def test_each_sentence_is_on_the_page(assistant: Assistant) -> None:
    answer = assistant.answer("What does the Snowfield cost, and what does it weigh?")
    assert_fact_checked(answer.text, context=answer.context, claims="sentences")


@pytest.mark.llm_eval
def test_a_wrong_price_would_not_pass(assistant: Assistant) -> None:
    answer = assistant.answer("What does the Traverse 45 cost?")
    assert_not_fact_checked("The Traverse 45 costs 98 euros.", context=answer.context)


@pytest.mark.llm_cases("questions.jsonl")
def test_customers_get_their_answers(assistant: Assistant, llm_case: Case) -> None:
    assert llm_case.query is not None
    answer = assistant.answer(llm_case.query)

    assert {page.name for page in answer.pages}.issuperset(llm_case.expected_context)
    assert_relevant(answer.text, query=llm_case.query)
    assert_grounded(answer.text, context=answer.context, query=llm_case.query)
    # Turned around: the answer is the document, and what it ought to state is the claim.
    for fact in llm_case.expected_facts:
        assert_fact_checked(fact, context=answer.text)


@pytest.mark.llm_eval
@pytest.mark.xfail(raises=AssertionError, strict=True, reason="the award is made up")
def test_an_invented_fact_is_caught() -> None:
    question = "How much does the Ridgeline 2 weigh?"
    answer = CarelessAssistant(read_pages()).answer(question)
    assert_grounded(answer.text, context=answer.context, query=question)


# A question of one's own is missing here, such as `llm_judge("Is {{ reply }} polite?", Tone, …)`:
# it takes an LLM to answer it, and the lexical judge refuses what it cannot weigh. What to do about
# that in tests is shown in test_own_metrics.py.
