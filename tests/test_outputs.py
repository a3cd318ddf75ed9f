"""What commands write: never over what they read, and never two things into one file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pytest_llmeval.cli import main

SUITE = """
import pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.testing import ScriptedJudge

@pytest.mark.llm_eval
def test_it():
    judge = ScriptedJudge({"reason": "r", "score": 5, "ungrounded": []}, name="kept", kept=True)
    assert_grounded("a", context=["a"], judge=judge)
"""


def call(line: str) -> Result:
    return CliRunner().invoke(main, line.split())


def held(folder: Path) -> dict[str, bytes]:
    """What the files of ``folder`` hold, and its store, whose file counts who opened it."""
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    return {**files, "store": call("store export -").stdout_bytes}


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """A project with a run file, links to it, its baseline and its store."""
    pytester.makeini("[pytest]\n")
    pytester.makepyfile(SUITE)
    pytester.runpytest("--llm-eval", "--llm-eval-report=run.json").assert_outcomes(passed=1)
    Path("linked.json").symlink_to("run.json")
    os.link("run.json", "twin.json")
    assert call("baseline run.json --output base.json").exit_code == 0
    return pytester.path


def test_a_file_that_is_read_is_not_written_whatever_it_is_called(folder: Path) -> None:
    merge = "merge run.json --output"
    for line, told in (
        ("markdown run.json --output run.json", "run.json would replace run.json, which is read"),
        ("markdown run.json --output linked.json", "linked.json would replace run.json"),
        ("markdown linked.json --output ./run.json", "./run.json would replace linked.json"),
        ("export run.json --format csv --output twin.json", "twin.json would replace run.json"),
        (f"{merge} {folder}/run.json", f"{folder}/run.json would replace run.json"),
        (f"{merge} new.json --markdown linked.json", "linked.json would replace run.json"),
        (f"{merge} base.json --baseline base.json", "base.json would replace base.json"),
        (f"{merge} new.json --markdown none/../new.json", "new.json are one file"),
        ("store export .llm_eval/v1/cache.db", ".llm_eval/v1/cache.db would replace "),
    ):
        before = held(folder)
        done = call(line)
        assert (done.exit_code, done.stdout) == (1, ""), line
        assert told in done.stderr
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1
        assert held(folder) == before, line


def test_a_file_that_is_there_is_replaced_and_a_baseline_by_that_which_was_held_to_it(
    folder: Path,
) -> None:
    Path("old.json").write_text("old")
    assert call("merge run.json --output old.json --markdown page.md").exit_code == 0
    assert call("merge old.json --output new.json --baseline base.json").exit_code == 0
    assert call("baseline new.json --against base.json --output base.json").exit_code == 0
    assert call("store export old.json").exit_code == 0
    assert '"groundedness"' in Path("old.json").read_text()
