"""Groups of exceptions, as task groups raise them: a group of nothing but failed checks is one."""

from __future__ import annotations

from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import load_run
from pytest_llmeval.errors import CaseError, CheckFailed, EvalError
from pytest_llmeval.hooks.raised import all_of, nothing_but_failed_checks, parts_of, text_of

TASKS = """
import asyncio
import pytest
from pytest_llmeval import assert_exact_match

async def same(text, truth="a"):
    await asyncio.sleep(0)
    assert_exact_match(text, ground_truth=truth)

async def broken(): raise ValueError("the app broke")

async def gather(*tasks, wait=0):
    async with asyncio.TaskGroup() as group:
        for task in tasks: group.create_task(task)
        await asyncio.sleep(wait)

"""
SUITE = (
    TASKS
    + """
@pytest.mark.llm_eval(min_pass_rate=0.05)
class TestGroup:
    def test_right(self): asyncio.run(gather(same("a"), same("a")))
    def test_one(self): asyncio.run(gather(same("a"), same("b")))
    def test_two(self): asyncio.run(gather(same("b"), same("c")))
    def test_cancelled(self): asyncio.run(gather(same("b"), wait=9))
    def test_nested(self): asyncio.run(gather(gather(same("b"))))
    def test_after(self):
        try: asyncio.run(gather(same("b")))
        finally: asyncio.run(gather(same("c")))
    def test_mixed(self): asyncio.run(gather(same("b"), broken()))
    def test_hides(self):
        try: raise ValueError("the app broke")
        except ValueError: asyncio.run(gather(same("b")))
    def test_without_verdict(self): asyncio.run(gather(same("a", None), same("b", None)))
    def test_half(self): asyncio.run(gather(same("b"), same("a", None)))
    @pytest.mark.xfail
    def test_half_hoped(self): asyncio.run(gather(same("b"), same("a", None)))
    @pytest.mark.xfail(raises=ExceptionGroup)
    def test_hoped(self): asyncio.run(gather(same("b")))

@pytest.mark.llm_eval
def test_alone(): asyncio.run(gather(same("b"), same("c")))
"""
)
STATES = {
    "TestGroup::test_right": "passed",
    **dict.fromkeys(
        (f"TestGroup::test_{each}" for each in ("one", "two", "cancelled", "nested", "after")),
        "tolerated",
    ),
    **dict.fromkeys((f"TestGroup::test_{each}" for each in ("mixed", "hides", "half")), "failed"),
    "TestGroup::test_without_verdict": "error",
    "TestGroup::test_half_hoped": "error",
    "TestGroup::test_hoped": "xfailed",
    "test_alone": "failed",
}


def test_a_group_of_nothing_but_failed_checks_is_one(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(pytester.path))
    monkeypatch.setenv("COLUMNS", "200")
    pytester.makepyfile(test_it=SUITE)
    given = ("--llm-eval", "--llm-eval-report=run.json", "--junitxml=junit.xml")
    result = pytester.runpytest(*given, "--llm-eval-github=annotations", "--tb=short")
    run = load_run(pytester.path / "run.json")
    assert {row.nodeid.partition("::")[2]: row.state for row in run.tests} == STATES
    assert [str(gate.state) for gate in run.gates] == ["held"]
    reason = "after 0 characters the response has 'b', the ground truth has 'a'"
    result.stdout.fnmatch_lines(
        [
            f"TOLERATED *::test_one - exact_match is fail, not pass: {reason}",
            f"TOLERATED *::test_two - 2 checks failed: {reason}",
            "FAILED test_it.py::TestGroup::test_half - 1 of 2 checks failed",
            "FAILED test_it.py::test_alone - 2 checks failed",
            "ERROR test_it.py::TestGroup::test_without_verdict - 2 checks got no verdict",
        ]
    )
    assert "pytest_llmeval.errors" not in result.stdout.str()
    line = 1 + SUITE.strip().splitlines().index("    assert_exact_match(text, ground_truth=truth)")
    told = [each for each in result.outlines if each.startswith("::")]
    assert all(f"file=test_it.py,line={line}" in each for each in told)
    assert {each.partition(" ")[0] for each in told} == {"::error", "::warning", "::notice"}
    assert "unhandled errors" not in str(told)
    (alone,) = (
        each
        for each in ElementTree.parse(pytester.path / "junit.xml").iter("testcase")
        if each.get("name") == "test_alone"
    )
    (failure,) = alone.iter("failure")
    assert str(failure.get("message")).startswith("2 checks failed")


def test_trials_stop_early_by_groups_of_failed_checks_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        TASKS
        + """
@pytest.mark.llm_eval(max_trials=20)
def test_it(): asyncio.run(gather(same("b"), same("c")))
"""
    )
    result = pytester.runpytest("--llm-eval", "-rs")
    assert result.parseoutcomes() == {"failed": 7, "skipped": 13}


class Refused(Exception):
    """An exception of an app, which names its failures otherwise than doctest does."""

    failures: ClassVar = ["too long"]


def test_an_exception_that_lists_failures_of_its_own_is_no_group() -> None:
    refused = Refused()
    assert [*parts_of(refused)] == [refused]
    failed = CheckFailed("it failed")
    failed.__context__ = refused
    assert nothing_but_failed_checks(failed) == []


def test_a_failed_check_in_a_doctest_is_tolerated_as_in_any_test(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        shop="""
        def answer():
            '''
            >>> from pytest_llmeval import assert_exact_match
            >>> _ = assert_exact_match("b", ground_truth="a")
            '''
        def broken():
            '''
            >>> 1 / 0
            '''
        """
    )
    group = ("--llm-eval-group", "all: min_pass_rate=0.1")
    result = pytester.runpytest("--llm-eval", "--doctest-modules", "shop.py", *group)
    assert result.parseoutcomes() == {"tolerated": 1, "failed": 2}
    result.stdout.fnmatch_lines(["gate all min_pass_rate=0.1   BROKEN: 0/1 passed"])


LEAVES: dict[str, BaseException] = {
    "check": CheckFailed("it failed"),
    "half": CheckFailed("it failed", [EvalError("no verdict")]),
    "error": CaseError("nothing there"),
    "other": ValueError("another"),
}
names = st.sampled_from([*LEAVES])
trees = st.recursive(names, lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=8)


def raised_of(tree: Any) -> BaseException:
    if isinstance(tree, str):
        return LEAVES[tree]
    return BaseExceptionGroup("together", [raised_of(each) for each in tree])


def leaves_of(tree: Any) -> list[str]:
    return [tree] if isinstance(tree, str) else [leaf for each in tree for leaf in leaves_of(each)]


@given(trees)
def test_what_a_group_holds_counts_and_not_how_it_is_nested(tree: Any) -> None:
    raised, leaves = raised_of(tree), leaves_of(tree)
    assert [*parts_of(raised)] == [LEAVES[each] for each in leaves]
    assert bool(all_of(raised, EvalError)) == ({*leaves} == {"error"})
    assert bool(all_of(raised, CheckFailed)) == ({*leaves} <= {"check", "half"})
    found = nothing_but_failed_checks(raised)
    assert len(found) == (len(leaves) if {*leaves} == {"check"} else 0)
    assert text_of(found).count("it failed") == len(found)
