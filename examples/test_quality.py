"""The assistant's quality as a whole: a suite decides on each question, and says why it fails.

Held to a baseline, the build fails where the shop's answers become worse:

    pytest --llm-eval --llm-eval-baseline=baseline.json test_quality.py
"""

import os
from collections.abc import Callable

import pytest

from pytest_llmeval import Case, assert_quality
from shop.assistant import Assistant, StaleAssistant
from shop.pages import read_pages


@pytest.fixture(scope="module")
def app() -> Callable[[Case], Case]:
    """The assistant under test; with ``SHOP_RETRIEVER=worse`` one whose search finds less."""
    kind = StaleAssistant if os.environ.get("SHOP_RETRIEVER") == "worse" else Assistant
    assistant = kind(read_pages())

    def answer(case: Case) -> Case:
        given = assistant.answer(case.query or "")
        documents = [{"id": page.name, "content": page.text} for page in given.pages]
        return Case.model_validate({"response": given.text, "context": documents})

    return answer


@pytest.mark.llm_cases("questions.jsonl", suite="shop", answer="app")
def test_the_answer_is_good(llm_case: Case) -> None:
    assert_quality(llm_case, "shop")
