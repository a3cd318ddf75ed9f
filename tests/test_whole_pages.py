"""Runs with everything in them: the page, the annotations, and what stands at the end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pytest_llmeval.cli import main

SUITE = """
import os
import pytest
from pytest_llmeval import Case, assert_coherent, assert_grounded, assert_no_violence
from pytest_llmeval import assert_quality, assert_relevant, evaluate
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge
from suite_judge import saying

pytestmark = pytest.mark.llm_eval
GOOD = "GOOD" in os.environ
AWAY = JudgeUnavailable("away")

def rated(score, reason="so"):
    said = {"reason": reason, "score": 5 if GOOD else score, "ungrounded": []}
    return ScriptedJudge(said, name="judge", kept=True)

@pytest.mark.parametrize("n", range(12))
def test_coherent(n): assert_coherent("r", query=f"q {n}", judge=rated(3))  # line 18

def in_a_group(name, score):
    assert_relevant("r", query=name, judge=rated(score, f"of {name}"))  # line 21

@pytest.mark.llm_eval(min_pass_rate=0.5)
@pytest.mark.parametrize("name", ["a", "b"])
def test_held(name): in_a_group(name, {"a": 5, "b": 2}[name])

@pytest.mark.llm_eval(min_pass_rate=0.9, must_pass=["vital"])
@pytest.mark.parametrize("name", ["c", "vital"])
def test_broken(name): in_a_group(name, 3)

@pytest.mark.llm_eval(trials=3)
def test_trials(llm_trial):
    assert_grounded("r", context=["d"], query="t", judge=rated(6 - llm_trial))

@pytest.mark.parametrize("n", range(2))
def test_suite(n):
    case = Case(id=f"c{n}", query="q", response="r", context=["d"], ground_truth="r")
    told = {} if GOOD else {"context_sufficiency": "no"}
    assert_quality(case, judge=saying(told, name="judge", kept=True))

def test_harm():
    told = {} if GOOD else {"violence": "no"}
    assert_no_violence("r", query="q", judge=saying(told, name="judge", kept=True))

@pytest.mark.parametrize("n", range(3))
def test_away(n):
    judge = rated(5) if GOOD else ScriptedJudge(AWAY, name="judge", kept=True)
    assert_grounded(f"r {n}", context=["d"], judge=judge)

def test_only_looked_at():
    evaluate(Case(query="q", response="s"), "coherence", judge=rated(1))

@pytest.mark.xfail(strict=False)
def test_hoped(): assert_grounded("hoped", context=["d"], judge=rated(1))

def test_blank(): assert_grounded("r" if GOOD else " ", context=["d"], judge=rated(5))

def test_skipped(): pytest.skip("not today")

def test_otherwise(): assert GOOD
"""
GATES = (
    "groundedness.pass_rate >= 0.9",
    "violence.defect_rate <= 0.5",
    "coherence.mean >= 4.5",
    "relevance.pass_rate >= 0.1",
)
SECTIONS = """\
LLM evals: failed
Gates
Severities
Trials
Root causes
Baseline
Flips, passed in the baseline and failing now: 20 checks in 20 tests
Failed checks, worst first
Failed in groups that are not held, worst first
Tolerated in groups, worst first
Failed without failing a test, worst first
Without a verdict"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The project with a baseline of when it was good, in a job of GitHub Actions."""
    pytester.makepyfile(test_suite=SUITE)
    monkeypatch.setenv("LLM_EVAL_MODE", "off")
    monkeypatch.setenv("LLM_EVAL_BASELINE", "base.json")
    monkeypatch.setenv("GOOD", "1")
    assert pytester.runpytest("--llm-eval", "--llm-eval-update-baseline").ret == 0
    monkeypatch.delenv("GOOD")
    for name, value in (("ACTIONS", "true"), ("WORKSPACE", f"{pytester.path}")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "step.md"))
    return pytester


def test_a_run_with_everything_is_told_alike_everywhere(project: pytest.Pytester) -> None:
    gates = [f"--llm-eval-gate={gate}" for gate in GATES]
    written = ("--llm-eval-report=run.json", "--llm-eval-markdown=page.md", "--color=yes")
    result = project.runpytest("--llm-eval", *gates, *written)
    assert result.ret == 1
    page = _is_the_page_of_its_file(project.path)
    _says_what_broke(page)
    _ends_with_what_it_came_to(result.outlines)
    _annotates_the_gravest_first(result.outlines)


