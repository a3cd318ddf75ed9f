"""Runs with gates: exit status, counts and lines agree, whatever tests and gate come to."""

from __future__ import annotations

import itertools
import json
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from pytest_llmeval import load_run

GATE = "exact_match.pass_rate >= 0.5"
SUITE = """
import os, pytest
from pytest_llmeval import Case, assert_exact_match, evaluate
pytestmark = pytest.mark.llm_eval
TRUTHS = {"held": "aaaa", "broken": "bbbb", "not decided": "a???"}

def test_other():
    if os.environ["TESTS"] == "failed": raise ValueError
    if os.environ["TESTS"] == "error": assert_exact_match("a", ground_truth=None)

@pytest.mark.parametrize("place", range(4))
def test_gated(place):
    truth = TRUTHS[os.environ["GATE"]][place]
    evaluate(Case(response="a", ground_truth=None if truth == "?" else truth), "exact_match")
"""
ASKING = """
def test_end():
    from pytest_llmeval import assert_grounded
    assert_grounded("a", context=["a"])
"""
SELECTIONS = {
    "everything": [],
    "-x": ["-x"],
    "-k": ["-k", "other or 0"],
    "node id": ["test_suite.py::test_other", "test_suite.py::test_gated[0]"],
    "shard": ["--llm-eval-shard=1/2"],
    "nothing": ["-k", "nothing"],
    "no terminal": ["-p", "no:terminal"],
    "quiet": ["-q", "--no-summary"],
}


class Run(NamedTuple):
    """A combination, and what has to come of it."""

    gate: str
    tests: str
    selection: str
    ci: bool

    @property
    def stopped(self) -> bool:
        return self.selection == "-x" and self.tests != "passed"

    @property
    def partial(self) -> bool:
        return self.selection in ("-k", "node id")

    @property
    def state(self) -> str:
        """What the gate comes to, by counting."""
        if self.selection == "shard":
            return "left to llm-eval merge"
        if self.selection in ("nothing", "node id") or self.stopped:
            return "not decided"
        ran = {"held": "aaaa", "broken": "bbbb", "not decided": "a???"}[self.gate]
        ran = ran[:1] if self.partial else ran
        unknown = ran.count("?") + 3 * self.partial
        unknown += self.tests != "passed"  # raised, and might have checked before
        passed, count = ran.count("a"), len(ran.replace("?", "")) + unknown
        if passed / count >= 0.5:
            return "held"
        return "not decided" if (passed + unknown) / count >= 0.5 else "broken"

    @property
    def forgiven(self) -> bool:
        """Whether nothing but the user's own selection leaves the gate undecided."""
        chosen = self.partial and self.tests == "passed"
        alone = self.partial and self.gate != "broken"  # 1 of 2 is enough
        return not self.ci and (chosen or alone)

    @property
    def gate_fails(self) -> bool:
        if self.selection == "nothing" or self.state in ("held", "left to llm-eval merge"):
            return False
        return self.state == "broken" or not self.forgiven

    @property
    def status(self) -> int:
        if self.selection == "nothing":
            return 5
        return int(self.tests != "passed" or self.gate_fails)

    @property
    def other_runs(self) -> bool:
        return self.selection != "nothing"

    @property
    def counts(self) -> dict[str, int]:
        gated = {"everything": 4, "-x": 0 if self.stopped else 4, "nothing": 0, "shard": 2}
        counts = {"passed": gated.get(self.selection, 1 if self.partial else 4)}
        if self.other_runs:
            word = {"error": "errors"}.get(self.tests, self.tests)
            counts[word] = counts.get(word, 0) + 1
        if self.gate_fails:
            counts["failed"] = counts.get("failed", 0) + 1
        return {word: count for word, count in counts.items() if count}


RUNS = [
    Run(gate, tests, selection, ci)
    for selection, gate, tests, ci in itertools.product(
        SELECTIONS, ("held", "broken", "not decided"), ("passed", "failed", "error"), (False, True)
    )
    if selection in ("-k", "node id") or not ci
]


def options(monkeypatch: pytest.MonkeyPatch, case: Run, *args: str) -> list[str]:
    monkeypatch.setenv("GATE", case.gate)
    monkeypatch.setenv("TESTS", case.tests)
    monkeypatch.setenv("CI", "1") if case.ci else monkeypatch.delenv("CI", raising=False)
    plain = ("--llm-eval", "-p", "no:cacheprovider", "--llm-eval-gate", GATE)
    return [*plain, *SELECTIONS[case.selection], *args]


def check(case: Run, status: int, lines: list[str]) -> None:
    assert status == case.status, case
    if case.selection == "no terminal":
        return
    counts = pytest.RunResult.parse_summary_nouns(lines)
    counts.pop("deselected", None)
    assert counts == case.counts, case
    if case.selection == "quiet" and pytest.version_tuple < (9,):
        return  # --no-summary then leaves out the sections of plugins, too
    (line,) = (each for each in lines if each.startswith("gate "))
    start = f"gate {GATE}   "
    state = "BROKEN" if case.state == "broken" else case.state
    assert line.removeprefix(start).partition(":")[0] == state, case
    failed_row = f"FAILED llm_eval::gate[{GATE}]"
    shown = case.gate_fails and case.selection != "quiet"
    assert any(each.startswith(failed_row) for each in lines) == shown, case


