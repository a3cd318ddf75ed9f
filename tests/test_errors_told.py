"""The summary's first lines: errors, one line for all that say the same of different cases."""

from __future__ import annotations

import pytest

from pytest_llmeval.errors import EvalError
from pytest_llmeval.records.record import Record
from pytest_llmeval.reports.errors_told import error_lines
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import FRACTION

TESTS = """
import pytest
from pytest_llmeval import assert_metrics, assert_quality

CASES = [{"id": f"it's {n}", "query": f"q{n}", "ground_truth": "x"} for n in range(3)]
CASES += [{"query": "other", "ground_truth": "x"}]

@pytest.mark.llm_cases(CASES, metrics=["exact_match"])
def test_metrics(llm_case): assert_metrics(llm_case)

@pytest.mark.llm_cases(CASES, suite="databricks")
def test_suite(llm_case): assert_quality(llm_case)

@pytest.mark.llm_cases(CASES, limit=1, metrics=["exact_match"], answer=lambda case: "x")
def test_answered(llm_case): assert_metrics(llm_case)
"""
ADVICE = "  cases without a response get one by llm_cases(…, answer=app), or hold it in their file"


@pytest.mark.parametrize(
    ("only", "told"),
    [
        (
            "not answered",
            [
                "errors: 8, each a check without a verdict",
                "  4 × exact_match: exact_match needs response, which is missing in the case",
                "  4 × quality (databricks): the case can't be judged: it has no response *",
                ADVICE,
            ],
        ),
        (
            "metrics and s-0",
            ['  1 × exact_match: exact_match needs response, * in case "it\'s 0"', ADVICE],
        ),
    ],
)
def test_errors_of_one_kind_are_told_once_whichever_case_they_are_of(
    pytester: pytest.Pytester, only: str, told: list[str]
) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("--llm-eval", "--llm-eval-model=lexical", "-k", only)
    result.stdout.fnmatch_lines(told, consecutive=True)


def test_where_an_app_answers_nobody_is_told_how(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("--llm-eval", "--llm-eval-model=lexical")
    result.stdout.no_fnmatch_line(ADVICE)


def test_the_summary_follows_its_title_at_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("--llm-eval", "-k", "answered")
    result.stdout.re_match_lines(["=+ llm eval =+", "metric +passed"], consecutive=True)


def test_lines_of_a_file_of_verdicts_with_the_same_fault_are_told_once() -> None:
    def unread(line: int, fault: str) -> Record:
        error = EvalError(f"v/test_a.py.verdicts.jsonl:{line}: {fault}")
        return Record.of(Result("f1", Outcome.ERROR, FRACTION, None, error=error), "test_a.py::t")

    said = [unread(1, "redacted"), unread(2, "redacted"), unread(7, "cut"), unread(7, "cut")]
    assert [*error_lines(said, ())] == [
        "errors: 4, each a check without a verdict",
        "  2 × f1: v/test_a.py.verdicts.jsonl: redacted",
        "  2 × f1: v/test_a.py.verdicts.jsonl:7: cut",
    ]
