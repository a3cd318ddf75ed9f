"""A suite beside its baseline: the user's rule is compared, where it says more than its metrics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner
from compared_records import EUROS, HERE, check, state
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmeval import load_run
from pytest_llmeval.baselines.compared import Compared
from pytest_llmeval.baselines.gate import baseline_gate
from pytest_llmeval.baselines.rows import rows_of
from pytest_llmeval.baselines.standing import Roll
from pytest_llmeval.baselines.versus import MetricVersus, Versus, versus
from pytest_llmeval.cli import main
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import TestRow
from pytest_llmeval.reports.comparison import BaselineComparison
from pytest_llmeval.reports.versus import columns
from pytest_llmeval.results import Outcome
from pytest_llmeval.scales import Threshold
from pytest_llmeval.statistics.comparison import compare
from pytest_llmeval.statistics.paired import Pair

ROWS = ("fluency", "coherence", "relevance")
Low = Mapping[str, Iterable[int]]


def suite(low: Low | None = None, rows: Iterable[str] = ROWS, **more: Any) -> list[Record]:
    """Twenty cases of a suite, whose metrics give 2 to the cases that are ``low``, 5 to others."""
    bad = {row: {*cases} for row, cases in (low or {}).items()}
    made = [
        check(f"c{case}", 2 if case in bad.get(row, ()) else 5, metric=row, **more)
        for case in range(20)
        for row in rows
    ]
    return [replace(record, suite="own") for record in made]


def against(before: Iterable[Record], now: Iterable[Record], roll: Roll = HERE) -> Versus:
    return versus(rows_of(before), now, roll)


def only(found: Versus) -> MetricVersus:
    (made,) = found.suites
    return made


SPREAD = {"fluency": (0, 1, 2), "coherence": (3, 4, 5), "relevance": (6, 7, 8)}


def test_a_drop_that_no_metric_shows_alone_is_a_regression_of_the_suite() -> None:
    found = against(suite(), suite(SPREAD))
    assert [each.decision.change for each in found.metrics if each.decision] == ["inconclusive"] * 3
    made = only(found)
    assert made.decision is not None
    assert (made.metric, made.decision.change) == ("quality (own)", "regressed")
    comparison = made.decision.comparison
    assert (comparison.n, comparison.worse, comparison.test) == (20, 9, "exact McNemar")
    gate = baseline_gate(found, "regression")
    assert (gate.state, gate.says) == ("broken", "quality (own)")
    assert baseline_gate(found, "any-flip").says == ", ".join(sorted(ROWS))
    assert {flip.metric for flip in found.flips} == {*ROWS}
    assert found.compared == 60  # checks, of which the suite is made


def test_a_suite_tells_of_how_many_of_its_cases_in_the_baseline_it_speaks() -> None:
    before = suite()
    rows = [replace(each, nodeid=f"test_a.py::test_it[{each.case_id}]") for each in before]
    skipped = [TestRow("test_a.py::test_it[c0]", "skipped")]
    ran = [TestRow(each, "passed") for each in {row.nodeid for row in rows[3:]}]
    roll = Roll({row.nodeid: row for row in (*skipped, *ran)}, frozenset({"test_a.py"}))
    none: dict[str, Any] = {"outcome": Outcome.NOT_APPLICABLE, "score": None}
    now = [replace(each, **none) if each.case_id == "c1" else each for each in rows[3:]]
    now = now[:-4]  # all of the last case is gone, and of the one before a check of three
    found = versus(rows_of(rows), now, roll)
    told = columns(BaselineComparison.of(Compared("b.json", "drop", found)))
    assert told["quality (own)"] == "unchanged in 17 of 20"
    assert told["fluency"] == "unchanged in 17 of 20"
    assert told["relevance"] == "unchanged in 16 of 20"


def test_cases_that_nobody_can_tell_apart_are_none_of_a_suite_when_they_are_skipped() -> None:
    unnamed = [
        replace(check(None, 5, metric=row, test="test_a.py::test_loop"), suite="own")
        for row in ROWS[:2] * 2
    ]
    skipped = TestRow("test_a.py::test_loop", "skipped")
    roll = Roll({skipped.nodeid: skipped}, frozenset({"test_a.py"}))
    found = against([*suite(), *unnamed], suite(), roll)
    assert (len(found.left_out), only(found).cases.aside) == (4, 0)


def test_a_check_that_is_measured_otherwise_and_did_not_run_is_of_a_suite_too() -> None:
    prices = [check("c0", 3, **EUROS), check("c", None, **EUROS)]
    before = [replace(each, suite="own") for each in (*prices, *suite()[:3])]
    found = against(before, [], replace(HERE, partial=True))
    assert [place.metric for place in found.changed] == ["price"]
    assert only(found).cases.unselected == 1


def test_one_more_metric_or_another_mark_is_no_change_of_the_app() -> None:
    more = suite(rows=(*ROWS, "similarity"), low={"similarity": range(20)})
    for before, now in ((suite(), more), (more, suite())):
        made = only(against(before, now))
        assert made.decision is not None
        assert (made.decision.change, made.decision.comparison.current) == ("unchanged", 1)
    higher = suite({"fluency": range(20)}, rule=Threshold("at_least", 1))
    lower = suite({"fluency": range(20)})
    made = only(against(higher, lower))
    assert made.decision is not None
    assert (made.decision.change, made.decision.comparison.baseline) == ("unchanged", 0)


def test_a_suite_of_one_metric_is_that_metric_and_no_row_of_its_own() -> None:
    assert against(suite(rows=ROWS[:1]), suite(rows=ROWS[:1])).suites == ()
    alone = [replace(record, suite=None) for record in suite()]
    assert against(alone, alone).suites == ()


def test_cases_that_nobody_can_tell_apart_are_in_no_suite() -> None:
    def looped(times: int) -> list[Record]:
        made = [check(None, 5, metric=row) for row in ROWS[:2] for _ in range(times)]
        return [replace(record, suite="own") for record in made]

    assert against(looped(2), looped(2)).suites == ()
    assert only(against(looped(1), looped(1))).cases.cases[0].passed_now() == [True]


def test_another_judge_of_one_metric_keeps_the_suite_from_being_compared() -> None:
    now = [replace(each, judge="k") if each.metric == "fluency" else each for each in suite(SPREAD)]
    made = only(against(suite(), now))
    assert (made.judge_change, made.decision) == ("j → k", None)


def test_what_has_no_verdict_is_unknown_unless_another_check_of_the_case_failed() -> None:
    def lacking(low: Low, row: str, cases: Iterable[int]) -> list[Record]:
        gone = {f"c{case}" for case in cases}
        return [
            replace(check(each.case_id, None, metric=row, error=True), suite="own")
            if each.metric == row and each.case_id in gone
            else each
            for each in suite(low)
        ]

    low = {"fluency": (0, 1), "coherence": (3, 4)}
    found = against(suite(), lacking(low, "relevance", (0, 6, 7)))
    case = {each.place.case: each for each in only(found).cases.cases}
    assert [(case[f"c{n}"].passed_now(), case[f"c{n}"].unknown) for n in (0, 5, 6)] == [
        ([False], 0),
        ([True], 0),
        ([], 1),
    ]
    assert baseline_gate(found, "regression").state == "held"
    open_ = baseline_gate(against(suite(), lacking(low, "relevance", (6, 7, 9, 10))), "regression")
    said = "cases that would decide: 4 without a verdict or not run (quality (own))"
    assert (open_.state, open_.says) == ("not decided", said)


def test_a_test_that_did_not_run_lacks_its_suite() -> None:
    now = [each for each in suite() if each.case_id not in ("c0", "c1")]
    rows = [TestRow(f"test_a.py::test_it[c{n}]", "not_run") for n in range(2)]
    before = [replace(each, nodeid=f"test_a.py::test_it[{each.case_id}]") for each in suite()]
    roll = Roll({row.nodeid: row for row in rows}, frozenset({"test_a.py"}))
    made = only(against(before, now, roll))
    assert (len(made.cases.cases), made.cases.unknown) == (20, 2)
    left = Roll({r.nodeid: replace(r, unselected=True) for r in rows}, frozenset({"test_a.py"}))
    made = only(against(before, now, left))
    assert (made.cases.unknown, made.cases.unselected) == (0, 2)


def test_a_trial_passes_where_all_its_checks_do() -> None:
    def trials(low: dict[str, int]) -> list[Record]:
        made = [
            check("c", 2 if low.get(row) == trial else 5, metric=row)
            for row in ROWS
            for trial in (1, 2, 3)
        ]
        return [
            replace(
                record, trial=n % 3 + 1, suite="own", nodeid=f"{record.nodeid}[trial{n % 3 + 1}]"
            )
            for n, record in enumerate(made)
        ]

    made = only(against(trials({}), trials({"fluency": 1, "coherence": 2})))
    (case,) = made.cases.cases
    assert (case.passed_before(), case.passed_now()) == ([True] * 3, [False, False, True])


OUTCOMES = st.lists(st.tuples(*[st.booleans()] * 6), min_size=1, max_size=12)


@settings(max_examples=60)
@given(OUTCOMES)
def test_a_suite_is_compared_as_the_conjunction_of_its_metrics(cases: list[Any]) -> None:
    def made(run: int) -> list[Record]:
        return [
            replace(check(f"c{n}", 5 if case[3 * run + at] else 2, metric=row), suite="own")
            for n, case in enumerate(cases)
            for at, row in enumerate(ROWS)
        ]

    found = only(against(made(0), made(1)))
    pairs = [Pair([all(case[:3])], [all(case[3:])], f"{n}") for n, case in enumerate(cases)]
    assert found.decision is not None
    assert found.decision.comparison == compare("quality (own)", pairs, outcomes=True)
    assert state(against(made(0), made(0))) in ("held", "not decided")


APP = """
import json, pytest
from pathlib import Path
from pytest_llmeval import Case, evaluate, assert_grounded
from suite_judge import saying

