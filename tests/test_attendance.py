"""Attendance: which tests there are, and what became of each, whoever ran them."""

from __future__ import annotations

import pytest

from pytest_llmeval import load_run
from pytest_llmeval.records.tests import TestRow

SUITE = """
import pytest
from pytest_llmeval import assert_metrics, assert_exact_match
from pytest_llmeval.testing import ScriptedJudge

def same(text, truth="a"):
    assert_exact_match(text, ground_truth=truth)

@pytest.mark.llm_cases("cases.jsonl", metrics={"exact_match": {}, "f1": {"at_least": 0.5}})
def test_cases(llm_case): assert_metrics(llm_case)

def test_unmarked(): same("a")

def test_other(): pass

@pytest.mark.llm_eval
class TestMarked:
    def test_fails(self): same("b")
    def test_raises(self): raise ValueError
    def test_without_verdict(self): same("a", truth=None)
    def test_skips(self): pytest.skip("no")
    @pytest.mark.xfail(strict=False)
    def test_hoped(self): same("b")
    @pytest.mark.xfail(strict=False)
    def test_hoped_in_vain(self): same("a")
    def test_setup(self, request): request.getfixturevalue("nothing")
    def test_teardown(self, request):
        request.addfinalizer(lambda: 1 / 0)
    @pytest.fixture
    def broken(self): raise RuntimeError
    def test_broken(self, broken): pass
"""
CASES = "".join(
    f'{{"id": "c{n}", "query": "q", "response": "a", "ground_truth": "a"}}\n' for n in range(2)
)
SPY = """
import pytest
@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    run = session.config.pluginmanager.get_plugin("llm_eval_run")
    if not hasattr(session.config, "workerinput"):
        for row in sorted(run.session.ledger.tests.values(), key=lambda each: each.nodeid):
            print("ROW", row.nodeid.partition("::")[2], row.state, ",".join(row.metrics),
                  row.unselected, sep="|")
"""


def rows(pytester: pytest.Pytester, *args: str) -> dict[str, tuple[str, str, str]]:
    pytester.makeconftest(SPY)
    pytester.makepyfile(SUITE)
    pytester.path.joinpath("cases.jsonl").write_text(CASES)
    run = pytester.runpytest if "-n" not in args else pytester.runpytest_subprocess
    result = run("--llm-eval", "-s", *args)
    lines = [line.split("|") for line in result.outlines if "ROW|" in line]
    return {line[1]: (line[2], line[3], line[4]) for line in lines}


EXPECTED = {
    "test_cases[c0]": ("passed", "exact_match,f1", "False"),
    "test_cases[c1]": ("passed", "exact_match,f1", "False"),
    "test_unmarked": ("passed", "", "False"),
    "test_other": ("passed", "", "False"),
    "TestMarked::test_fails": ("failed", "", "False"),
    "TestMarked::test_raises": ("failed", "", "False"),
    "TestMarked::test_without_verdict": ("error", "", "False"),
    "TestMarked::test_skips": ("skipped", "", "False"),
    "TestMarked::test_hoped": ("xfailed", "", "False"),
    "TestMarked::test_hoped_in_vain": ("xpassed", "", "False"),
    "TestMarked::test_setup": ("failed", "", "False"),
    "TestMarked::test_teardown": ("error", "", "False"),
    "TestMarked::test_broken": ("error", "", "False"),
}


def test_every_test_of_ours_has_a_row(pytester: pytest.Pytester) -> None:
    assert rows(pytester) == EXPECTED


@pytest.mark.usefixtures("measured")
@pytest.mark.processes
def test_the_rows_are_the_same_under_xdist(pytester: pytest.Pytester) -> None:
    assert rows(pytester, "-n", "2") == EXPECTED


def test_what_was_left_out_or_did_not_come_to_run_has_a_row(pytester: pytest.Pytester) -> None:
    found = rows(pytester, "-k", "cases or fails or raises", "-x")
    assert found["test_cases[c0]"] == ("passed", "exact_match,f1", "False")
    assert found["TestMarked::test_fails"] == ("failed", "", "False")
    assert found["TestMarked::test_raises"] == ("not_run", "", "False")
    assert found["TestMarked::test_skips"] == ("not_run", "", "True")
    assert "test_other" not in found


def test_a_row_comes_back_equal_from_plain_json() -> None:
    from pytest_llmeval.records.plain import plain

    row = TestRow(
        "t.py::a", "tolerated", ("f1", "bleu"), "databricks", True, tags=("a",), marked=False
    )
    assert TestRow.from_plain(plain(row)) == row


def test_a_check_that_is_made_outside_of_tests_is_no_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import Case, evaluate

        evaluate(Case(response="a", ground_truth="a"), "f1")

        @pytest.mark.llm_eval
        def test_it(): evaluate(Case(response="a", ground_truth="a"), "f1")
        """
    )
    gate = "--llm-eval-gate=f1.mean >= 0.9"
    result = pytester.runpytest("--llm-eval", gate, "--llm-eval-report=run.json")
    result.stdout.fnmatch_lines(["gate f1.mean >= 0.9   held: 1 over 2"])
    assert result.ret == 0
    made = load_run(pytester.path / "run.json")
    assert [row.nodeid.partition("::")[2] for row in made.tests] == ["test_it"]
    assert [bool(record.nodeid) for record in made.records] == [False, True]