@pytest.mark.parametrize("selection", SELECTIONS)
def test_status_counts_and_lines_agree(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    selection: str,
) -> None:
    pytester.makepyfile(test_suite=SUITE)
    for case in RUNS:
        if case.selection == selection:
            # Not by pytester, which has each run import anew what the last one imported.
            status = pytest.main(options(monkeypatch, case))
            check(case, status, capsys.readouterr().out.splitlines())


@pytest.mark.processes
def test_it_is_the_same_under_xdist(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(test_suite=SUITE)
    for gate, tests, selection, ci in (
        ("held", "error", "everything", False),
        ("broken", "passed", "everything", False),
        ("not decided", "passed", "-k", False),
        ("not decided", "passed", "-k", True),
    ):
        case = Run(gate, tests, selection, ci)
        result = pytester.runpytest_subprocess(*options(monkeypatch, case, "-n", "1"))
        check(case, result.ret, result.outlines)
    case = Run("held", "failed", "-x", False)
    stopped = pytester.runpytest_subprocess(*options(monkeypatch, case, "-n", "1"))
    assert stopped.ret == pytest.ExitCode.INTERRUPTED
    line = next(each for each in stopped.outlines if each.startswith("gate "))
    assert "not decided: 1 not reached, 4 not run" in line


def test_a_gate_that_fails_is_a_failure_in_junit_and_in_the_run_file_and_nowhere_a_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(test_suite=SUITE)
    monkeypatch.setenv("GATE", "broken")
    monkeypatch.setenv("TESTS", "passed")
    result = pytester.runpytest(
        *("--llm-eval", "--llm-eval-gate", GATE, "--maxfail=1"),
        *("--junitxml=junit.xml", "--llm-eval-report=run.json"),
    )
    assert result.ret == 1
    result.stdout.no_fnmatch_line("*stopping after*")
    suite = next(iter(ElementTree.parse(pytester.path / "junit.xml").getroot()))
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("6", "1", "0")
    (row,) = (each for each in suite if each.get("classname") == "llm_eval")
    assert row.get("name") == f"gate[{GATE}]"
    failure = row.find("failure")
    assert failure is not None
    assert failure.text == "BROKEN: 0/4, 0.0 %"
    made = json.loads(pytester.path.joinpath("run.json").read_text())
    assert (made["exit_status"], made["extent"]["ran"]) == (1, 5)
    assert [(gate["state"], gate["says"]) for gate in made["gates"]] == [("broken", "0/4, 0.0 %")]
    again = pytester.runpytest("--llm-eval", "--lf")
    again.stdout.fnmatch_lines(["*no previously failed tests*"])
    assert again.ret == 0


def test_what_ends_a_run_otherwise_is_not_overwritten(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATE", "broken")
    monkeypatch.setenv("TESTS", "passed")
    for rest, status in (
        ("def test_end(): pytest.exit('enough')", pytest.ExitCode.INTERRUPTED),
        (ASKING, pytest.ExitCode.USAGE_ERROR),
    ):
        pytester.makepyfile(test_suite=f"{SUITE}\n{rest}")
        result = pytester.runpytest("--llm-eval", "--llm-eval-gate", GATE)
        assert result.ret == status
        result.stdout.fnmatch_lines(["gate * BROKEN: 0/4, 0.0 %*"])
        assert "failed" not in result.parseoutcomes()
    pytester.makepyfile(test_suite=SUITE, test_damaged="def")
    damaged = pytester.runpytest(
        "--llm-eval", "--llm-eval-gate", GATE, "--continue-on-collection-errors"
    )
    assert damaged.ret == 1
    damaged.stdout.fnmatch_lines(["gate * not decided: 0/4, 0.0 %, not collected: 1"])
    assert damaged.parseoutcomes() == {"passed": 5, "errors": 1, "failed": 1}


@pytest.mark.parametrize(
    "given",
    [
        ["--llm-eval-gate", "groundednes.pass_rate >= 0.9"],
        ["--llm-eval-gate", "groundedness.pass_rate >= 90"],
        ["--llm-eval-group", "support: min_pass_rate=2"],
    ],
)
def test_what_cannot_be_ends_the_run_before_a_test(
    pytester: pytest.Pytester, given: list[str]
) -> None:
    pytester.makepyfile("def test_it(): print('RAN')")
    result = pytester.runpytest("--llm-eval", "-s", *given)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.no_fnmatch_line("*RAN*")
    (line,) = (each for each in result.errlines if each.startswith("ERROR: "))
    assert "did you mean" in line or "at most 1; got 2" in line


def test_gates_of_all_three_places_add_up(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\nllm_eval_gate =\n  f1.mean > 0.2\n  f1.mean > 0.1")
    monkeypatch.setenv("LLM_EVAL_GATE", "f1.mean > 0.3; f1.mean > 0.4")
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import evaluate, Case
        @pytest.mark.llm_eval
        def test_it(): evaluate(Case(response="a", ground_truth="a"), "f1")
        """
    )
    result = pytester.runpytest("--llm-eval", "--llm-eval-gate", "f1.mean > 0.2")
    assert result.ret == 0
    gates = [line for line in result.outlines if line.startswith("gate ")]
    assert gates == [f"gate f1.mean > 0.{each}   held: 1 over 1" for each in (2, 1, 3, 4)]


def test_a_group_in_which_nothing_has_a_result_says_why_and_fails(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(
        test_skipped="""
        import pytest
        pytestmark = pytest.mark.llm_eval(min_pass_rate=0.5)
        @pytest.mark.skip
        def test_marked(): pass
        def test_inside(): pytest.skip("later")
        @pytest.mark.xfail
        def test_hoped(): assert False
        def test_nothing(): pass
        """,
        test_never="""
        import pytest
        pytestmark = pytest.mark.llm_eval(min_pass_rate=0.5, tags=["never"])
        pytest.importorskip("nothing_of_this_name")
        """,
    )
    named = "never: min_pass_rate=0.5 tags=never"
    assert pytest.main(["--llm-eval", "--llm-eval-group", named]) == 1
    never, skipped = (
        line.partition("   ")[2].strip()
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("gate ")
    )
    assert never == "not decided: no test is in it: none has the tag 'never'"
    told = "no test has a result: 2 skipped, 1 xfailed, 1 without a check"
    assert skipped == f"not decided: {told}"


@pytest.mark.processes
def test_a_group_whose_worker_died_does_not_hold(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import os, pytest
        from pytest_llmeval import assert_exact_match
        @pytest.mark.llm_eval(min_pass_rate=0.6)
        @pytest.mark.parametrize("place", range(4))
        def test_group(place):
            if place == 2: os._exit(3)
            assert_exact_match("a", ground_truth="a")
        """
    )
    result = pytester.runpytest_subprocess("--llm-eval", "-n", "1", "--max-worker-restart=0")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["gate * 2/2 passed, 1 failed outside a check, 1 not run"])


NAMING = """
import pytest
from pytest_llmeval import assert_metrics, assert_quality
CASES = [{"id": "a", "query": "q", "response": "yes", "ground_truth": "yes"}]
@pytest.mark.llm_cases(CASES, metrics=["exact_match"])
def test_metric(llm_case): assert_metrics(llm_case)
@pytest.mark.llm_cases(CASES, suite="words")
def test_suite(llm_case): assert_quality(llm_case, suite="words")
"""


@pytest.mark.parametrize(
    ("gate", "rest", "told"),
    [
        ("exact_match.pass_rate > 0.5", "", None),
        ("f1.mean > 0.5", "", None),
        ("quality (words).pass_rate > 0.5", "", None),
        ("response/text/f1/average > 0.5", "", None),
        ("f1.lower > 0.1", "", "f1 has no pass mark, so that no score of it passes or fails"),
        ("bleu.mean > 0.5", "", "no marker here names bleu; without a check of it the gate is"),
        (
            "azure.pass_rate > 0.5",
            "",
            "no marker here names azure (did you mean words.pass_rate?); without a check of it",
        ),
        (
            "groundedness.mean > 4",
            """@pytest.mark.llm_cases(CASES, metrics=["groundedness[yes_no]"])
def test_other(llm_case): pass""",
            "no marker here names groundedness (did you mean groundedness[yes_no].pass_rate?); w",
        ),
        # A test that names nothing may check anything.
        ("bleu.mean > 0.5", "@pytest.mark.llm_eval\ndef test_any(): pass", None),
    ],
)
def test_a_gate_that_no_marker_can_decide_is_told_of_before_the_tests_run(
    pytester: pytest.Pytester, gate: str, rest: str, told: str | None
) -> None:
    pytester.makepyfile(NAMING + rest)
    given = ["--llm-eval-suite=words = exact_match, f1", f"--llm-eval-gate={gate}"]
    result = pytester.runpytest("--llm-eval", "--llm-eval-report=run.json", *given)
    assert [each.name for each in load_run("run.json").gates] == [gate]
    before = result.stdout.str().partition("[100%]")[0]
    assert (f"gate {gate}: " in before) == bool(told)
    assert (told or "") in before
    (line,) = (each for each in result.outlines if each.startswith(f"gate {gate}   "))
    open_ = "not decided" in line
    assert open_ == bool(told or rest)
    of_suite = pytester.runpytest("--llm-eval", *given, "--llm-eval-threshold=f1=0.5")
    assert "no pass mark" not in of_suite.stdout.str()
