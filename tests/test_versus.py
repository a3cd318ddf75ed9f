"""A run versus its baseline: which checks are the same, and what they amount to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from active_session import active_session
from compared_records import EUROS, HERE, against, check, many, state

from pytest_llmeval import Case
from pytest_llmeval.baselines.compared import Compared
from pytest_llmeval.baselines.gate import baseline_gate
from pytest_llmeval.baselines.standing import Roll
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import TestRow, TestState
from pytest_llmeval.reports.comparison import BaselineComparison
from pytest_llmeval.reports.versus import columns
from pytest_llmeval.scales import FRACTION, Threshold
from pytest_llmeval.statistics.decision import Change
from pytest_llmeval.testing import ScriptedJudge


def test_the_group_of_a_case_is_kept_with_its_record_and_never_judged() -> None:
    alone, grouped = Case(query="q", response="r"), Case(query="q", response="r", group="g")
    assert (alone.digest, alone.identity) == (grouped.digest, grouped.identity)
    judge = ScriptedJudge({"reason": "r", "score": 5})
    with active_session(mode="off") as session:
        session.notebook.enter("test_a.py::test_it", "call")
        session.evaluate(grouped, "fluency", judge=judge)
        (record,) = (session.news("test_a.py::test_it", "call") or {})["records"]
    assert Record.from_plain(record).group == "g"
    assert "group" not in f"{judge.messages}"


def test_cases_of_a_group_and_the_same_case_in_two_tests_are_one_cluster() -> None:
    grouped = [check(f"c{n}", 2, group=f"g{n // 2}") for n in range(8)]
    (metric,) = against(many([5] * 8), grouped).metrics
    assert metric.decision is not None
    assert (metric.decision.comparison.n, metric.decision.comparison.clusters) == (8, 4)
    before, now = (
        many([score] * 6) + many([score] * 6, test="test_a.py::test_too") for score in (5, 2)
    )
    (metric,) = against(before, now).metrics
    assert metric.decision is not None
    assert (metric.decision.comparison.n, metric.decision.comparison.clusters) == (12, 6)


def test_trials_are_of_one_case_and_flip_when_most_of_them_fail() -> None:
    def trials(*scores: float) -> list[Record]:
        return [
            replace(check("c", score), nodeid=f"test_a.py::test_it[c-trial{number}]", trial=number)
            for number, score in enumerate(scores, 1)
        ]

    found = against(trials(5, 5, 2), trials(5, 5, 5, 2))
    (metric,) = found.metrics
    assert metric.decision is not None
    assert metric.decision.comparison.n == 1
    assert metric.decision.comparison.difference == pytest.approx(3 / 4 - 2 / 3)
    assert not found.flips
    (flip,) = against(trials(5, 5, 2), trials(2, 5, 2)).flips
    assert (flip.test, flip.scores) == ("test_a.py::test_it[c]", (5, 2))


def test_checks_of_one_metric_in_one_test_are_told_apart_by_their_order() -> None:
    before = [check(None, 5), check(None, 2), check(None, 5)]
    now = [check(None, 5, error=True), check(None, 5), check(None, 2)]
    found = against(before, now)
    (metric,) = found.metrics
    assert metric.decision is not None
    comparison = metric.decision.comparison
    assert (comparison.n, comparison.worse, comparison.better) == (2, 1, 1)
    assert comparison.clusters == 1
    assert metric.cases.unknown == 1
    elsewhere = [check(None, 5, test="sub/test_a.py::test_it") for _ in range(3)]
    moved = against(before, elsewhere)
    assert (moved.compared, moved.new, moved.gone) == (3, (), ())


def test_a_mark_that_is_set_anew_is_no_change_of_the_app() -> None:
    strict = Threshold("at_least", 5)
    found = against(many([4] * 10), many([4] * 10, rule=strict))
    assert found.metrics[0].decision is not None
    assert found.metrics[0].decision.change is Change.UNCHANGED
    assert not found.flips


def test_another_scale_is_listed_and_not_compared() -> None:
    other = many([0.5] * 6, scale=FRACTION, rule=Threshold("at_least", 0.9))
    found = against(many([5] * 6), other)
    assert (found.compared, len(found.changed), found.flips) == (0, 6, ())
    some = against(many([5] * 6), [*other[:2], *many([5] * 6)[2:]])
    told = columns(BaselineComparison.of(Compared("b.json", "regression", some)))["fluency"]
    assert told == "unchanged in 4 of 6 (could see no drop)"


def test_a_blank_response_is_a_failure_and_no_other_judge() -> None:
    blank = many([None] * 6, judge=None)
    found = against(many([5] * 6, prompts=("p@1",)), blank)
    assert state(found) == "broken"
    assert [flip.scores for flip in found.flips] == [(5, None)] * 6


def test_metrics_of_which_less_is_better_become_worse_by_more() -> None:
    before, now = many([1.0] * 8, **EUROS), many([2.0 + n / 9 for n in range(8)], **EUROS)
    found = against(before, now)
    assert found.metrics[0].decision is not None
    assert found.metrics[0].decision.change is Change.REGRESSED
    assert state(found, "drop") == "broken"


def test_an_unknown_score_on_a_scale_without_end_leaves_the_gate_open() -> None:
    before = many([1.0] * 8, **EUROS)
    now = many([1.0] * 7, **EUROS)
    assert state(against(before, [*now, check("c7", 1.0, error=True, **EUROS)])) == "not decided"
    assert state(against(before, [*now, check("c7", None, **EUROS)])) == "not decided"
    assert state(against(before, now)) == "held"  # what is gone is not unknown


STATES: list[tuple[TestState, bool, str, int, int]] = [
    ("not_run", False, "not decided", 8, 0),
    ("not_run", True, "not decided", 0, 8),
    ("failed", False, "not decided", 8, 0),
    ("error", False, "not decided", 8, 0),
    ("tolerated", False, "not decided", 8, 0),
    ("skipped", False, "held", 0, 0),
    ("xfailed", False, "held", 0, 0),
    ("passed", False, "held", 0, 0),
]


@pytest.mark.parametrize(("became", "unselected", "told", "unknown", "deselected"), STATES)
def test_what_became_of_a_test_says_what_its_missing_checks_are(
    became: TestState, unselected: bool, told: str, unknown: int, deselected: int
) -> None:
    before = many([5] * 9)
    tests = {row.nodeid: TestRow(row.nodeid, became, unselected=unselected) for row in before[1:]}
    found = against(before, before[:1], replace(HERE, tests=tests))
    assert state(found) == told
    cases = found.metrics[0].cases
    assert (cases.unknown, cases.unselected) == (unknown, deselected)
    assert len(found.gone) == (8 if became == "passed" else 0)
    assert (baseline_gate(found, "regression").reason == "selection") is unselected


@pytest.mark.parametrize("renamed", ["test_a.py::test_new[{}]", "test_b.py::test_it[{}]"])
@pytest.mark.parametrize(("became", "unselected", "told", "unknown", "deselected"), STATES)
def test_so_does_what_became_of_the_test_that_it_may_be_called_now(
    became: TestState, unselected: bool, told: str, unknown: int, deselected: int, renamed: str
) -> None:
    before = many([5] * 9)
    now = replace(before[0], nodeid=renamed.format("c0"))
    new = (renamed.format(f"c{number}") for number in range(1, 9))
    tests = {test: TestRow(test, became, unselected=unselected) for test in new}
    found = against(before, [now], replace(HERE, tests=tests))
    cases = found.metrics[0].cases
    assert (state(found), found.compared) == (told, 1)
    assert (cases.unknown, cases.unselected) == (unknown, deselected)
    assert len(found.gone) == (8 if became == "passed" else 0)
    known = [*before, *(check(f"c{n}", 5, test=renamed.partition("[")[0]) for n in range(1, 9))]
    known_too = against(known, [now], replace(HERE, tests=tests))
    assert {each.test for each in known_too.gone} >= {each.nodeid for each in before[1:]}


ABSENT: list[tuple[dict[str, Any], str, int]] = [
    ({"files": frozenset({"test_a.py"})}, "gone", 9),
    ({"files": frozenset({"test_b.py"})}, "elsewhere", 0),
    ({"files": frozenset({"test_b.py"}), "exists": lambda file: False}, "gone", 9),
    ({"files": frozenset({"test_a.py"}), "partial": True}, "unselected", 0),
    ({"files": frozenset(), "broken": frozenset({"test_a.py"})}, "stopped", 0),
]


@pytest.mark.parametrize(("roll", "told", "gone"), ABSENT, ids=[each[1] for each in ABSENT])
def test_a_test_that_is_not_there_is_gone_only_where_it_was_looked_for(
    roll: dict[str, Any], told: str, gone: int
) -> None:
    made = Roll({}, **roll)
    assert made.absent("test_a.py::test_it[c0]") == told
    found = against(many([5] * 9), [], made)
    assert len(found.gone) == gone
    assert bool(found.metrics) == (told in ("unselected", "stopped"))


def test_several_that_a_renamed_test_may_have_been_are_left_apart() -> None:
    before = [check("c", 5, test="test_a.py::test_one"), check("c", 5, test="test_a.py::test_two")]
    now = [replace(each, nodeid=each.nodeid.replace("test_a", "test_b")) for each in before]
    assert against(before, now).compared == 2
    other = [replace(before[0], nodeid="test_a.py::test_three[c]")]
    assert against(before, other).compared == 0
    assert against(before[:1], other).compared == 1


def test_worst_flips_come_first_by_their_share_of_the_scale() -> None:
    yes = Threshold("at_least", 1)
    recall: dict[str, Any] = {"metric": "recall", "scale": FRACTION, "rule": yes}
    before = [*many([5, 5]), check("r", 1.0, **recall)]
    now = [*many([3, 1]), check("r", 0.3, **recall)]
    flips = against(before, now).flips
    assert [(flip.metric, flip.case) for flip in flips] == [
        ("fluency", "c1"),
        ("recall", "r"),
        ("fluency", "c0"),
    ]


def test_the_page_names_what_there_is(tmp_path: Path) -> None:
    page = Path(__file__).parent.parent.joinpath("docs/baseline.md").read_text(encoding="utf-8")
    for block in page.split("```python\n")[1:]:
        exec(block.partition("```")[0], {})
    for name in ("baseline", "update-baseline", "fail-on=drop", "tolerance", "only-flips"):
        assert f"--llm-eval-{name}" in page
