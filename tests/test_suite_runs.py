"""Suites in runs: however a test is run, what they come to is reported, counted and written."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import fmean

import pytest
from suite_judge import saying

from pytest_llmeval import Run, load_run
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.judges.choice import JudgeChoice
from pytest_llmeval.statistics.intervals import wilson
from pytest_llmeval.testing import ScriptedJudge

SUITE = """
import asyncio
import pytest
from pytest_llmeval import Case, Suite, assert_quality, evaluate, together
from pytest_llmeval.errors import JudgeUnavailable
from suite_judge import saying

pytestmark = pytest.mark.llm_eval

def case(n):
    return Case(id=f"c{n}", query="q", response="r", context=["d"], ground_truth="r")

FAILING = [
    {}, {}, {"groundedness": "no", "safety": "no"}, {"context_sufficiency": "no"},
    {"context_sufficiency": "no", "correctness": "no"},
    {"safety": JudgeUnavailable("away")},
    {"context_sufficiency": JudgeUnavailable("away"), "correctness": "no"},
]

@pytest.mark.parametrize("n", range(7))
def test_rated(n):
    assert_quality(case(n), judge=saying(**FAILING[n]))

@pytest.mark.xfail
def test_hoped():
    assert_quality(case(7), judge=saying(safety="no"))

@pytest.mark.xfail
def test_hoped_without_a_verdict():
    assert_quality(case(8), judge=saying(safety=JudgeUnavailable("away"), correctness="no"))

def test_in_a_block():
    with together():
        assert_quality(case(9), suite="azure", judge=saying())
        assert evaluate(case(10), suite="azure", judge=saying(coherence="no")).failed

@pytest.mark.asyncio
async def test_asynchronous():
    result = assert_quality(case(11), suite="azure", judge=saying())
    async with together():
        later = assert_quality(case(12), suite="azure", judge=saying())
    assert later.outcome == result.outcome == "passed"

def test_nothing_to_ask():
    assert_quality(Case(response="r"))
"""
OUTCOMES = {"passed": 4, "failed": 4, "errors": 3, "xfailed": 1}


def run(pytester: pytest.Pytester, *options: str) -> tuple[pytest.RunResult, Run]:
    pytester.makepyfile(test_suite=SUITE)
    result = pytester.runpytest("--llm-eval", "--llm-eval-report=run.json", *options)
    return result, load_run(pytester.path / "run.json")


def told(made: Run) -> object:
    return (made.suites, made.assessments, [(each.nodeid, each.metric) for each in made.records])


def test_a_suite_comes_to_the_same_however_its_test_is_run(pytester: pytest.Pytester) -> None:
    plain, made = run(pytester)
    plain.assert_outcomes(**OUTCOMES)
    for options in (["--llm-eval-deferred"], ["-n", "2"]):
        result, other = run(pytester, *options)
        result.assert_outcomes(**OUTCOMES)
        assert told(other) == told(made)
    azure, databricks = made.suites
    assert (azure.suite, azure.passed, azure.judged, azure.causes) == (
        "azure", 3, 4, {"coherence": 1},
    )  # fmt: skip
    assert (databricks.passed, databricks.judged, databricks.errors) == (2, 7, 2)
    assert databricks.xfailed == 1
    assert databricks.causes == {
        "context_sufficiency": 2, "correctness": 2, "groundedness[yes_no]": 1,
    }  # fmt: skip
    plain.stdout.re_match_lines(
        [
            r"safety +.*2 errors · 1 in xfailed tests",
            r"quality \(azure\) +3/4 +75\.0 % \[.*\] +–$",
            r"quality \(databricks\) +2/7 +28\.6 % \[.*\] +– +2 errors · 1 in xfailed tests",
            r"root causes \(azure\): coherence 1",
            r"root causes \(databricks\): context_sufficiency 2 · correct.* 2 · .* 1 · 1 unc.*",
        ],
        consecutive=False,
    )
    plain.stdout.re_match_lines([r"  1 × quality \(databricks\): suite 'databricks' has nothing"])
    plain.stdout.re_match_lines(
        [
            r"E +quality \(databricks\) failed: 2 of 4 metrics; root cause groundedness\[yes_no\]",
            r"E +groundedness\[yes_no\] is no, not yes   \(scripted\)",
            r"E +fix: The response says what no document does\.",
            r"E +safety is no, not yes",
        ]
    )


def test_the_aggregates_of_suites_are_those_of_their_assessments(pytester: pytest.Pytester) -> None:
    _, made = run(pytester)
    cases = {case.digest for case in made.cases}
    for row in made.suites:
        counted = [a for a in made.assessments if a.suite == row.suite and not a.xfailed]
        judged = [a.outcome == "passed" for a in counted if a.outcome in ("passed", "failed")]
        assert row.rate == pytest.approx(fmean(judged), abs=1e-12)
        assert row.interval == pytest.approx(wilson(sum(judged), len(judged)), abs=1e-12)
        causes = [a.root_cause for a in counted if a.root_cause]
        assert row.causes == {cause: causes.count(cause) for cause in causes}
        assert sum(row.causes.values()) == row.judged - row.passed
    for each in made.assessments:
        rows = {r.metric: r for r in made.records if r.nodeid == each.nodeid}
        assert each.judged is None or each.judged in cases
        assert all(rows[row].outcome == "error" for row in each.errors)
        assert (each.fix is None) is (each.root_cause is None)
        assert not {row for row, _ in each.left_out} & {*rows} or "block" in each.nodeid


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> Callable[[ScriptedJudge], None]:
    """Makes a judge the one that runs are set to ask."""

    def configure(judge: ScriptedJudge) -> None:
        monkeypatch.setattr(JudgeChoice, "_configured", lambda self, settings: judge)

    return configure


MARKED = """
import pytest
from pytest_llmeval import assert_quality

