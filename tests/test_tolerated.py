"""Groups: which failing tests are tolerated, how they are shown, and what decides instead."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from pytest_llmeval import load_run
from pytest_llmeval.cli import main

SUITE = """
import unittest
import pytest
from pytest_llmeval import assert_exact_match, assert_grounded, together
from pytest_llmeval.testing import ScriptedJudge

def same(text, truth="a"):
    assert_exact_match(text, ground_truth=truth)

@pytest.mark.llm_eval(min_pass_rate=0.4, must_pass=["vital"])
@pytest.mark.parametrize("text", ["a", "b", "vital", "a-2"])
def test_cases(text): same(text.removesuffix("-2"))

@pytest.mark.llm_eval(min_pass_rate=0.5)
class TestGroup:
    def test_passes(self): same("a")
    def test_fails(self): same("b")
    @pytest.mark.llm_eval(deferred=True)
    def test_deferred(self): same("b")
    def test_several(self):
        with together():
            same("b"); same("c")
    def test_raises(self): raise ValueError
    def test_asserts(self): assert False
    def test_without_verdict(self): same("a", truth=None)
    def test_half(self):
        with together():
            same("b"); same("a", truth=None)
    @pytest.mark.xfail(strict=False)
    def test_hoped(self): same("b")
    @pytest.mark.xfail(raises=ValueError)
    def test_hoped_otherwise(self): same("b")
    @pytest.mark.flaky(reruns=2)
    def test_again(self): same("b")
    def test_teardown(self, request):
        request.addfinalizer(lambda: 1 / 0)
        same("b")
    @pytest.fixture
    def checked(self): same("b")
    def test_in_setup(self, checked): pass
    def test_subtests(self, subtests):
        with subtests.test("one"): same("b")
        with subtests.test("two"): same("a")
    def test_subtests_raise(self, subtests):
        with subtests.test("one"): raise ValueError
        with subtests.test("two"): same("b")

@pytest.mark.llm_eval(min_pass_rate=0.5)
class TestUnit(unittest.TestCase):
    def test_passes(self): same("a")
    def test_fails(self): same("b")
    def test_fails_twice(self):
        self.addCleanup(lambda: 1 / 0)
        same("b")

@pytest.mark.llm_eval
def test_alone(): same("b")
"""
STATES = {
    "test_cases[a]": "passed",
    "test_cases[b]": "tolerated",
    "test_cases[vital]": "failed",
    "test_cases[a-2]": "passed",
    "TestGroup::test_passes": "passed",
    "TestGroup::test_fails": "tolerated",
    "TestGroup::test_deferred": "tolerated",
    "TestGroup::test_several": "tolerated",
    "TestGroup::test_raises": "failed",
    "TestGroup::test_asserts": "failed",
    "TestGroup::test_without_verdict": "error",
    "TestGroup::test_half": "failed",
    "TestGroup::test_hoped": "xfailed",
    "TestGroup::test_hoped_otherwise": "tolerated",
    "TestGroup::test_again": "tolerated",
    "TestGroup::test_teardown": "error",
    "TestGroup::test_in_setup": "error",
    "TestGroup::test_subtests": "tolerated",
    "TestGroup::test_subtests_raise": "failed",
    "TestUnit::test_passes": "passed",
    "TestUnit::test_fails": "tolerated",
    "TestUnit::test_fails_twice": "error",
    "test_alone": "failed",
}
WITH_SUBTESTS = pytest.mark.skipif(
    pytest.version_tuple < (9,), reason="subtests came with pytest 9"
)
GATES = {
    "test_suite.py::TestGroup min_pass_rate=0.5": "broken",
    "test_suite.py::TestUnit min_pass_rate=0.5": "not decided",
    "test_suite.py::test_cases min_pass_rate=0.4": "broken",
}


def states(pytester: pytest.Pytester, *args: str) -> tuple[pytest.RunResult, dict[str, str]]:
    pytester.makepyfile(test_suite=SUITE)
    run = pytester.runpytest_subprocess if "-n" in args else pytester.runpytest
    result = run("--llm-eval", "--llm-eval-report=run.json", *args)
    made = load_run(pytester.path / "run.json")
    assert {gate.name: str(gate.state) for gate in made.gates} == GATES
    return result, {row.nodeid.partition("::")[2]: row.state for row in made.tests}


@WITH_SUBTESTS
def test_what_a_failed_check_alone_fails_is_tolerated(pytester: pytest.Pytester) -> None:
    result, found = states(pytester, "--junitxml=junit.xml")
    assert found == STATES
    assert result.ret == 1
    # With test_teardown, whose call was tolerated before its teardown raised, and a subtest.
    assert result.parseoutcomes()["tolerated"] == 10
    result.stdout.fnmatch_lines(
        [
            "*= failed in group test_suite.py::TestGroup min_pass_rate=0.5: broken =*",
            "*_ TestGroup.test_fails _*",
            ">*assert_exact_match(text, ground_truth=truth)",
            "E  *exact_match is fail, not pass",
            "E  *reason *after 0 characters the response has 'b', the ground truth has 'a'",
            "*= failed in group test_suite.py::TestUnit min_pass_rate=0.5: not decided =*",
        ]
    )
    suite = next(iter(ElementTree.parse(pytester.path / "junit.xml").getroot()))
    (case,) = (each for each in suite if each.get("name") == "test_cases[b]")
    assert [child.tag for child in case] == ["properties"]
    kept = {each.get("name"): each.get("value") or "" for each in case.iter("property")}
    told = "test_suite.py::test_cases: exact_match is fail, not pass: after 0 "
    assert kept["llm_eval_tolerated"].startswith(told)


@WITH_SUBTESTS
@pytest.mark.processes
def test_it_is_the_same_under_xdist(pytester: pytest.Pytester) -> None:
    assert states(pytester, "-n", "2")[1] == STATES


SMALL = """
import pytest
from pytest_llmeval import assert_exact_match

