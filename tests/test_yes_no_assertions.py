"""The assertions on answers and on retrieved documents, as tests use them."""

from __future__ import annotations

import pytest

HEAD = """
import pytest
from pytest_llmeval import (
    Case, CaseError, CheckFailed, UsageError, assert_chunks_relevant, assert_context_relevancy,
    assert_context_sufficient, assert_correct, assert_guidelines, assert_relevant_to_query,
    assert_safe, assert_sources_reliable, evaluate,
)
from pytest_llmeval.testing import ScriptedJudge

DOCS = ["The warranty is two years."]
LISTS = {"faults": [], "missing": [], "harmful": [], "broken": []}
YES = ScriptedJudge({**LISTS, "reason": "So it is.", "verdict": "yes"})
NO = ScriptedJudge({**LISTS, "reason": "It is not.", "verdict": "no"})
"""

ALL = """
CALLS = [
    lambda judge: assert_chunks_relevant("q", context=DOCS, judge=judge),
    lambda judge: assert_chunks_relevant("q", context=DOCS, at_least=0.5, judge=judge),
    lambda judge: assert_context_sufficient("q", context=DOCS, ground_truth="g", judge=judge),
    lambda judge: assert_context_sufficient("q", context="d", expected_facts=["f"], judge=judge),
    lambda judge: assert_correct("r", query="q", ground_truth="g", judge=judge),
    lambda judge: assert_correct("r", query="q", expected_facts=["f"], judge=judge),
    lambda judge: assert_relevant_to_query("r", query="q", judge=judge),
    lambda judge: assert_safe("r", query="q", judge=judge),
    lambda judge: assert_guidelines("r", query="q", guidelines=["g"], judge=judge),
    lambda judge: assert_guidelines("r", query="q", guidelines={"a": ["g"]}, judge=judge),
    lambda judge: assert_context_relevancy("r", query="q", context=DOCS, judge=judge),
    lambda judge: assert_sources_reliable(DOCS, judge=judge),
    lambda judge: assert_sources_reliable("one", query="q", response="r", judge=judge),
]

@pytest.mark.parametrize("call", CALLS)
def test_it(call):
    result = call(YES)
    assert result.passed and result.score == 1
    with pytest.raises(CheckFailed, match="is no, not yes|is not above 0|is below"):
        call(NO)

CASE = Case(
    id="c", query="q", response="r", context=DOCS, ground_truth="g", guidelines=["a"],
    guidelines_context={"t": "text"},
)

@pytest.mark.parametrize("assertion", [
    assert_chunks_relevant, assert_context_sufficient, assert_correct, assert_relevant_to_query,
    assert_safe, assert_guidelines, assert_context_relevancy, assert_sources_reliable,
])
def test_a_whole_case(assertion):
    assert assertion(CASE, judge=YES).case_id == "c"
    with pytest.raises(CheckFailed):
        assertion(CASE, judge=NO)

def test_guidelines_beside_a_whole_case_join_its_own():
    result = assert_guidelines(CASE, guidelines={"more": ["b"]}, judge=YES)
    assert [part.name for part in result.parts] == ["guidelines", "more"]

def test_a_template():
    template = "{{ query }} {{ response }} {{ context }}"
    assert assert_context_relevancy(CASE, template=template, judge=YES).passed
    with pytest.raises(UsageError, match="does not hold"):
        assert_context_relevancy(CASE, template="{{ query }}", judge=YES)

@pytest.mark.parametrize("call", [
    lambda: assert_chunks_relevant("q", judge=YES),
    lambda: assert_sources_reliable(None, judge=YES),
    lambda: assert_sources_reliable([], judge=YES),
    lambda: assert_correct("r", query="q", judge=YES),
    lambda: assert_safe("r", judge=YES),
    lambda: assert_guidelines("r", query="q", judge=YES),
])
def test_what_is_missing_is_named(call):
    with pytest.raises(CaseError, match="needs .*, which (is|are) (missing|blank) in the case"):
        call()

@pytest.mark.parametrize("call", [
    lambda: assert_chunks_relevant(None, context=DOCS, judge=YES),
    lambda: assert_correct(None, query="q", ground_truth="g", judge=YES),
    lambda: assert_guidelines(None, query="q", guidelines=["g"], judge=YES),
    lambda: assert_guidelines("r", query="q", guidelines="g", judge=YES),
    lambda: assert_sources_reliable(5, judge=YES),
    lambda: assert_sources_reliable([None], judge=YES),
])
def test_what_has_the_wrong_type_is_a_type_error(call):
    with pytest.raises(TypeError, match="expected text|got"):
        call()
"""


def test_every_assertion_passes_fails_and_names_what_it_lacks(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(HEAD + ALL)
    result = pytester.runpytest("--llm-eval", "-q")
    result.assert_outcomes(passed=13 + 8 + 2 + 6 + 6)


FAILING = """
def test_correct():
    fault = {"fact": "Two years", "kind": "contradicted", "why": "It says three."}
    said = {"faults": [fault], "reason": "Another length.", "verdict": "no"}
    judge = ScriptedJudge(said)
    assert_correct("Three years.", query="How long?", ground_truth="Two years", judge=judge)

def test_chunks():
    judge = ScriptedJudge({"reason": "About pegs.", "verdict": "no"})
    docs = [{"id": "faq", "content": "Pegs"}, "Poles"]
    assert_chunks_relevant("How long?", context=docs, judge=judge)

def test_sources():
    judge = ScriptedJudge([{"reason": "r", "verdict": "yes"}, {"reason": "Spam.", "verdict": "no"}])
    assert_sources_reliable(["a", "b"], judge=judge)
"""


def test_a_failure_says_what_it_rests_on(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(HEAD + FAILING)
    result = pytester.runpytest("--llm-eval")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        [
            ">   *assert_correct(*",
            "E  *correctness is no, not yes   (scripted)",
            "E  *reason       Another length.",
            'E  *contradicted "Two years" (It says three.)',
            "E  *chunk_relevance 0 is not above 0   (scripted)",
            "E  *reason     0 of 2 documents are relevant; irrelevant: faq, 2",
            'E  *irrelevant "faq" (About pegs.)',
            'E  *irrelevant "2" (About pegs.)',
            "E  *source_reliability 0.5 is below 1   (scripted)",
            'E  *unreliable "2" (Spam.)',
        ]
    )
