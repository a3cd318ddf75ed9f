"""Cases beside a baseline: which are one input, what their scores are, what can be seen of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from compared_records import EUROS, F1, HERE, against, check, many, state

from pytest_llmeval.baselines.compared import Compared
from pytest_llmeval.baselines.file import baseline_text
from pytest_llmeval.baselines.gate import baseline_gate
from pytest_llmeval.baselines.rows import rows_of
from pytest_llmeval.baselines.standing import Roll
from pytest_llmeval.baselines.versus import versus
from pytest_llmeval.gates.gate import GateState
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import TestRow, TestState
from pytest_llmeval.reports.comparison import BaselineComparison
from pytest_llmeval.reports.page_baseline import baseline_blocks
from pytest_llmeval.reports.versus import columns, lines
from pytest_llmeval.results import Outcome
from pytest_llmeval.scales import COUNT, FRACTION, SECONDS, YES_NO, Threshold
from pytest_llmeval.statistics.decision import Change


def asked(tests: int, cases: int, asks: Callable[[int, int], str | None], **more: Any) -> Any:
    """The same cases by name in several tests, which ask what ``asks`` says; scores by ``more``."""
    return [
        check(f"{case}", more["score"], test=f"test_a.py::test_{test}", asks=asks(test, case))
        for test in range(tests)
        for case in range(cases)
    ]


CLUSTERS: list[tuple[str, int, int, Callable[[int, int], str | None], int]] = [
    ("one expectation of many mails, and no query", 40, 1, lambda test, case: None, 40),
    ("a query that is blank", 40, 1, lambda test, case: " \n", 40),
    ("ids that several tests give to queries of their own", 8, 3, lambda *of: f"{of}", 24),
    ("the same question in several tests", 8, 3, lambda test, case: f"{case}", 3),
]


@pytest.mark.parametrize(
    ("tests", "cases", "asks", "clusters"),
    [each[1:] for each in CLUSTERS],
    ids=[each[0] for each in CLUSTERS],
)
def test_tests_are_of_one_input_only_where_that_is_sure(
    tests: int, cases: int, asks: Callable[[int, int], str | None], clusters: int
) -> None:
    before, now = (asked(tests, cases, asks, score=score) for score in (5, 2))
    (metric,) = against(before, now).metrics
    assert metric.decision is not None
    assert metric.decision.comparison.n == tests * cases
    assert metric.decision.comparison.clusters == clusters
    assert metric.decision.change is (Change.REGRESSED if clusters > 5 else Change.INCONCLUSIVE)


def test_what_is_tied_by_a_group_and_by_a_question_is_one_cluster() -> None:
    one, two, three = (f"test_a.py::test_{name}" for name in ("one", "two", "three"))

    def checks(score: int) -> list[Record]:
        return [
            check("a", score, test=one, group="g"),
            check("b", score, test=two, group="g"),
            check("b", score, test=three),
            check("c", score, test=three),
        ]

    (metric,) = against(checks(5), checks(2)).metrics
    assert metric.decision is not None
    assert (metric.decision.comparison.n, metric.decision.comparison.clusters) == (4, 2)


def test_a_response_without_a_score_is_the_worst_there_is() -> None:
    before = many([0.8] * 10, **F1)
    blank = many([None] * 9 + [0.8], **F1)
    found = against(before, blank)
    (metric,) = found.metrics
    assert metric.decision is not None
    assert metric.decision.comparison.current == pytest.approx(0.08)
    assert (found.compared, found.changed, state(found)) == (10, (), "broken")
    assert state(against(blank, before)) == "held"
    assert against(blank, blank).metrics[0].decision is not None
    euros = against(many([None] * 2 + [1.0] * 6, **EUROS), many([1.0] * 8, **EUROS))
    assert (euros.compared, len(euros.changed)) == (6, 2)


def test_seconds_and_tokens_are_compared_only_where_they_have_a_mark() -> None:
    marked = Threshold("at_most", 2)
    for scale, metric in ((SECONDS, "latency_seconds"), (COUNT, "total_token_count")):
        usage: dict[str, Any] = {"metric": metric, "scale": scale, "judge": None}
        free = [many([1.0] * 8, rule=None, **usage), many([9.0] * 8, rule=None, **usage)]
        assert [rows_of(each) for each in free] == [[], []]
        found = against([*free[0], *many([5] * 8)], [*free[1], *many([5] * 8)])
        assert [each.metric for each in found.metrics] == ["fluency"]
        assert (found.new, found.gone, state(found, "drop")) == ((), (), "held")
        held = [many([score] * 8, rule=marked, **usage) for score in (1.0, 1.9, 9.0)]
        assert state(against(held[0], held[1]), "drop") == "held"
        assert state(against(held[0], held[2])) == "broken"
        assert state(against(held[0], free[1])) == "not decided"


def test_digits_that_are_the_machines_are_no_change() -> None:
    before = many([1 / 3, 2 / 3] * 4, **F1)
    assert [row.score for row in rows_of(before)][:2] == [0.333333, 0.666667]
    now = [replace(each, score=(each.score or 0) + 1e-12) for each in before]
    assert baseline_text(rows_of(before)) == baseline_text(rows_of(now))
    for each in (before, now):
        decision = against(before, each).metrics[0].decision
        assert decision is not None
        assert decision.change is Change.UNCHANGED
    almost = many([0.9 - 1e-9], **{**F1, "rule": Threshold("at_least", 0.9)})
    assert [row.score for row in rows_of(almost)] == [0.9 - 1e-9]  # or it would pass


def test_checks_with_nothing_to_judge_any_more_are_listed() -> None:
    idle = [
        replace(each, outcome=Outcome.NOT_APPLICABLE, score=None)
        for each in many([5] * 8, judge=None)
    ]
    found = against(many([5] * 10), [*idle, *many([5] * 10)[8:]])
    said = [*lines(BaselineComparison.of(Compared("b.json", "regression", found)))]
    assert said[0] == "baseline b.json: compared 2, 8 not applicable now"
    assert said[1] == "  not applicable now: test_a.py::test_it[c0] fluency"
    assert said[-1] == "  not applicable now: and 3 more"
    assert state(against(many([5] * 8), idle)) == "not decided"


def test_flips_are_counted_by_checks_and_tests_and_told_in_the_words_of_the_scale() -> None:
    def verdicts(score: float) -> list[Record]:
        yes = Threshold("at_least", 1)
        return [
            check("c", score, metric=name, scale=YES_NO, rule=yes)
            for name in ("relevance", "safety")
        ]

    found = against(verdicts(1), verdicts(0))
    said = [*lines(BaselineComparison.of(Compared("b.json", "regression", found)))]
    assert said[1:3] == [
        "flips, passed in the baseline and failing now: 2 checks in 1 test",
        "  test_a.py::test_it[c]: relevance yes → no, safety yes → no",
    ]
    assert len(said) == 6


def test_ten_cases_are_listed_however_many_metrics_flipped_in_each_the_worst_case_first() -> None:
    def six(score: float, worst: float) -> list[Record]:
        return [
            check(f"c{n}", worst if (n, metric) == (11, 4) else score, metric=f"m{metric}")
            for n in range(12)
            for metric in range(6)
        ]

    found = against(six(5, 5), six(2, 1))
    made = BaselineComparison.of(Compared("b.json", "regression", found))
    said = [*lines(made)]
    others = "m0 5 → 2, m1 5 → 2, m2 5 → 2, m3 5 → 2"
    assert said[2:5] == [
        f"  test_a.py::test_it[c11]: m4 5 → 1, {others}, and 1 more",
        "    was  c11 gets 5",
        "    now  c11 gets 1",
    ]
    listed = [line for line in said if "::test_it[" in line]
    assert (len(listed), said[-1]) == (10, "  and 2 more")
    *_, block = baseline_blocks(made, 0)
    assert (len(block.items), block.items[-1]) == (11, "- and 2 more")
    told = "`m4` `5 → 1`, `m0` `5 → 2`, `m1` `5 → 2`, `m2` `5 → 2`, `m3` `5 → 2`, and 1 more"
    assert block.items[0].splitlines()[0] == f"- {told} · `test_a.py::test_it[c11]`"


@pytest.mark.parametrize(
    ("cases", "metrics", "told"),
    [
        (many([5] * 5), 1, "fluency has 5 independent cases that can fall, and 6 are needed"),
        (many([5] * 6), 1, ""),
        (many([5] * 5 + [1] * 9), 1, "fluency has 5 independent"),  # the others have failed before
        ([check(f"c{n}", 5, group=f"{n % 4}") for n in range(20)], 1, "fluency has 4 independent"),
        (many([5]), 1, "fluency has 1 independent case that can fall, and 6 are needed"),
        (many([5] * 7), 4, "m0, m1, m2 and 1 more have fewer than 8 independent cases that can"),
        (many([0.5] * 3, metric="f1", scale=FRACTION, rule=None), 1, "f1 has 3 independent"),
    ],
    ids=str,
)
def test_a_gate_that_no_drop_can_break_says_so(
    cases: list[Record], metrics: int, told: str
) -> None:
    if metrics > 1:
        cases = [replace(each, metric=f"m{n}") for each in cases for n in range(metrics)]
    gate = baseline_gate(against(cases, cases), "regression")
    assert gate.state == "held"
    assert told in gate.says
    assert bool(gate.says) is bool(told)
    assert baseline_gate(against(cases, cases), "drop").says == ""
    free = "without a pass mark, so that nothing can flip: f1" if cases[0].bound is None else ""
    assert baseline_gate(against(cases, cases), "any-flip").says == free
    fallen = [replace(each, outcome=Outcome.FAILED, score=None) for each in cases]
    first = [
        each if each.metric == "m0" or metrics == 1 else cases[n] for n, each in enumerate(fallen)
    ]
    assert state(against(cases, first)) == ("held" if told else "broken")


@pytest.mark.parametrize(
    ("few", "told"),
    [
        (
            ["f1"],
            "no drop could be seen of f1: it has 1 independent case that can fall, and 7 are ",
        ),
        (["f1", "gleu"], "of f1 and gleu: they have fewer than 7 independent cases that can fall"),
        ([f"m{n}" for n in range(5)], "of m0, m1, m2 and 2 more: they have fewer than 8 "),
    ],
    ids=str,
)
def test_a_gate_that_can_break_names_what_it_can_see_no_drop_of(few: list[str], told: str) -> None:
    once = [check("once", 5, metric=name, test="test_a.py::test_once") for name in few]
    before = [*many([5] * 30), *once]
    gate = baseline_gate(against(before, before), "regression")
    assert gate.state is GateState.HELD
    assert told in gate.says
    assert "not even of all" not in gate.says
    said = columns(BaselineComparison.of(Compared("b", "regression", against(before, before))))
    assert said == {**dict.fromkeys(few, "unchanged (could see no drop)"), "fluency": "unchanged"}
    fallen = [*many([2] * 6 + [5] * 24), *once]
    assert baseline_gate(against(before, fallen), "regression").says == "fluency"


def test_a_tolerance_that_all_that_passed_can_be_lost_within_is_told_with_the_gate() -> None:
    few = [*many([5] * 8), *[check(f"f{number}", 2) for number in range(32)]]
    fallen = [*many([2] * 8), *few[8:]]
    assert state(against(few, fallen)) == "broken"
    found = against(few, fallen, HERE, **{"": 0.1})
    gate = baseline_gate(found, "regression")
    told = "not even a drop of all is for sure beyond the tolerance of fluency"
    assert (gate.state.value, gate.says) == ("held", told)
    said = columns(BaselineComparison.of(Compared("b.json", "regression", found)))
    assert said == {"fluency": "−20.0 pts, inconclusive (could see no drop)"}


def test_what_the_baseline_has_and_counts_for_nothing_is_told_with_the_gate_that_held() -> None:
    f1 = many([0.5] * 3, **F1)
    idle = [replace(each, outcome=Outcome.NOT_APPLICABLE) for each in many([5])]
    states = {each.nodeid: TestRow(each.nodeid, "skipped") for each in many([5] * 4)[1:4]}
    now = [*idle, *many([5] * 20)[4:18]]
    found = against([*many([5] * 20), *f1], now, replace(HERE, tests=states))
    says = baseline_gate(found, "regression").says
    told = "3 gone, 5 skipped or expected to fail, 1 not applicable now"
    assert says == f"not compared: {told}; nothing was compared of f1"
    told = columns(BaselineComparison.of(Compared("b.json", "regression", found)))["fluency"]
    assert told == "unchanged in 14 of 20"


def test_a_tolerance_is_a_share_of_what_can_be_lost_on_any_scale() -> None:
    def allowed(before: list[Record], **shares: float) -> float:
        (found,) = against(before, before, HERE, **(shares or {"": 0.02})).tolerance.values()
        return found

    assert allowed(many([5] * 6)) == 0.02  # two points
    assert allowed(many([5] * 6, rule=None)) == pytest.approx(0.08)  # of 1 to 5
    assert allowed(many([0.5] * 6, **F1)) == pytest.approx(0.02)
    assert allowed(many([50.0] * 6, **EUROS)) == pytest.approx(1.0)  # of what it was
    assert allowed(many([5] * 6), fluency=0.5) == 0.5


@pytest.mark.parametrize(
    ("third", "state_", "reason"),
    [
        ({"unselected": True}, "not_run", "selection"),
        ({}, "error", "missing"),
        ({}, "not_run", "missing"),
        ({}, "skipped", None),  # it was not needed any more
    ],
)
def test_a_trial_that_is_missing_counts_within_its_case(
    third: dict[str, Any], state_: TestState, reason: str | None
) -> None:
    def trials(count: int) -> list[Record]:
        return [
            replace(
                check(f"{case}", 2 if (case, number) == (7, 2) else 5),
                nodeid=f"test_a.py::test_it[{case}-trial{number}]",
                trial=number,
            )
            for case in range(8)
            for number in range(1, count + 1)
        ]

    tests = {
        each.nodeid: TestRow(each.nodeid, "passed", trial=each.trial)
        if each.trial != 3
        else TestRow(each.nodeid, state_, trial=each.trial, **third)
        for each in trials(3)
    }
    roll = Roll(tests, frozenset({"test_a.py"}))
    found = versus(rows_of(trials(3)), trials(2), roll)
    gate = baseline_gate(found, "drop")
    cases = found.metrics[0].cases
    assert (cases.unknown, cases.unselected, cases.partial) == (0, 0, 8 if reason else 0)
    said = next(iter(lines(BaselineComparison.of(Compared("b.json", "drop", found)))))
    assert said == f"baseline b.json: compared 8{' (8 with trials missing)' if reason else ''}"
    # Case 7 had two of three, and has one of two: a drop, unless the third passed as it did.
    assert gate.state is (GateState.BROKEN if reason is None else GateState.NOT_DECIDED)
    assert reason is None or gate.reason == reason
    assert found.compared == 8
