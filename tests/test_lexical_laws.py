"""The lexical judge on groundedness: what holds for every text, and for texts people labelled."""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_judge import asked, judged

from pytest_llmeval.text.words import tokens

ROOT = Path(__file__).parent.parent
TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)


@given(st.text(alphabet=st.characters(categories=("L", "N", "Z", "P")), max_size=200))
def test_a_response_that_is_its_document_scores_five(text: str) -> None:
    if tokens(text):
        assert judged(text, text)["score"] == 5


@settings(max_examples=300)
@given(TEXTS, st.lists(TEXTS, max_size=3), st.none() | TEXTS)
def test_any_text_gets_a_score_on_the_scale_and_verbatim_quotes(
    response: str, documents: list[str], query: str | None
) -> None:
    reply = judged(response, *documents, query=query)
    assert reply["score"] in (1, 2, 3, 4, 5)
    assert reply["reason"]
    carried = response.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for named in reply["ungrounded"]:
        assert named["quote"] in carried
        assert named["why"]
    assert bool(reply["ungrounded"]) == (reply["score"] < 4) or not response.strip()


@given(TEXTS, TEXTS, TEXTS)
def test_a_fact_check_holds_exactly_where_groundedness_passes(
    claim: str, document: str, other: str
) -> None:
    for text in (document, document + other, claim):
        verdict = asked("fact_check", claim=claim, document=text)["verdict"]
        assert (verdict == "yes") == (judged(claim, text)["score"] >= 4)


def test_huge_texts_are_judged_in_seconds() -> None:
    document = " ".join(
        f"Word{number % 977} was measured at {number} metres." for number in range(9000)
    )
    start = time.perf_counter()
    assert judged(document[:100_000], document)["score"] >= 4
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize(
    "sentence",
    [
        "word. ",
        "The tent is dry. ",
        "Never use bleach. ",
        "这款帐篷重二公斤。",
        "Le thé est prêt. ",
    ],
)
def test_a_text_four_times_as_long_takes_about_four_times_as_long(sentence: str) -> None:
    def seconds(size: int) -> float:
        text = sentence * (size // len(sentence))
        start = time.process_time()
        assert judged(text, text)["score"] == 5
        judged(text, "Use bleach. The tent is wet.")
        return time.process_time() - start

    seconds(1000)
    small, large = seconds(50_000), seconds(200_000)
    assert large < 8 * small + 0.5
    assert large < 8


DATA = Path(os.environ.get("LLM_EVAL_DATA", ROOT.parent / "shared/data"))


@pytest.fixture
def agreement(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The benchmark's names."""
    if not (DATA / "grounded.jsonl").exists():
        pytest.skip(f"data absent: {DATA}")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return run_path(str(ROOT / "benchmarks/lexical_agreement.py"))


def test_it_agrees_with_people_no_less_than_a_count_of_words_in_any_task(
    agreement: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert agreement["main"](DATA) == 0, capsys.readouterr().out


def test_it_is_right_on_groundedness_in_sources_it_was_not_fitted_to(
    agreement: dict[str, Any],
) -> None:
    measure = agreement["MEASURES"][0]
    assert measure.task == "groundedness"
    lines = (DATA / "grounded.jsonl").read_text(encoding="utf-8").splitlines()
    cases = asyncio.run(agreement["judged"](measure, map(json.loads, lines)))
    assert agreement["balanced_accuracy"](cases, agreement["by_judge"], 4) > 0.775
    assert agreement["left_out"](cases, agreement["by_judge"]) > 0.75
