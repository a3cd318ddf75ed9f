"""What a baseline keeps when it is written anew, and how it is brought through a merge."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from itertools import compress
from typing import Any

import pytest
from baseline_project import COMPARE, TEN, UPDATE, Project, gate, summary, worse
from compared_records import check

from pytest_llmeval.baselines.renewed import counted, renewed
from pytest_llmeval.baselines.rows import rows_of
from pytest_llmeval.baselines.standing import Roll
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import TestRow, TestState
from pytest_llmeval.results import Outcome

APP = """
@pytest.mark.parametrize("case", [f"c{n}" for n in range(8)])
def test_it(case):
    if SAYS.get(case) == "raise": raise ConnectionError("the app is down")
    check(case)
    evaluate(Case(id=case, response="r", ground_truth="r"), "f1")
def test_quiet():
    evaluate(Case(id="q", response="r", context=["c"]), "groundedness", judge=judge("q"))
"""
SKIPPED = f"if SAYS.get('skip'): pytest.skip('not here', allow_module_level=True)\n{TEN}"


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    return Project(pytester)


def test_an_update_keeps_the_rows_of_what_the_run_says_nothing_of(project: Project) -> None:
    project.write(test_a=APP, test_b=SKIPPED)
    project.run(*UPDATE)
    before = project.rows()
    project.says(**worse(6, "raise"), c6=2, c7="down", q="down", skip=True)
    again = project.run(*UPDATE)
    again.stdout.fnmatch_lines(
        [
            "baseline *b.json was written: 27 checks",
            "  16 checks kept as before: their tests raised, or got no verdict",
            "  10 checks kept as before: their tests were skipped, or expected to fail",
        ]
    )
    now = project.rows()
    (failed,) = (row for row in now["test_a.py::test_it[c6]"] if row["metric"] == "groundedness")
    assert (failed["outcome"], failed["score"]) == ("failed", 2)
    before["test_a.py::test_it[c6]"][1] = now["test_a.py::test_it[c6]"][1]
    assert now == before
    said = summary(project.run(*COMPARE))
    assert "compared 1, 10 skipped or expected to fail, 16 without a verdict or not run" in said
    project.says()
    assert "baseline b.json: compared 27\n" in summary(project.run(*COMPARE))


@pytest.mark.parametrize(
    ("states", "count", "kept"),
    [
        (("passed", "passed", "skipped"), 3, [1, 2, 3]),
        (("passed", "failed", "xfailed"), 3, [1, 2, 3]),
        (("passed", "passed", "error"), 3, [1, 2, 3]),
        (("skipped", "skipped", "skipped"), 3, [1, 2, 3]),
        (("passed", "passed"), 2, [1, 2]),  # there are fewer of them now
        (("passed", "passed", "skipped"), 2, [1, 2]),  # the third is no longer set beforehand
        (("passed", "passed", "error"), 2, [1, 2]),
    ],
)
def test_of_the_trials_of_a_test_those_stay_that_might_have_been(
    states: tuple[TestState, ...], count: int, kept: list[int]
) -> None:
    def trial(number: int) -> Record:
        made = check("c", 5)
        return replace(made, nodeid=f"test_a.py::test_it[c-trial{number}]", trial=number)

    trials = [trial(number) for number in (1, 2, 3)]
    came = [state in ("passed", "failed") for state in states]
    tests = {
        each.nodeid: TestRow(each.nodeid, state, trial=each.trial, trials=count)
        for each, state in zip(trials, states, strict=False)
    }
    ran = [*compress(trials, came)]
    made = renewed(rows_of(trials), ran, Roll(tests, frozenset({"test_a.py"})))
    assert sorted(row.trial or 0 for row in made.rows) == kept
    assert counted(made.rows) == f"1 check in {len(kept)} trials"


def test_a_trial_without_a_verdict_keeps_its_row_also_where_it_is_reported_as_skipped() -> None:
    def trial(number: int, **came: Any) -> Record:
        nodeid = f"test_a.py::test_it[c-trial{number}]"
        return replace(check("c", 5), nodeid=nodeid, trial=number, **came)

    former = rows_of([trial(1), trial(2)])
    down = {"outcome": Outcome.ERROR, "score": None, "error": "JudgeUnavailable"}
    records = [trial(1), trial(2, **down)]
    states: tuple[TestState, ...] = ("passed", "skipped")
    tests = {
        each.nodeid: TestRow(each.nodeid, state, trial=each.trial)
        for each, state in zip(records, states, strict=True)
    }
    made = renewed(former, records, Roll(tests, frozenset({"test_a.py"})))
    assert sorted(row.trial or 0 for row in made.rows) == [1, 2]


def test_a_baseline_that_is_too_small_says_so_when_it_is_written_and_when_it_holds(
    project: Project,
) -> None:
    project.write(test_a=TEN.replace("range(10)", "range(4)"))
    blind = "no drop could be seen, not even of all: groundedness has 4 independent cases that can "
    project.run(*UPDATE).stdout.fnmatch_lines([f"against this baseline {blind}*add cases, or set*"])
    project.says(**worse(4))
    result = project.run(*COMPARE)
    assert gate(result).startswith(f"held: {blind}fall, and 6 are needed; ")
    assert "−100.0 pts, inconclusive (could see no drop)" in summary(result)


CASES = """
@pytest.mark.parametrize("case", sorted(each.stem for each in Path(__file__).parent.glob("*.case")))
def test_it(case): check(case)
"""


@pytest.mark.parametrize("side", ["--ours", "--theirs"])
def test_a_conflict_of_two_branches_is_solved_by_either_side_and_an_update(
    project: Project, side: str
) -> None:
    def git(*arguments: str, fails: bool = False) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        done: Any = subprocess.run(
            ["git", *who, *arguments], cwd=project.path, capture_output=True, text=True, check=False
        )
        assert bool(done.returncode) is fails, done.stderr
        return str(done.stdout)

    def add(case: str) -> None:
        (project.path / f"{case}.case").touch()
        project.run(*UPDATE)
        git("add", "*.case", "b.json")
        git("commit", "-qm", case)

    project.write(test_a=CASES)
    git("init", "-q", "-b", "main")
    add("c0")
    git("switch", "-qc", "one")
    add("c1")
    git("switch", "-q", "main")
    add("c2")
    assert "CONFLICT (content): Merge conflict in b.json" in git("merge", "one", fails=True)
    refused = project.run(*COMPARE)
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["*b.json: git left a conflict in the baseline; take one side *"])
    git("checkout", side, "b.json")
    assert project.run(*UPDATE).ret == 0
    assert [test[-3:-1] for test in project.rows()] == ["c0", "c1", "c2"]
    assert "\n- " not in git("diff", "main", "--", "b.json")
