"""What is missing from gates: checks that a test did not come to, and tests that did not run."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import load_run
from pytest_llmeval.cli import main
from pytest_llmeval.gates.attended import Attended, Unknown
from pytest_llmeval.gates.expression import parse_gate
from pytest_llmeval.gates.gate import GateState
from pytest_llmeval.gates.rule_gate import decide_rule
from pytest_llmeval.metrics.registered import Metrics
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import TestRow
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import ONE_TO_FIVE, Threshold

Came = tuple[Any, tuple[str, ...], str, dict[str, Any]]


def record(nodeid: str, metric: str = "groundedness") -> Record:
    rule = Threshold("at_least", 4)
    return Record.of(Result(metric, Outcome.PASSED, ONE_TO_FIVE, rule, graded=5.0), nodeid)


def ended(state: str, *metrics: str, name: str = "t", **how: Any) -> Came:
    """A test of the function ``name`` that ended in ``state`` after checks of ``metrics``."""
    return state, metrics, name, how


ONE, TWO, THREE = (("groundedness",) * count for count in (1, 2, 3))
WHOLE = ended("passed", "f1", *ONE)
NAMED: dict[str, Any] = {"metrics": ("f1", "groundedness")}
CASES: dict[str, tuple[list[Came], int]] = {
    "at a check before": ([WHOLE, ended("tolerated", "f1")], 1),
    "at its check": ([WHOLE, ended("tolerated", "f1", *ONE)], 0),
    "at the first of two": ([ended("passed", *TWO), ended("tolerated", *ONE)], 1),
    "where counts differ": ([ended("passed", *THREE), WHOLE, ended("failed", *ONE)], 0),
    "named, none came that far": ([ended("tolerated", "f1", **NAMED)], 1),
    "unnamed, none came that far": ([ended("tolerated", "f1")], 0),
    "of others named": ([WHOLE, ended("tolerated", "f1", metrics=("f1",))], 0),
    "by an exception": ([WHOLE, ended("failed", "f1")], 1),
    "before any check": ([WHOLE, ended("error")], 1),
    "before any, others make others": ([ended("passed", "f1"), ended("error")], 0),
    "before any, none at its end": ([ended("tolerated", "f1"), ended("error")], 1),
    "before any, alone": ([WHOLE, ended("failed", name="u")], 1),
    "unmarked and alone": ([WHOLE, ended("failed", name="u", marked=False)], 0),
    "unmarked": ([WHOLE, ended("failed", marked=False)], 1),
    "not run": ([WHOLE, ended("not_run", marked=False)], 1),
    "not run, others make two": ([ended("passed", *TWO), ended("not_run")], 2),
    "skipped inside": ([WHOLE, ended("skipped", "f1")], 0),
    "xfailed": ([WHOLE, ended("xfailed", "f1")], 0),
    "at its end": ([WHOLE, ended("passed", "f1")], 0),
}


@pytest.mark.parametrize(("tests", "missing"), CASES.values(), ids=CASES)
def test_a_test_that_ended_before_its_end_misses_what_it_did_not_come_to(
    tests: list[Came], missing: int
) -> None:
    rows = [
        TestRow(f"t.py::{name}[{number}]", state, **how)
        for number, (state, _, name, how) in enumerate(tests)
    ]
    records = [
        record(row.nodeid, metric)
        for row, (_, metrics, _, _) in zip(rows, tests, strict=True)
        for metric in metrics
    ]
    made = Unknown.of(why for _, why in Attended(records, (), rows).lacking(frozenset(ONE)))
    assert made.total == missing
    assert (made.not_run or made.cut_off) == missing


COUNTS = st.lists(st.integers(0, 3), max_size=5)


@given(st.integers(1, 3), st.integers(1, 5), COUNTS, st.integers(1, 20))
def test_a_gate_is_decided_as_if_every_test_had_made_the_checks_of_its_function(
    each: int, whole: int, cut_off: list[int], twentieths: int
) -> None:
    rows, records = [], []
    for number, count in enumerate([*[each] * whole, *(min(count, each) for count in cut_off)]):
        rows.append(TestRow(f"t.py::t[{number}]", "passed" if number < whole else "tolerated"))
        records += [record(rows[-1].nodeid)] * count
    rule = parse_gate(f"groundedness.pass_rate >= {twentieths / 20}", Metrics(), ())
    due = each * len(rows)
    holds = {won / due >= twentieths / 20 for won in range(len(records), due + 1)}
    sure = GateState.HELD if True in holds else GateState.BROKEN
    state = decide_rule(rule, Attended(records, (), rows)).state
    assert state is (sure if len(holds) == 1 else GateState.NOT_DECIDED)


GATE = "--llm-eval-gate=exact_match.pass_rate >= 0.9"
CUT_OFF = """
import pytest
from pytest_llmeval import assert_exact_match, assert_f1, assert_metrics

@pytest.mark.llm_eval(min_pass_rate=0.5)
@pytest.mark.parametrize("text", "aaaaabbbbb")
def test_it(text):
    assert_f1(text, ground_truth="a", at_least=0.5)
    assert_exact_match("a", ground_truth="a")
"""
UNMARKED = """
import pytest
from pytest_llmeval import assert_exact_match

