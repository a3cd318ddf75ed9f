"""A baseline's life: made, held to, broken, kept up with what becomes of the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from baseline_project import COMPARE, TEN, UPDATE, Project, gate, summary, worse
from click.testing import CliRunner

from pytest_llmeval import load_run
from pytest_llmeval.cli import main


@pytest.fixture
def project(pytester: pytest.Pytester) -> Project:
    return Project(pytester)


def test_a_baseline_is_made_once_and_the_same_run_holds_it(project: Project) -> None:
    missing = project.run(*COMPARE)
    assert missing.ret == pytest.ExitCode.USAGE_ERROR
    missing.stderr.fnmatch_lines(["*b.json: there is no such baseline: make one with *"])
    made = project.run(*UPDATE)
    assert made.ret == 0
    made.stdout.fnmatch_lines(["baseline *b.json was written: 10 checks"])
    assert "gate baseline" not in made.stdout.str()
    first = project.file.read_bytes()
    again = project.run(*UPDATE)
    again.stdout.fnmatch_lines(["baseline *b.json is up to date: 10 checks"])
    assert project.file.read_bytes() == first
    held = project.run(*COMPARE)
    assert (held.ret, gate(held)) == (0, "held")
    held.stdout.re_match_lines([r"metric .* mean  vs baseline$", r"groundedness .* unchanged$"])


def test_a_regression_breaks_the_gate_and_lists_flips_with_both_reasons(project: Project) -> None:
    project.have_baseline()
    project.says(**{**worse(6), "c5": 1})
    result = project.run(*COMPARE, "--llm-eval-report=run.json")
    assert gate(result) == "BROKEN: groundedness"
    text = summary(result)
    assert "−60.0 pts, p = 0.031  REGRESSED" in text
    assert "flips, passed in the baseline and failing now: 6 checks in 6 tests" in text
    worst = text.partition("failing now: 6 checks in 6 tests\n")[2].splitlines()[:3]
    assert worst == [
        "  test_a.py::test_it[c5]: groundedness 5 → 1",
        "    was  c5 gets 5",
        "    now  c5 gets 1",
    ]
    comparison = load_run(project.path / "run.json").comparison
    assert comparison is not None
    assert (comparison.gate, comparison.says) == ("broken", "groundedness")
    (metric,) = comparison.metrics
    assert (metric.change, metric.n, metric.worse, metric.test) == (
        "regressed",
        10,
        6,
        "exact McNemar",
    )
    assert [flip.case for flip in comparison.flips] == ["c5", "c0", "c1", "c2", "c3", "c4"]


@pytest.mark.parametrize(
    ("options", "count", "says"),
    [
        ([], 3, "held"),
        (["--llm-eval-fail-on=drop"], 3, "BROKEN: groundedness"),
        (["--llm-eval-fail-on=drop", "--llm-eval-tolerance=0.3"], 3, "held"),
        (["--llm-eval-fail-on=drop", "--llm-eval-tolerance=groundedness=0.2"], 3, "BROKEN: gro*"),
        (["--llm-eval-fail-on=any-flip"], 1, "BROKEN: groundedness"),
        (["--llm-eval-tolerance=0.6"], 7, "held"),
    ],
    ids=str,
)
def test_what_fails_the_run_is_a_setting(
    project: Project, options: list[str], count: int, says: str
) -> None:
    project.have_baseline()
    project.says(**worse(count))
    result = project.run(*COMPARE, *options)
    assert gate(result).startswith(says.removesuffix("*"))
    if count == 3 and not options:
        assert "−30.0 pts, inconclusive (could see " in summary(result)


def test_a_run_that_is_better_where_nothing_could_fall_is_read_back(project: Project) -> None:
    project.says(**worse(10))
    project.run(*UPDATE)
    project.says()
    better = project.run(*COMPARE, "--llm-eval-report=run.json")
    assert "+100.0 pts, p = 0.002  improved" in summary(better)
    comparison = load_run(project.path / "run.json").comparison
    assert comparison is not None
    assert (comparison.gate, comparison.metrics[0].blind) == ("held", True)


def test_a_build_whose_tests_pass_fails_by_the_gate_alone(project: Project) -> None:
    project.write(
        test_a="""
