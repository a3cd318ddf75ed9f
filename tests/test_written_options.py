"""Options written on the command line that would do nothing, or another thing than they say."""

from __future__ import annotations

from pathlib import Path

import pytest

TEST = """
import pytest
from pytest_llmeval import assert_exact_match

@pytest.mark.llm_eval
def test_it(): assert_exact_match("a", ground_truth="b" if {fails} else "a")
"""


def error_of(result: pytest.RunResult) -> str:
    """The one line that a refused run says."""
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = (each for each in result.errlines if each.startswith("ERROR: "))
    return line.removeprefix("ERROR: ")


def test_what_is_about_a_baseline_needs_one_where_it_is_written_on_the_command_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(TEST.format(fails=False))
    for given, told in (
        (["--llm-eval-fail-on=drop"], "--llm-eval-fail-on"),
        (["--llm-eval-tolerance", "2%", "-n", "1"], "--llm-eval-tolerance"),
        (
            ["--llm-eval-tolerance=2%", "--llm-eval-fail-on", "drop"],
            "--llm-eval-fail-on, --llm-eva",
        ),
    ):
        said = error_of(pytester.runpytest("--llm-eval", *given))
        assert said.startswith(told), given
        assert "no baseline is set, so that nothing would come of it: give --llm-eval-bas" in said
    assert pytester.runpytest("--llm-eval", "--llm-eval-fail-on=drop", "--co").ret == 0
    with monkeypatch.context() as around:
        around.setenv("LLM_EVAL_FAIL_ON", "drop")
        around.setenv("PYTEST_ADDOPTS", "--llm-eval-tolerance=2%", prepend=" ")
        assert pytester.runpytest("--llm-eval").ret == 0
    written = ["--llm-eval-baseline=base.json", "--llm-eval-update-baseline"]
    assert pytester.runpytest("--llm-eval", *written, "--llm-eval-fail-on=drop").ret == 0
    pytester.makeini("[pytest]\nllm_eval_baseline = base.json\n")
    result = pytester.runpytest("--llm-eval", "--llm-eval-fail-on=drop", "--llm-eval-tolerance=1%")
    assert result.ret == 0


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, whose folder is the working one, with a gate that breaks."""
    project = pytester.mkdir("project")
    (project / "pytest.ini").write_text("[pytest]\nllm_eval_gate = exact_match.pass_rate > 0.5\n")
    (project / "tests").mkdir()
    (project / "tests" / "test_it.py").write_text(TEST.format(fails=True))
    for file in ("run.json", "project/run.json", "project/tests/run.json"):
        (pytester.path / file).write_text("old")
    monkeypatch.chdir(project)
    return project


@pytest.mark.processes
def test_a_value_apart_by_which_pytest_chose_another_ini_is_refused(
    pytester: pytest.Pytester, project: Path
) -> None:
    for others in ([], ["-n", "1"], ["--rootdir=."]):
        run = ["--llm-eval", "--llm-eval-report", "../run.json", *others]
        root = project if "--rootdir=." in others else project.parent
        said = error_of(pytester.runpytest_subprocess(*run))
        assert said == (
            "--llm-eval-report ../run.json: write --llm-eval-report=../run.json, since pytest "
            "takes what stands apart for a place of tests: it used the root folder "
            f"{root} and no ini, in place of {project / 'pytest.ini'}"
        )
    assert (project.parent / "run.json").read_text() == "old"


@pytest.mark.parametrize(
    ("given", "here"),
    [
        ("--llm-eval-report=../run.json", "."),
        ("--llm-eval-report run.json", "."),
        ("--llm-eval-report ../new.json", "."),
        ("--llm-eval-report tests/run.json tests", "."),
        ("--llm-eval-report ../run.json tests", "."),
        ("tests --llm-eval-report ../run.json -c pytest.ini", "."),
        ("--llm-eval-report ../run.json", "tests"),
        ("test_it.py --llm-eval-report ../run.json", "tests"),
        ("project/tests --llm-eval-report project/run.json", ".."),
    ],
)
def test_a_value_apart_that_changed_nothing_is_taken(
    pytester: pytest.Pytester,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: str,
    here: str,
) -> None:
    monkeypatch.chdir(project / here)
    result = pytester.runpytest("--llm-eval", *given.split())
    assert result.ret == 1
    result.stdout.fnmatch_lines(["gate exact_match.pass_rate > 0.5   BROKEN: *"])