@pytest.mark.parametrize("place", range(6))
def test_it(place):
    if place == 3: {at_three}
    assert_exact_match("a", ground_truth="a")
"""
PLAIN = "def test_plain_0(): pass\ndef test_plain_5(): pass\n"


def gate_of(capsys: pytest.CaptureFixture[str]) -> str:
    (line,) = (
        each for each in capsys.readouterr().out.splitlines() if each.startswith("gate exact")
    )
    return line.partition("   ")[2].strip()


def test_checks_behind_one_that_a_group_tolerates_are_missing(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(CUT_OFF)
    assert pytest.main(["--llm-eval", GATE]) == 1
    assert gate_of(capsys) == "not decided: 5/5, 100.0 %, 5 not reached"


@pytest.mark.parametrize(
    ("at_three", "options", "status", "told"),
    [
        ("pass", [], 0, "held: 6/6, 100.0 %"),
        ("pass", ["-k", "0 or 1"], 1, "not decided: 2/2, 100.0 %, 4 deselected"),
        ("pytest.exit('', returncode=0)", [], 1, "not decided: 3/3, 100.0 %, 3 not run"),
        ("assert False", ["-x"], 1, "not decided: 3/3, 100.0 %, 1 not reached, 2 not run"),
        ("pytest.skip()", [], 0, "held: 5/5, 100.0 %"),
    ],
)
def test_tests_without_a_marker_that_did_not_run_are_missing_where_others_of_their_file_checked(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    at_three: str,
    options: list[str],
    status: int,
    told: str,
) -> None:
    monkeypatch.setenv("CI", "1")
    pytester.makepyfile(test_it=UNMARKED.format(at_three=at_three), test_plain=PLAIN)
    assert pytest.main(["--llm-eval", GATE, *options]) == status
    assert gate_of(capsys) == told


def test_they_are_missing_where_the_first_was_left_after_its_check(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    left = "import pytest; pytest.exit('', returncode=0)"
    body = UNMARKED.format(at_three="pass") + f"    {left}\n"
    pytester.makepyfile(test_it=body, test_plain=PLAIN)
    assert pytest.main(["--llm-eval", GATE]) == 1
    assert gate_of(capsys) == "not decided: 1/1, 100.0 %, 6 not run"


@pytest.mark.processes
def test_they_are_missing_under_xdist_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=UNMARKED.format(at_three="pass"), test_plain=PLAIN)
    result = pytester.runpytest_subprocess("--llm-eval", GATE, "-k", "0 or 1", "-n", "2")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["gate * not decided: 2/2, 100.0 %, 4 deselected"])


def test_a_baseline_is_not_written_without_tests_that_have_no_marker(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(test_it=UNMARKED.format(at_three="pass"), test_plain=PLAIN)
    update = ("--llm-eval-baseline=b.json", "--llm-eval-update-baseline")
    assert pytest.main(["--llm-eval", *update, "-k", "0 or 1"]) == pytest.ExitCode.USAGE_ERROR
    assert "was not written: deselected tests with checks: 4; " in capsys.readouterr().out
    pytester.makepyfile(test_left=UNMARKED.format(at_three="pytest.exit('', returncode=0)"))
    assert pytest.main(["--llm-eval", *update, "test_left.py"]) == pytest.ExitCode.USAGE_ERROR
    assert "the run did not come to its end; tests that were not run: 3" in capsys.readouterr().out
    assert not pytester.path.joinpath("b.json").exists()


def test_a_failing_test_without_a_marker_is_counted_in_the_group_that_tolerates_it(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    fails = "return assert_exact_match('b', ground_truth='a')"
    plain = "\ndef test_plain(): assert False\n"
    pytester.makepyfile(test_it=UNMARKED.format(at_three=fails) + plain)
    assert pytest.main(["--llm-eval", "--llm-eval-group", "all: min_pass_rate=0.9"]) == 1
    out = capsys.readouterr().out
    assert "gate all min_pass_rate=0.9   BROKEN: 5/6 passed\n" in out
    assert "1 tolerated" in out


def test_merged_shards_miss_no_test_that_ran_in_one(pytester: pytest.Pytester) -> None:
    """Tests that check nothing are in a file with such that check, and these in one shard only."""
    pytester.makeini(f"[pytest]\nllm_eval_gate = {GATE.partition('=')[2]}")
    pytester.makepyfile(
        """
        from pytest_llmeval import assert_exact_match
        def test_a(): assert_exact_match("a", ground_truth="a")
        def test_b(): pass
        """
    )
    parts = []
    for number in (1, 2):
        parts.append(str(pytester.path / f"{number}.json"))
        shard = (f"--llm-eval-shard={number}/2", f"--llm-eval-report={parts[-1]}")
        assert pytest.main(["--llm-eval", *shard]) == 0
    states = [[row.state for row in load_run(part).tests] for part in parts]
    assert states == [["passed", "not_run"], []]
    output = str(pytester.path / "merged.json")
    done = CliRunner().invoke(main, ["merge", *parts, "--output", output])
    assert done.exit_code == 0, done.output
    assert [gate.state for gate in load_run(output).gates] == ["held"]
    alone = CliRunner().invoke(main, ["merge", parts[0], "--allow-missing", "--output", output])
    assert "not decided: 1/1, 100.0 %, 1 not run" in " ".join(alone.output.split())