@pytest.mark.parametrize("case", [f"c{n}" for n in range(10)])
def test_it(case):
    evaluate(Case(id=case, response="r", context=["c"]), "groundedness", judge=judge(case))
"""
    )
    project.run(*UPDATE)
    project.says(**worse(7))
    result = project.run(*COMPARE)
    result.assert_outcomes(passed=10, failed=1)  # the gate
    assert (result.ret, gate(result)) == (1, "BROKEN: groundedness")
    assert summary(result).count("the judge changed its mind") == 7


def test_a_renamed_or_moved_test_is_the_same_and_cases_come_and_go(project: Project) -> None:
    project.write(test_c=TEN.replace("test_it", "test_that"))
    project.run(*UPDATE)
    (project.path / "test_c.py").unlink()
    renamed = """
@pytest.mark.parametrize("case", [f"c{n}" for n in range(2, 12)])
def test_other(case): check(case)
"""
    project.write(test_a=renamed, test_moved=TEN.replace("test_it", "test_that"))
    result = project.run(*COMPARE)
    assert gate(result) == "held: not compared: 2 gone"
    text = summary(result)
    assert "baseline b.json: compared 18, 2 new, 2 gone" in text
    assert "  new: test_a.py::test_other[c10] groundedness" in text
    assert "  gone: test_a.py::test_it[c0] groundedness" in text


def test_another_judge_asks_for_a_new_baseline_and_blames_nobody(project: Project) -> None:
    project.have_baseline()
    project.says(judge="k", **worse(9))
    result = project.run(*COMPARE)
    assert gate(result).startswith("not decided: the judge changed (groundedness: j → k)")
    text = summary(result)
    assert "the judge changed" in text
    assert "flips" not in text
    project.says(judge="k")
    assert project.run(*COMPARE).ret == 1
    project.run(*UPDATE)
    assert project.run(*COMPARE).ret == 0


def test_another_prompt_is_another_judge(project: Project) -> None:
    project.have_baseline()
    (project.path / "more.md").write_text("Be strict.")
    result = project.run(*COMPARE, "--llm-eval-rubric=groundedness+more.md")
    assert gate(result).startswith("not decided: the judge changed (groundedness: prompt gro")


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"c0": "down"}, "held"),
        (worse(6, "down"), "not decided: checks that would decide: 6 without a verdict or not run"),
        ({**worse(6), "c9": "down"}, "BROKEN: groundedness"),
        (worse(10, "down"), "not decided: "),
    ],
    ids=str,
)
def test_checks_without_a_verdict_decide_only_where_they_cannot_turn_it(
    project: Project, said: dict[str, Any], says: str
) -> None:
    project.have_baseline()
    project.says(**said)
    result = project.run(*COMPARE)
    assert gate(result).startswith(says)
    assert result.ret == 1


def test_a_selection_is_only_said_but_in_ci_and_is_no_baseline(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.have_baseline()
    before = project.file.read_bytes()
    for options in (["-k", "c1"], ["test_a.py::test_it[c1]"]):
        result = project.run(*COMPARE, *options)
        assert gate(result) == "not decided: checks that would decide: 9 deselected (groundedness)"
        assert result.ret == 0
        refused = project.run(*UPDATE, *options)
        refused.stdout.re_match_lines([r"baseline .*b\.json was not written: .*(desel|selec)"])
        assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert project.file.read_bytes() == before
    monkeypatch.setenv("CI", "1")
    assert project.run(*COMPARE, "-k", "c1").ret == 1
    assert gate(project.run(*COMPARE, "-k", "not c1")) == "held"


def test_a_run_that_stops_early_is_no_baseline_and_decides_nothing(project: Project) -> None:
    project.have_baseline()
    project.says(c2=2)
    result = project.run(*COMPARE, "-x")
    assert gate(result).startswith("not decided: checks that would decide: 7 without")
    refused = project.run(*UPDATE, "-x")
    refused.stdout.fnmatch_lines(["*was not written: the run did not come to its end; *not run: 7"])
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    shard = project.run(*UPDATE, "--llm-eval-shard=1/2")
    shard.stderr.fnmatch_lines(["*a shard is not the whole suite; *"])
    left = project.run(*COMPARE, "--llm-eval-shard=1/2")
    assert gate(left) == "left to llm-eval merge"


def test_an_update_keeps_the_rows_of_tests_that_were_skipped(project: Project) -> None:
    project.have_baseline()
    before = project.rows()
    module = "pytest.skip('later', allow_module_level=True)\n"
    for skipped in (f"@pytest.mark.skip{TEN}", module + TEN):
        project.write(test_a=skipped, test_b=TEN)
        project.run(*UPDATE)
        kept = {test: rows for test, rows in project.rows().items() if "test_a.py" in test}
        assert kept == before
        (project.path / "test_b.py").unlink()
        assert gate(project.run(*COMPARE)) == "not decided: no check of the baseline was made"


def test_a_baseline_of_which_nothing_was_compared_is_never_held(project: Project) -> None:
    project.write(test_a="def test_it(): check('c1')")
    assert project.run(*UPDATE).ret == 0
    told = "not decided: no check of the baseline was made"
    chosen = project.run(*COMPARE, "--deselect=test_a.py::test_it")
    assert (chosen.ret, gate(chosen)) == (5, told)
    project.says(c1="down")
    down = project.run(*COMPARE)
    assert gate(down) == told
    assert "llm_eval::gate[baseline]" in down.stdout.str()


@pytest.mark.processes
def test_a_worker_that_dies_at_its_end_has_no_check_written_twice(
    project: Project, pytester: pytest.Pytester
) -> None:
    project.have_baseline()
    before = project.rows()
    pytester.makeconftest(
        "import os\ndef pytest_sessionfinish(session):\n"
        "    if hasattr(session.config, 'workerinput'): os._exit(3)\n"
    )
    result = pytester.runpytest_subprocess(*UPDATE, "-n", "1", "--max-worker-restart=0")
    result.stdout.fnmatch_lines(["baseline *b.json is up to date: 10 checks"])
    assert project.rows() == before


def test_a_baseline_in_which_a_test_stands_twice_is_refused(project: Project) -> None:
    project.have_baseline()
    file = project.path / "b.json"
    text = file.read_text("utf-8")
    name = next(line for line in text.splitlines() if "test_it[c0]" in line).strip()
    other = next(line for line in text.splitlines() if "test_it[c1]" in line).strip()
    file.write_text(text.replace(other, name), "utf-8")
    result = project.run(*COMPARE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "is given twice in one object" in result.stderr.str()


def test_merged_shards_are_held_against_the_baseline_that_they_were_set(project: Project) -> None:
    project.have_baseline()
    project.says(**worse(7))
    for shard in (1, 2):
        shown = project.run(
            *COMPARE, f"--llm-eval-shard={shard}/2", f"--llm-eval-report={shard}.json"
        )
        assert gate(shown) == "left to llm-eval merge"
    there = CliRunner().invoke(main, ["merge", "1.json", "2.json", "--output", "m.json"])
    assert (there.exit_code, "gate baseline   BROKEN: groundedness" in there.output) == (1, True)
    merged = load_run("m.json")
    assert [each.name for each in merged.gates] == ["baseline"]
    assert merged.comparison is not None
    assert merged.exit_status == 1
    (project.path / "b.json").unlink()
    gone = CliRunner().invoke(main, ["merge", "1.json", "2.json", "--output", "m.json"])
    assert (gone.exit_code, "not decided: there is no b.json here" in gone.output) == (1, True)


def test_files_that_were_not_collected_keep_their_rows(project: Project) -> None:
    project.write(test_b=TEN, test_c=TEN)
    project.run(*UPDATE)
    (project.path / "test_c.py").unlink()
    project.says(c0=1)
    project.run(*UPDATE, "test_a.py")
    files = {
        file: [
            row["score"] for test, rows in project.rows().items() if file in test for row in rows
        ]
        for file in ("test_a.py", "test_b.py", "test_c.py")
    }
    assert files == {"test_a.py": [1, *[5] * 9], "test_b.py": [5] * 10, "test_c.py": []}
    result = project.run(*COMPARE, "test_a.py")
    assert gate(result) == "held: not compared: 10 in files that were not collected"
    told = "baseline b.json: compared 10, 10 in files that were not collected\n"
    assert told in summary(result)


def test_what_is_skipped_or_expected_to_fail_is_in_no_comparison(project: Project) -> None:
    project.have_baseline()
    project.says(**worse(10))
    for mark in ("xfail(strict=False)", "skip"):
        project.write(test_a=f"@pytest.mark.{mark}{TEN}")
        result = project.run(*COMPARE)
        assert "compared 0" in summary(result)
        assert "gone" not in summary(result)
        assert "10 skipped or expected to fail" in summary(result)
        said = "not decided: no check of the baseline was made"
        assert (result.ret, gate(result)) == (1, said)


def test_a_test_that_ends_early_leaves_its_later_checks_unknown(project: Project) -> None:
    both = """