LOW = json.loads(Path(__file__).with_name("low.json").read_text())

@pytest.mark.llm_eval
@pytest.mark.parametrize("n", range(20))
def test_it(n):
    told = {metric: "no" for metric, cases in LOW.items() if n in cases}
    case = Case(id=f"c{n}", query="q", response=f"r {n}", context=["c"])
    evaluate(case, suite="own", judge=saying(told))
    if n == 0: evaluate(case, "groundedness", judge=saying())
"""
SET = (
    "--llm-eval",
    "--llm-eval-suite=own = groundedness, relevance, coherence",
    "--llm-eval-baseline=b.json",
)


def test_a_run_and_the_merge_of_its_shards_show_the_suite_beside_its_baseline(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(test_app=APP)
    low = pytester.path / "low.json"
    low.write_text("{}")
    assert pytester.runpytest(*SET, "--llm-eval-update-baseline").ret == 0
    rows = json.loads((pytester.path / "b.json").read_text("utf-8"))["tests"]
    kept = [(row["metric"], row.get("suite")) for row in rows["test_app.py::test_it[0]"]]
    own = [(metric, "own") for metric in ("coherence", "groundedness", "relevance")]
    assert sorted(kept, key=str) == sorted([*own, ("groundedness", None)], key=str)
    worse = {"groundedness": [1, 2, 3], "relevance": [4, 5, 6], "coherence": [7, 8, 9]}
    low.write_text(json.dumps(worse))
    whole = pytester.runpytest(*SET, "--llm-eval-report=run.json")
    assert whole.ret == 1
    whole.stdout.re_match_lines(
        [
            r"baseline b.json: compared 61$",
            r"quality \(own\) +11/20 .* −45.0 pts, p = 0.0\d+  REGRESSED$",
            r"gate baseline   BROKEN: quality \(own\)$",
        ]
    )
    for number in (1, 2):
        share = (f"--llm-eval-shard={number}/2", f"--llm-eval-report={number}.json")
        pytester.runpytest(*SET, *share)
    done = CliRunner().invoke(main, ["merge", "1.json", "2.json", "--output", "m.json"])
    assert done.exit_code == 1
    assert load_run("m.json").comparison == load_run("run.json").comparison
    assert "gate baseline   BROKEN: quality (own)" in done.output