@pytest.mark.llm_eval(min_pass_rate=0.5)
@pytest.mark.parametrize("text", ["b", "a", "a"])
def test_it(text): assert_exact_match(text, ground_truth="a")
"""


@pytest.mark.parametrize(
    ("options", "letters"),
    [(["-x"], "*t..*"), (["-x", "--llm-eval-deferred"], "*t..*"), (["-v"], "*TOLERATED*")],
)
def test_a_group_that_holds_passes(
    pytester: pytest.Pytester, options: Sequence[str], letters: str
) -> None:
    pytester.makepyfile(SMALL)
    result = pytester.runpytest("--llm-eval", *options)
    assert result.ret == 0
    assert result.parseoutcomes() == {"passed": 2, "tolerated": 1}
    result.stdout.fnmatch_lines([letters, "gate *::test_it min_pass_rate=0.5   held: 2/3 passed"])
    full = any(line.startswith("    response") for line in result.outlines)
    assert full == ("-v" in options)
    again = pytester.runpytest("--llm-eval", "--lf")
    assert again.parseoutcomes() == {"passed": 2, "tolerated": 1}


LOUD = SMALL.replace("def test_it(text):", "def test_it(text):\n    print('it said', text);")


@pytest.mark.parametrize(
    ("options", "full", "captured", "lines"),
    [
        ([], True, True, 0),
        (["--show-capture=no"], True, False, 0),
        (["--tb=line"], False, False, 2),
        (["--tb=no", "-v"], False, False, 2),
    ],
)
def test_what_failed_in_a_group_that_is_broken_is_shown_as_failed_tests_are(
    pytester: pytest.Pytester,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    full: bool,
    captured: bool,
    lines: int,
) -> None:
    pytester.makepyfile(test_loud=LOUD.replace("0.5", "0.9").replace('["b", "a"', '["b", "c"'))
    other = ("--llm-eval-group", "other: min_pass_rate=0.1")
    assert pytest.main(["--llm-eval", *other, *options]) == 1
    out = capsys.readouterr().out
    assert "= failed in group test_loud.py::test_it min_pass_rate=0.9: broken =" in out
    assert "tolerated in groups" not in out
    assert (out.count("_ test_it[b] _"), out.count("it said b")) == (full, captured)
    assert out.count("\nFAILED test_loud.py::test_it[") == lines


NAMED = """
import pytest
from pytest_llmeval import assert_exact_match

@pytest.mark.llm_cases("cases.jsonl")
def test_cases(llm_case): assert_exact_match(llm_case)