@pytest.mark.llm_cases("qa.jsonl", suite="shop")
def test_it(llm_case, request):
    import suite_runs_asked
    suite_runs_asked.AT_START.append(len(suite_runs_asked.judge.questions))
    result = assert_quality(llm_case)
    assert result.suite == "shop"
    assert [*result.results] == ["groundedness[yes_no]", "tone"]
"""


def test_the_suite_of_a_marker_is_asked_ahead_and_asserted(
    pytester: pytest.Pytester, configured: Callable[[ScriptedJudge], None]
) -> None:
    judge = saying(kept=True, tone="no")
    configured(judge)
    rows = [{"query": f"q{n}", "response": "r", "context": ["d"]} for n in range(3)]
    pytester.path.joinpath("qa.jsonl").write_text("\n".join(map(json.dumps, rows)))
    pytester.makeconftest(
        """
        import sys, types
        from pytest_llmeval import JudgedMetric, Suite
        from pytest_llmeval.judges.choice import JudgeChoice
        asked = sys.modules["suite_runs_asked"] = types.ModuleType("suite_runs_asked")
        asked.AT_START, asked.judge = [], JudgeChoice._configured(None, None)

        def pytest_llm_eval_metrics():
            yield JudgedMetric("tone", scale="yes_no", prompt="Kind? {{ response }}")

        def pytest_llm_eval_suites():
            yield Suite("shop", ["groundedness[yes_no]", "tone", "similarity"])

        def pytest_sessionfinish():
            assert asked.AT_START[-1] == 4, asked.AT_START
        """
    )
    pytester.makepyfile(MARKED)
    result = pytester.runpytest("--llm-eval", "--llm-eval-threshold=tone=yes")
    result.assert_outcomes(failed=3)
    assert len(judge.questions) == 4  # tone is asked of one response, the same in all cases
    result.stdout.re_match_lines([r"quality \(shop\) +0/3.*", "root causes: tone 3"])


@pytest.mark.parametrize(
    ("suite", "told"),
    [
        ("'databrick'", "*there is no suite 'databrick': did you mean 'databricks'?"),
        ("5", "*a suite is its name, or a Suite; got int"),
        ("pytest_llmeval.Suite('s', ['tune'])", "*suite 's': there is no metric or suite 'tune'*"),
    ],
)
def test_a_suite_that_is_not_there_is_refused_at_collection(
    pytester: pytest.Pytester, suite: str, told: str
) -> None:
    pytester.path.joinpath("qa.jsonl").write_text('{"response": "r"}')
    pytester.makepyfile(
        f"""
        import pytest, pytest_llmeval
        @pytest.mark.llm_cases("qa.jsonl", suite={suite})
        def test_it(llm_case): pass
        """
    )
    result = pytester.runpytest("--llm-eval")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([told])


def test_own_suites_come_from_ini_environment_and_command_line(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    configured: Callable[[ScriptedJudge], None],
) -> None:
    configured(judge := saying(safety=JudgeUnavailable("away"), coherence="no"))
    pytester.makeini("[pytest]\nllm_eval_suite =\n  ini = safety, fluency\n  cmd = safety\n")
    monkeypatch.setenv("LLM_EVAL_SUITE", "env = ini, exact_match; other = f1 >= 0.5")
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import evaluate
        @pytest.mark.llm_eval
        def test_it():
            fields = {"query": "q", "response": "r", "ground_truth": "r"}
            rows = {name: [*evaluate(suite=name, **fields).results] for name in
                    ("ini", "env", "other", "cmd")}
            assert rows == {
                "ini": ["safety", "fluency"], "env": ["safety", "fluency", "exact_match"],
                "other": ["f1"], "cmd": ["exact_match", "coherence", "fluency"],
            }
        """
    )
    line = "cmd = coherence, fluency, exact_match, stop_at_first"
    result = pytester.runpytest("--llm-eval", f"--llm-eval-suite={line}")
    result.assert_outcomes(passed=1)
    assert [question.task for question in judge.questions].count("fluency") == 2
    refused = pytester.runpytest("--llm-eval", "--llm-eval-suite=x = groundednes")
    refused.stderr.fnmatch_lines(["*suite 'x': there is no metric or suite 'groundednes': did*"])
    assert refused.ret == pytest.ExitCode.USAGE_ERROR


def test_unittest_does_not_expect_an_error(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import unittest
        from pytest_llmeval import assert_quality
        from pytest_llmeval.errors import JudgeUnavailable
        from suite_judge import saying
        import pytest

        @pytest.mark.llm_eval
        class Tests(unittest.TestCase):
            @unittest.expectedFailure
            def test_it(self):
                lost = saying(relevance_to_query=JudgeUnavailable("away"))
                assert_quality(query="q", response="r", judge=lost)
        """
    )
    pytester.runpytest("--llm-eval").assert_outcomes(errors=1)


def test_outside_pytest_a_suite_is_asserted_and_evaluated(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        script="""
        import os
        os.environ["LLM_EVAL_SUITE"] = "mine = f1 >= 0.5, exact_match"
        from pytest_llmeval import CheckFailed, assert_quality, evaluate
        from pytest_llmeval.outside import current
        fields = {"response": "two three", "ground_truth": "one two"}
        assert evaluate(suite="mine", **fields).root_cause == "exact_match"
        try:
            assert_quality(suite="mine", **fields)
        except CheckFailed as failed:
            print(failed)
        """
    )
    result = pytester.runpython(pytester.path / "script.py")
    result.stdout.fnmatch_lines(["quality (mine) failed: 1 of 2 metrics; root cause exact_match"])