def test_it():
    check("first")
    evaluate(Case(id="a", response="r", ground_truth="r"), "f1")
"""
    project.write(test_a=both)
    project.run(*UPDATE)
    project.says(first=2)
    text = summary(project.run(*COMPARE))
    assert "baseline b.json: compared 1, 1 without a verdict or not run" in text
    project.says()
    project.write(test_a=both.replace("    evaluate", "    return\n    evaluate"))
    assert "  gone: test_a.py::test_it (a) f1" in summary(project.run(*COMPARE))


def test_a_case_of_which_a_trial_raised_is_compared_and_counted_once(project: Project) -> None:
    project.write(
        test_a="""
@pytest.mark.llm_eval(trials=3)
@pytest.mark.parametrize("case", [f"c{n}" for n in range(12)])
def test_it(case, request):
    assert not (SAYS and case == "c0" and "trial2" in request.node.name)
    check(case)
    evaluate(Case(id=case, response="r", ground_truth="r"), "f1")
"""
    )
    project.run(*UPDATE)
    project.says(judge="j")
    result = project.run(*COMPARE)
    text = summary(result)
    assert "baseline b.json: compared 24 (2 with trials missing)\n" in text
    assert (text.count("  unchanged"), text.count("unchanged in")) == (2, 0)
    assert gate(result) == "held"


@pytest.mark.usefixtures("measured")
@pytest.mark.processes
def test_workers_of_xdist_are_compared_and_written_alike(project: Project) -> None:
    project.write(test_b=TEN, test_c=f"if SAYS: pytest.skip(allow_module_level=True)\n{TEN}")
    project.run(*UPDATE)
    alone = project.file.read_bytes()
    project.file.unlink()
    assert project.run(*UPDATE, "-n", "2").ret == 0
    assert project.file.read_bytes() == alone
    project.says(**worse(6))
    broken = project.run(*COMPARE, "-n", "2")
    assert gate(broken) == "BROKEN: groundedness"
    assert ", 10 skipped or expected to fail" in summary(broken)
    assert gate(project.run(*COMPARE, "-n", "2", "-k", "c1")).startswith("not decided: checks")


def test_only_flips_runs_what_flipped_and_remembers_the_rest(project: Project) -> None:
    none = project.run(*COMPARE[:1], "--llm-eval-only-flips")
    none.stderr.fnmatch_lines(["*--llm-eval-only-flips: no run was compared here; *"])
    off = project.run("--llm-eval", "--llm-eval-only-flips", "-p", "no:cacheprovider")
    off.stderr.fnmatch_lines(["*pytest's cache, which is off (-p no:cacheprovider)"])
    project.have_baseline()
    project.says(c1=1, c2=1)
    project.run(*COMPARE)
    project.says(c1=1)
    flips = project.run(*COMPARE, "--llm-eval-only-flips")
    flips.assert_outcomes(failed=1, passed=1, deselected=8)
    flips.stdout.fnmatch_lines(["llm eval: tests with cases that flipped: 2"])
    project.run(*COMPARE, "--llm-eval-only-flips").assert_outcomes(failed=1, deselected=9)
    project.run(*COMPARE, "-k", "c5")
    project.run(*COMPARE, "--llm-eval-only-flips").assert_outcomes(failed=1, deselected=9)
    assert project.run(*COMPARE, "--llm-eval-only-flips", "-k", "c5").ret == 5
    project.says()
    project.run(*COMPARE, "--llm-eval-only-flips").assert_outcomes(passed=1, deselected=9)
    idle = project.run(*COMPARE, "--llm-eval-only-flips")
    assert idle.ret == 0
    idle.stdout.fnmatch_lines(["llm eval: no case flipped when *; there is nothing to run"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--llm-eval-update-baseline"], "none is set: give --llm-eval-baseline=FILE"),
        ([*COMPARE[1:], "--llm-eval-tolerance=fluncy=1"], "tolerance: * did you mean 'fluency'?"),
        ([*COMPARE[1:], "--llm-eval-tolerance=-1"], "tolerance: expected a share, as 2% or*"),
        ([*COMPARE[1:], "--llm-eval-tolerance=groundedness=1.5"], "*, as 1.5% or 0.015; got '*"),
        ([*COMPARE[1:], "--llm-eval-fail-on=any"], "*expected one of regression, drop, any-flip*"),
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_is_refused(
    project: Project, options: list[str], told: str
) -> None:
    project.have_baseline()
    result = project.run("--llm-eval", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{told}*"])


def test_the_command_makes_a_baseline_of_merged_shards_and_holds_runs_against_one(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def command(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, [*arguments])
        return done.exit_code, done.output

    monkeypatch.chdir(project.path)
    (project.path / "pytest.ini").write_text("[pytest]\n")
    project.have_baseline()
    for said, name in (({}, "one"), (worse(6), "two")):
        project.says(**said)
        for number in (1, 2):
            share = f"--llm-eval-shard={number}/2"
            project.run("--llm-eval", share, f"--llm-eval-report={number}.json")
        command("merge", "1.json", "2.json", f"--output={name}.json")
    assert command("baseline", "one.json", "--output=c.json")[0] == 0
    assert Path("c.json").read_bytes() == Path("b.json").read_bytes()
    assert command("baseline", "one.json", "--against=c.json")[0] == 0
    status, said_ = command("baseline", "two.json", "--against=c.json")
    assert status == 1
    assert said_.splitlines()[-1] == "gate baseline   BROKEN: groundedness"
    status, said_ = command("baseline", "1.json", "--output=d.json")
    assert "1.json: a baseline is made of a whole run, and of 10 tests 5 ran" in said_
    assert not Path("d.json").exists()
    project.says(c0="down")
    project.run("--llm-eval", "--llm-eval-report=3.json")
    said_ = command("baseline", "3.json", "--output=c.json")[1]
    assert "  1 check kept as before: their tests raised, or got no verdict" in said_
    assert Path("c.json").read_bytes() == Path("b.json").read_bytes()
    assert "needs --output FILE" in command("baseline", "one.json")[1]
