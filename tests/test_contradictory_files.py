"""Run files that contradict themselves are refused by what does; what the plugin wrote is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pytest_llmeval import UsageError, load_run
from pytest_llmeval.cli import main

SUITE = """
import pytest
from pytest_llmeval import Case, Scale, Verdict, assert_grounded, assert_quality, evaluate, metric
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge

def judge(score):
    return ScriptedJudge({"reason": "r", "score": score, "ungrounded": []})

@metric(needs=["response"], scale=Scale("0-1", 0, 10))  # called as one of ours, with other ends
async def points(case, ask):
    return Verdict(7, "seven")

pytestmark = pytest.mark.llm_eval

def test_a(): assert_grounded("a", context=["a"], judge=judge(5))
def test_b(): assert_grounded("a", context=["a"], judge=judge(2))
def test_blank(): assert_grounded(" ", context=["a"], judge=judge(2))
def test_down(): assert_grounded("a", context=["a"], judge=ScriptedJudge(JudgeUnavailable("down")))
def test_f1(): evaluate(Case(response="a", ground_truth="a"), "f1")
def test_own(): evaluate(Case(response="a"), points)

def test_suite():
    case = Case(query="q", response="b", ground_truth="a")
    assert_quality(case, suite="shop")
"""
MADE: list[str] = []


@pytest.fixture
def document(pytester: pytest.Pytester) -> Any:
    if not MADE:
        pytester.makepyfile(SUITE)
        suite = "--llm-eval-suite=shop = f1 >= 0.5, exact_match"
        pytester.runpytest("--llm-eval", suite, "--llm-eval-report=run.json")
        load_run(pytester.path / "run.json")  # what the plugin wrote is no contradiction
        MADE.append((pytester.path / "run.json").read_text(encoding="utf-8"))
    return json.loads(MADE[0])


A, B, BLANK, DOWN, F1, OWN = range(6)
CHANGES: list[tuple[str, Any, str]] = [
    ("extent.ran", 0, "extent.ran is 0, and ran_digest is of some"),
    ("extent.ran_digest", "0" * 32, "extent.ran is 7, and ran_digest is of no tests"),
    ("extent.deselected", 8, "extent.collected is less than deselected and elsewhere together"),
    ("extent.shard", "3/2", "extent.shard is 3/2, and there is no such shard of 2"),
    (f"records.{A}.score", 3.0, "it passed, and its score is 3 where at_least 4 passes"),
    (f"records.{B}.score", 4.0, "it failed, and its score is 4 where at_least 4 passes"),
    (f"records.{B}.outcome", "passed", "it passed, and its score is 2 where at_least 4 passes"),
    (f"records.{A}.score", 6.0, "the score 6 is not on its scale, 1-5"),
    (f"records.{A}.score", 4.5, "the score 4.5 is not on its scale, 1-5"),
    (f"records.{F1}.score", -0.1, "the score -0.1 is not on its scale, 0-1"),
    (f"records.{A}.score", None, "it passed, and has no score or no pass mark"),
    (f"records.{A}.outcome", "error", "its outcome is error, and its error None"),
    (f"records.{DOWN}.outcome", "failed", "its outcome is failed, and its error JudgeUnavailable"),
    (f"records.{DOWN}.score", 3.0, "it is an error, and has the score 3"),
    (f"records.{F1}.bound", "at_least", "its bound is at_least, and its threshold None"),
    (f"records.{A}.outcome", "measured", "it is measured, and has the pass mark at_least 4.0"),
    ("assessments.0.outcome", "passed", "its outcome is passed, and what failed is ['f1', 'exac"),
    ("assessments.0.failed", [], "its outcome is failed, and what failed is []"),
    ("assessments.0.root_cause", "exact_match", "its root_cause is exact_match, and what failed"),
    ("assessments.0.uncertain", ["x"], "uncertain names x, which is not among its errors"),
    ("totals.checks", 7, "totals: checks is 7, and by what it is made of 8"),
    ("records", [], "metrics: exact_match is in one of metrics and what they are made of"),
    (f"records.{A}.metric", "x", "metrics: x is in one of metrics and what they are made of"),
    (f"records.{BLANK}.outcome", "not_applicable", "metrics (groundedness): judged is 3, and by"),
    (f"records.{A}.xfailed", True, "metrics (groundedness): passed is 1, and by what it is made"),
    ("tests.0.weight", 0.5, "its weight is 0.5, and it is no trial"),
    ("tests.0.soonest", 0, "its soonest is 0, and its trial None"),
    ("tests.0.trials", 3, "it is of trial None of None, and its test is trial None of 3"),
    ("assessments", [], "suites: shop is in one of suites and what they are made of"),
    ("assessments.0.xfailed", True, "suites (shop): judged is 1, and by what it is made of 0"),
]


@pytest.mark.parametrize(("place", "value", "message"), CHANGES)
def test_a_file_that_contradicts_itself_is_refused(
    document: Any, place: str, value: Any, message: str, tmp_path: Path
) -> None:
    *path, last = place.split(".")
    part = document
    for name in path:
        part = part[int(name)] if isinstance(part, list) else part[name]
    part[last] = value
    file = tmp_path / "run.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_run(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)
    assert "edited or damaged; write it anew" in str(caught.value)


def test_merge_and_export_refuse_it_too(document: Any, tmp_path: Path) -> None:
    document["records"][B]["outcome"] = "passed"
    file = tmp_path / "run.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    for command in (
        ["merge", str(file), "--output", str(tmp_path / "merged.json")],
        ["export", str(file), "--format", "csv"],
    ):
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 1
        assert "it passed, and its score is 2 where" in done.output


def test_no_text_of_a_run_file_gets_a_line_of_its_own_on_a_terminal_or_a_page(
    document: Any, tmp_path: Path
) -> None:
    hostile = "x\n\n# Approved @all <img src=x>\n::error::taken\x1b[31m"
    for where in ("bound", "metric", "unknown"):
        changed = json.loads(json.dumps(document))
        failed = next(row for row in changed["records"] if row["outcome"] == "failed")
        failed[where] = hostile
        path = tmp_path / "run.json"
        path.write_text(json.dumps(changed), "utf-8")
        result = CliRunner().invoke(main, ["markdown", str(path)])
        assert result.exit_code == 1
        assert "\n::error::" not in result.output
        assert "\n# Approved" not in result.output
        assert "\x1b" not in result.output
    document["notices"] = [hostile]
    path.write_text(json.dumps(document), "utf-8")
    merged = CliRunner().invoke(main, ["merge", str(path), "--output", str(tmp_path / "m.json")])
    assert "taken" in merged.output
    assert "\n::error::" not in merged.output
    assert "\x1b" not in merged.output