@pytest.mark.llm_eval(tags=["support"])
def test_tagged(): assert_exact_match("b", ground_truth="a")
"""
CASES = """{"id": "one", "response": "a", "ground_truth": "a", "metadata": {"tags": ["support"]}}
{"id": "two", "response": "b", "ground_truth": "a", "metadata": {"tags": "support"}}
{"id": "three", "response": "b", "ground_truth": "a"}
"""


@pytest.mark.parametrize(
    ("group", "counts", "line"),
    [
        ("tags=support", {"passed": 1, "tolerated": 2, "failed": 1}, "held: 1/3 passed"),
        ("", {"passed": 1, "tolerated": 3, "failed": 1}, "BROKEN: 1/4 passed"),
        (
            "tags=support must_pass=one,two",
            {"passed": 1, "tolerated": 1, "failed": 3},
            "BROKEN: 1/3 passed, must pass and failed: two",
        ),
        (
            "tags=support must_pass=three",
            {"passed": 1, "tolerated": 2, "failed": 2},
            (
                "not decided: 1/3 passed, must pass and is not in the group: three "
                "(*::test_cases?three? has no tag 'support', which would put it there)"
            ),
        ),
        (
            "tags=support must_pass=on",
            {"passed": 1, "tolerated": 2, "failed": 2},
            "not decided: 1/3 passed, must pass and is not in the group: on (did you mean 'one'?)",
        ),
    ],
)
def test_a_named_group_takes_tests_by_their_tags(
    pytester: pytest.Pytester, group: str, counts: dict[str, int], line: str
) -> None:
    pytester.makeini(f"[pytest]\nllm_eval_group = g: min_pass_rate=0.3 {group}")
    pytester.makepyfile(NAMED)
    pytester.path.joinpath("cases.jsonl").write_text(CASES, encoding="utf-8")
    result = pytester.runpytest("--llm-eval")
    assert result.parseoutcomes() == counts
    result.stdout.fnmatch_lines([f"gate g min_pass_rate=0.3   {line}"])


def test_a_marker_on_a_module_makes_one_group_of_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_module="""
        import pytest
        from pytest_llmeval import assert_exact_match
        pytestmark = pytest.mark.llm_eval(min_pass_rate=0.6)
        def test_one(): assert_exact_match("a", ground_truth="a")
        class TestIt:
            def test_two(self): assert_exact_match("b", ground_truth="a")
            @pytest.mark.llm_eval(min_pass_rate=0.1)
            @pytest.mark.parametrize("text", "ab")
            def test_own(self, text): assert_exact_match(text, ground_truth="a")
        """
    )
    result = pytester.runpytest("--llm-eval")
    assert result.parseoutcomes() == {"passed": 2, "tolerated": 2, "failed": 1}
    gates = [line for line in result.outlines if line.startswith("gate ")]
    assert [" ".join(line.split()) for line in gates] == [
        "gate test_module.py min_pass_rate=0.6 BROKEN: 1/2 passed",
        "gate test_module.py::TestIt::test_own min_pass_rate=0.1 held: 1/2 passed",
    ]


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("min_pass_rate=90", "min_pass_rate is above 0 and at most 1; got 90: did you mean 0.9?"),
        ("min_pass_rate='most'", "min_pass_rate is above 0 and at most 1; got 'most'"),
        ("must_pass=['a']", "takes must_pass= beside min_pass_rate=, which is missing"),
        ("min_pass_rate=0.5, must_pass='a'", "takes must_pass= a list of texts; got"),
        ("tags=[1]", "takes tags= a list of texts; got tags=[1]"),
    ],
)
def test_a_group_that_cannot_be_is_refused_at_collection(
    pytester: pytest.Pytester, marker: str, message: str
) -> None:
    pytester.makepyfile(f"import pytest\n@pytest.mark.llm_eval({marker})\ndef test_it(): pass")
    result = pytester.runpytest("--llm-eval")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert message in result.stdout.str()


def test_merge_decides_the_gates_as_the_run_of_the_whole_does(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\nllm_eval_gate =\n  exact_match.pass_rate >= 60%\n  exact_match.lower > 0.9\n"
        "llm_eval_group =\n  all: min_pass_rate=0.7\n  none: min_pass_rate=0.7 tags=x"
    )
    pytester.makepyfile(SMALL)
    pytester.runpytest("--llm-eval", "--llm-eval-report=whole.json")
    whole = load_run(pytester.path / "whole.json")
    assert [gate.state for gate in whole.gates] == [
        *("held", "broken", "broken", "not decided", "held")
    ]
    parts = []
    for number in (1, 2):
        name = f"part-{number}.json"
        shard = (f"--llm-eval-shard={number}/2", f"--llm-eval-report={name}")
        assert pytester.runpytest("--llm-eval", *shard).ret == 0
        parts.append(str(pytester.path / name))
        assert {gate.reason for gate in load_run(parts[-1]).gates} == {"shard"}
    output = str(pytester.path / "merged.json")
    done = CliRunner().invoke(main, ["merge", *parts, "--output", output])
    merged = load_run(output)
    assert (merged.gates, merged.tests) == (whole.gates, whole.tests)
    assert done.exit_code == merged.exit_status == whole.exit_status == 1
    assert "BROKEN: 2/3, at least 20.8 %" in done.output
    alone = CliRunner().invoke(main, ["merge", parts[0], "--allow-missing", "--output", output])
    lines = [" ".join(line.split()) for line in alone.output.splitlines()]
    assert "gate exact_match.pass_rate >= 60% not decided: 1/2, 50.0 %, 1 not run" in lines
    assert {gate.reason for gate in load_run(output).gates if gate.reason} == {"missing"}


HIDING = """
import pytest
from pytest_llmeval import assert_exact_match
pytestmark = pytest.mark.llm_eval(min_pass_rate=0.1)

