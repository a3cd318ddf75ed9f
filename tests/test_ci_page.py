"""The page on CI: its workflows are read, and their commands are run, in their order."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from pytest_llmeval.cli import main
from pytest_llmeval.reports.markdown import MARKER
from pytest_llmeval.settings import OPTIONS

PAGE = Path(__file__).parent.parent.joinpath("docs/ci.md").read_text(encoding="utf-8")
BLOCKS = [
    yaml.safe_load(block)
    for block in re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
]
SUITE = """
import pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.testing import ScriptedJudge

@pytest.mark.llm_eval
@pytest.mark.parametrize("score", [2, 5, 4])
def test_rated(score):
    said = {"reason": "r", "score": score, "ungrounded": []}
    judge = ScriptedJudge(said, name=f"kept {score}", kept=True)
    assert_grounded("a", context=["a"], judge=judge)
"""


QUICK = ("-p", "no:hypothesispytest")
"""Else each inner run would import hypothesis for its summary, and forget it."""


def commands(job: dict[str, Any]) -> Iterator[str]:
    """The lines that ``job`` runs, without the shell's and those of other programs."""
    steps = [step["run"] for step in job.get("steps", ()) if "run" in step]
    for line in "\n".join([*steps, *job.get("script", ())]).splitlines():
        if line.startswith(("pytest ", "llm-eval ")):
            yield line


def run(pytester: pytest.Pytester, line: str) -> int:
    program, *arguments = shlex.split(line)
    if program == "pytest":
        return int(pytester.runpytest(*QUICK, *arguments).ret)
    found = [
        each
        for argument in arguments
        for each in ([str(p) for p in Path().glob(argument)] if "*" in argument else [argument])
    ]
    return CliRunner().invoke(main, found).exit_code


@pytest.fixture
def recorded(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_suite=SUITE)
    pytester.runpytest(*QUICK, "--llm-eval", "--llm-eval-verdicts=verdicts", "--llm-eval-record")
    return pytester


def test_the_workflow_replays_and_writes_the_comment(recorded: pytest.Pytester) -> None:
    workflow, comment, _ = BLOCKS
    (line,) = commands(workflow["jobs"]["replay"])
    assert run(recorded, line) == 1
    assert {path.name for path in recorded.path.glob("*.[jx]*")} >= {"run.json", "junit.xml"}
    (line,) = commands(comment["jobs"]["comment"])
    assert run(recorded, line) == 0
    page = recorded.path.joinpath("comment.md").read_text(encoding="utf-8")
    assert page.startswith(f"{MARKER}\n## LLM evals: failed\n\n3 checks: 2 passed, 1 failed.\n")
    (step,) = [step["run"] for step in comment["jobs"]["comment"]["steps"] if "gh" in str(step)]
    assert f'startswith("{MARKER}")' in step


@pytest.mark.parametrize("jobs", [BLOCKS[0]["jobs"], BLOCKS[2]], ids=["GitHub", "GitLab"])
def test_shards_are_run_and_merged(recorded: pytest.Pytester, jobs: dict[str, Any]) -> None:
    (line,) = commands(jobs.get("live") or jobs["evals"])
    names = {"${{ matrix.shard }}": None, "$CI_NODE_INDEX": None, "$CI_NODE_TOTAL": "3"}
    for shard in "123":
        made = line
        for name, value in names.items():
            made = made.replace(name, value or shard)
        assert run(recorded, made) == (1 if shard == "1" else 0)
    (line,) = commands(jobs["merged"])
    assert run(recorded, line) == 1
    page = recorded.path.joinpath("summary.md").read_text(encoding="utf-8")
    assert "3 checks: 2 passed, 1 failed.\n" in page


def test_every_setting_on_the_page_is_there() -> None:
    known = {name for option in OPTIONS for name in (option.flag, option.ini, option.variable)}
    named = {
        *re.findall(r"--llm-eval[a-z-]*", PAGE),
        *re.findall(r"^llm_eval_\w+", PAGE, re.MULTILINE),
        *re.findall(r"\bLLM_EVAL_\w+", PAGE),
    }
    assert named <= known
    assert {*re.findall(r"(?<!-)llm-eval ([a-z]+) ", PAGE)} <= {*main.commands, "merge"}


def test_secrets_and_rights_are_where_no_code_of_a_pull_request_runs() -> None:
    workflow, comment, _ = BLOCKS
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in str(workflow["jobs"]["replay"])
    assert workflow["jobs"]["live"]["if"] == "github.event_name == 'push'"
    assert "checkout" not in str(comment)
    steps = comment["jobs"]["comment"]["steps"]
    assert not any(
        "${{" in step.get("run", "") for step in steps
    )  # which a branch's name could end