def _is_the_page_of_its_file(folder: Path) -> str:
    """The page, which the command makes anew of the run file to the byte."""
    page = (folder / "page.md").read_bytes()
    assert (folder / "step.md").read_bytes() == page
    assert CliRunner().invoke(main, ["markdown", "run.json"]).stdout_bytes == page
    return page.decode()


def _says_what_broke(page: str) -> None:
    headings = [line.lstrip("# ") for line in page.splitlines() if line.startswith("#")]
    assert "\n".join(headings) == SECTIONS
    parts = dict(zip(headings, re.split(r"(?m)^##+ .*$", page)[1:], strict=True))
    gates = [line for line in parts["Gates"].splitlines() if line.startswith("- ")]
    broken = [line for line in gates if "**" in line]
    assert gates[: len(broken)] == broken
    assert "- `relevance.pass_rate >= 0.1` held" in parts["Gates"]
    assert re.search(r"\| `coherence` \| .* \| −.* pts, p .*  REGRESSED \|", page)
    assert re.search(r"1 tolerated in groups, 1 failed without failing a test, 3 without", page)
    assert "by something else than a check: `test_suite.py::test_otherwise`." in page
    failed = parts["Failed checks, worst first"]
    first, *_ = re.findall(r"^- .*$", failed, re.MULTILINE)
    assert first == "- `relevance` 3 is below 4 · `test_suite.py::test_broken[vital]` · must pass"
    assert "test_held[b]" not in failed
    assert "`test_suite.py::test_held[b]`" in parts["Tolerated in groups, worst first"]
    assert page.count("The documents lack something") == 1
    assert "- fix of `context_sufficiency`: `The documents lack" in parts["Root causes"]


def _ends_with_what_it_came_to(lines: list[str]) -> None:
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
    names = [line.strip("= ") for line in plain if line.startswith("==")]
    assert names[-3:-1] == ["short test summary info", "llm eval"]
    end = next(n for n, line in enumerate(plain) if line.startswith("judge judge"))
    last = [line for line in plain[end:] if not line.startswith(("::", "llm eval: "))]
    assert len(last) <= 26
    *before, cause, fix = last[: -len(GATES) - 4]
    assert not any(line.startswith(("  ", "gate")) for line in before)
    assert cause == "root causes: context_sufficiency 2"
    assert fix.startswith("  fix: The documents lack something")
    assert all(line.startswith("gate ") for line in last[-len(GATES) - 4 : -1])
    told = [line for line in lines if re.match(r"(\x1b\[\d+m)*gate ", line)]
    assert len(told) == len(GATES) + 3
    assert all(line.startswith("\x1b[31m\x1b[1m") != ("   held" in line) for line in told)


def _annotates_the_gravest_first(lines: list[str]) -> None:
    made = [line.partition(" ")[2] for line in lines if line.startswith("::error ")]
    gates = [each for each in made if each.startswith("title=gate ")]
    assert len(gates) == 5
    assert made[:5] == gates
    vital = "file=test_suite.py,line=21,title=test_broken[vital] and 1 more"
    assert made[5].startswith(f"{vital}::relevance 3 is below 4   (judge)%0A  reason   of vital")
    assert made[5].endswith("%0A%0Atest_broken[c]: relevance 3 is below 4   (judge): of c")
    (coherent,) = (each for each in made if "title=test_coherent" in each)
    named = "test_coherent[1], test_coherent[2], test_coherent[3], 8 more: the same"
    assert coherent.startswith("file=test_suite.py,line=18,title=test_coherent[0] and 11 more::")
    assert coherent.endswith(f"%0A%0A{named}")
    (notice,) = (line for line in lines if line.startswith("::notice "))
    assert "line=21,title=test_held[b]::relevance 2 is below 4" in notice
    (warning,) = (line for line in lines if line.startswith("::warning "))
    assert "title=test_away[0] and 2 more::JudgeUnavailable: away" in warning