def wrong(): assert_exact_match("b", ground_truth="a")

def test_right(): assert_exact_match("a", ground_truth="a")
def test_in_finally():
    try: raise ValueError("the app broke")
    finally: wrong()
def test_in_except():
    try: raise ValueError("the app broke")
    except ValueError: wrong()
def test_instead():
    try: raise ValueError("the app broke")
    except ValueError as error:
        try: wrong()
        except AssertionError as failed: raise failed from error
"""


def test_a_failed_check_that_hides_another_exception_is_not_tolerated(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(HIDING)
    pytester.runpytest("--llm-eval").assert_outcomes(passed=1, failed=3)


def test_a_test_that_is_left_before_its_check_is_not_run_and_no_pass(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_exact_match
        @pytest.mark.llm_eval(min_pass_rate=0.8)
        @pytest.mark.parametrize("case", range(6))
        def test_it(case):
            if case == 5: pytest.exit("bye", returncode=0)
            assert_exact_match("b" if case == 3 else "a", ground_truth="a")
        """
    )
    result = pytester.runpytest("--llm-eval", "--llm-eval-gate=exact_match.pass_rate>=0.8")
    lines = [line for line in result.outlines if line.startswith("gate ")]
    assert len(lines) == 2
    assert all("not decided: " in line and "1 not run" in line for line in lines)


def test_a_test_that_must_pass_is_called_by_its_function_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_m="""
        import pytest
        from pytest_llmeval import assert_exact_match
        @pytest.mark.llm_eval(min_pass_rate=0.3, must_pass=["test_fn", "test_m.py::test_fn"])
        @pytest.mark.parametrize("p", ["refund", "b"])
        def test_fn(p): assert_exact_match("b" if p == "refund" else "a", ground_truth="a")
        """
    )
    result = pytester.runpytest("--llm-eval")
    result.stdout.fnmatch_lines(["gate *BROKEN: 1/2 passed, must pass and failed: test_fn*"])


def test_what_is_tolerated_is_listed_also_where_another_reporter_counts_it_as_passed(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_exact_match

        @pytest.mark.llm_eval(min_pass_rate=0.5)
        @pytest.mark.parametrize("text", ["a", "b"])
        def test_it(text): assert_exact_match(text, ground_truth="a")
        """
    )
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_report_teststatus(report):  # as pytest-sugar does, which asks nobody
            yield
            return (report.outcome if report.when == "call" else ""), ".", "ok"
        """
    )
    result = pytester.runpytest("--llm-eval")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["=* tolerated in groups =*", "TOLERATED *test_it[[]b] - *"])
