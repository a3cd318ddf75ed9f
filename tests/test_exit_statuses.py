"""How a run ends that could not do what it was asked to, whatever its tests and gates come to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

GATE = "--llm-eval-gate=exact_match.pass_rate >= 0.5"
SUITE = """
import os, pytest
from pytest_llmeval import Case, assert_exact_match, assert_grounded, evaluate
from pytest_llmeval.errors import DamagedVerdicts
from pytest_llmeval.testing import ScriptedJudge
pytestmark = pytest.mark.llm_eval
SAID = {"ungrounded": [], "reason": "r", "score": 5}
JUDGES = {"no judge": None, "damaged verdict": ScriptedJudge(DamagedVerdicts("line 3"))}

def test_fault():
    judge = JUDGES.get(os.environ["FAULT"], ScriptedJudge(SAID, kept=True))
    assert_grounded("a", context="a", judge=judge)
    if os.environ["FAULT"] == "verdicts": open("kept", "w").close()

def test_gated():
    truth = "b" if os.environ["COMES"] == "gate broken" else "a"
    evaluate(Case(response="a", ground_truth=truth), "exact_match")

def test_end():
    assert os.environ["COMES"] != "tests failed"
    if os.environ["COMES"] == "interrupted": pytest.exit("enough")
"""
REDACT = """
import os, pytest
def pytest_llm_eval_redact(entry):
    if os.environ["FAULT"] == "redact hook raises": raise ValueError("odd")
    if os.environ["FAULT"] == "redact hook exits": pytest.exit("enough")
    return entry
"""
RECORD = "--llm-eval-record"
WRITE = ("--llm-eval-baseline=file/b.json", "--llm-eval-update-baseline")
FAULTS = {
    "none": ("", []),
    "no judge": ("no judge is set", []),
    "damaged verdict": ("line 3", []),
    "verdicts": ("no verdicts were recorded in ", [RECORD, "--llm-eval-verdicts=kept"]),
    "redact hook raises": ("no verdicts were recorded in ", [RECORD, "--llm-eval-verdicts=kept"]),
    "redact hook exits": ("no verdicts were recorded in ", [RECORD, "--llm-eval-verdicts=kept"]),
    "baseline": ("baseline ", WRITE),
    "run file": ("the run file ", ["--llm-eval-report=file/run.json"]),
    "markdown": ("the Markdown summary ", ["--llm-eval-markdown=file/run.md"]),
}
"""What could not be done: what is said of it, and the options that ask for it."""

COMES = {"passed": 0, "tests failed": 1, "gate broken": 1, "interrupted": 2, "no tests": 5}
"""What tests and gates come to, and how pytest ends for that alone."""


def lay_out(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, fault: str) -> list[str]:
    """Make the suite; the options of a run with ``fault``."""
    pytester.makepyfile(test_suite=SUITE)
    pytester.makeconftest(REDACT)
    (pytester.path / "file").write_text("where a folder would have to be")
    monkeypatch.setenv("FAULT", fault)
    return ["--llm-eval", "-p", "no:cacheprovider", GATE, *FAULTS[fault][1]]


@pytest.mark.parametrize("fault", FAULTS)
def test_what_could_not_be_done_ends_with_4_and_nothing_else_is_overwritten(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: str,
) -> None:
    options = lay_out(pytester, monkeypatch, fault)
    for comes, status in COMES.items():
        monkeypatch.setenv("COMES", comes)
        Path("kept").unlink(missing_ok=True)
        chosen = ["-k", "nothing"] if comes == "no tests" else []
        # Not by pytester, which has each run import anew what the last one imported.
        ended = pytest.main([*options, *chosen])
        lines = capsys.readouterr().out.splitlines()
        assert ended == (status if fault == "none" or status in (2, 5) else 4), (fault, comes)
        if comes in ("passed", "tests failed", "gate broken"):
            assert any(FAULTS[fault][0] in line for line in lines), (fault, comes)
        if comes == "gate broken":
            assert any(line.endswith("BROKEN: 0/1, 0.0 %") for line in lines), fault
            failed = pytest.RunResult.parse_summary_nouns(lines).get("failed", 0)
            assert failed == (fault not in ("no judge", "damaged verdict")), fault


@pytest.mark.processes
def test_it_is_the_same_under_xdist_also_where_that_stops_after_a_failure(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = lay_out(pytester, monkeypatch, "redact hook raises")
    monkeypatch.setenv("COMES", "tests failed")
    result = pytester.runpytest_subprocess(*options, "-n", "1", "-x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["no verdicts were recorded in *kept: *ValueError: odd *"])


def test_the_run_file_tells_how_the_run_ends_also_where_a_file_after_it_is_not_written(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = lay_out(pytester, monkeypatch, "markdown")
    monkeypatch.setenv("COMES", "passed")
    assert pytest.main([*options, "--llm-eval-report=run.json"]) == 4
    made = json.loads(Path("run.json").read_text(encoding="utf-8"))
    assert made["exit_status"] == 4
    assert any("Markdown summary" in notice for notice in made["notices"])


def test_a_run_without_a_judge_leaves_the_baseline_as_it_is(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = lay_out(pytester, monkeypatch, "no judge")
    monkeypatch.setenv("COMES", "passed")
    written = ["--llm-eval-baseline=b.json", "--llm-eval-update-baseline"]
    assert pytest.main([*options, *written]) == 4
    assert "was not written: checks had no judge" in capsys.readouterr().out
    assert not Path("b.json").exists()
