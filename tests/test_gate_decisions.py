"""Gates decided: held, broken or not decided, with what is missing counted both ways."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.gates.attended import Attended
from pytest_llmeval.gates.expression import parse_gate
from pytest_llmeval.gates.gate import GateResult, GateState
from pytest_llmeval.gates.group import NamedGroup
from pytest_llmeval.gates.group_gate import decide_groups
from pytest_llmeval.gates.group_members import called_nothing
from pytest_llmeval.gates.rule_gate import decide_rule
from pytest_llmeval.gates.told import told_number, told_share
from pytest_llmeval.metrics.registered import Metrics
from pytest_llmeval.rates.case_values import weights_of
from pytest_llmeval.rates.pass_rate import metric_rows
from pytest_llmeval.records.assessment import Assessment
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import Group, TestRow
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import FRACTION, ONE_TO_FIVE, SECONDS, YES_NO, Scale, Threshold
from pytest_llmeval.statistics.intervals import wilson

METRICS = Metrics()
PASSED, FAILED, ERROR = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR
SCORES = {PASSED: 5.0, FAILED: 2.0}
COUNTS = st.integers(0, 6)


def record(
    outcome: Outcome,
    nodeid: str = "t.py::a",
    metric: str = "groundedness",
    scale: Scale = ONE_TO_FIVE,
    score: float | None = None,
) -> Record:
    graded = SCORES.get(outcome) if score is None else score
    rule = Threshold("at_least", 4)
    return Record.of(Result(metric, outcome, scale, rule, graded=graded), nodeid)


def decided(text: str, records: Sequence[Record] = (), **attended: Any) -> GateResult:
    made = {"assessments": (), "tests": (), **attended}
    suites = ("databricks",)
    return decide_rule(parse_gate(text, METRICS, suites), Attended(records=records, **made))


def not_run(count: int, **how: Any) -> list[TestRow]:
    return [TestRow(f"t.py::n{each}", **how) for each in range(count)]


def many(passed: int, failed: int, errors: int) -> list[Record]:
    return [
        *(record(PASSED) for _ in range(passed)),
        *(record(FAILED) for _ in range(failed)),
        *(record(ERROR) for _ in range(errors)),
    ]


@given(COUNTS, COUNTS, COUNTS, COUNTS, st.integers(1, 20), st.sampled_from(["pass_rate", "lower"]))
def test_a_gate_is_decided_if_and_only_if_no_missing_result_could_turn_it(
    passed: int, failed: int, errors: int, absent: int, twentieths: int, statistic: str
) -> None:
    bound = twentieths / 20 if statistic == "pass_rate" else twentieths / 21
    made = decided(
        f"groundedness.{statistic} >= {bound!r}",
        many(passed, failed, errors),
        tests=not_run(absent),
    )
    missing = errors + absent
    count = passed + failed + missing

    def holds(won: int) -> bool:
        rate = (passed + won) / count
        return (rate if statistic == "pass_rate" else wilson(passed + won, count)[0]) >= bound

    every = {holds(won) for won in range(missing + 1)} if count else {True, False}
    sure = GateState.HELD if True in every else GateState.BROKEN
    assert made.state is (sure if len(every) == 1 else GateState.NOT_DECIDED)
    assert made.reason == ("" if len(every) == 1 else "missing")


@pytest.mark.parametrize(
    ("text", "records", "tests", "state", "says"),
    [
        ("groundedness.pass_rate >= 0.5", many(1, 1, 0), 0, "held", "1/2, 50.0 %"),
        ("groundedness.pass_rate > 0.5", many(1, 1, 0), 0, "broken", "1/2, 50.0 %"),
        ("groundedness.pass_rate >= 70%", many(7, 3, 0), 0, "held", "7/10, 70.0 %"),
        (
            "groundedness.pass_rate >= 0.5",
            many(1, 1, 1),
            0,
            "not decided",
            "1/2, 50.0 %, 1 without a verdict",
        ),
        ("groundedness.pass_rate >= 0.5", [], 0, "not decided", "no check was made"),
        ("groundedness.pass_rate >= 0.5", many(0, 0, 2), 0, "not decided", "2 without a verdict"),
        ("groundedness.pass_rate >= 0.5", [], 3, "not decided", "3 not run"),
        (
            "groundedness.pass_rate >= 0.5",
            [record(Outcome.MEASURED, score=3.0)],
            0,
            "not decided",
            "1 measured, with no pass mark",
        ),
        ("groundedness.mean >= 4", many(2, 1, 0), 0, "held", "4 over 3"),
        ("groundedness.mean >= 4.5", many(2, 1, 0), 0, "broken", "4 over 3"),
        (
            "groundedness.mean >= 4",
            many(2, 1, 1),
            0,
            "not decided",
            "4 over 3, 1 without a verdict",
        ),
        ("groundedness.mean >= 3", many(2, 1, 1), 0, "held", "4 over 3, 1 without a verdict"),
        (
            "groundedness.pass_rate <= 0.5",
            many(0, 1, 2),
            0,
            "not decided",
            "0/1, 0.0 %, 2 without a verdict",
        ),
    ],
)
def test_what_a_gate_comes_to_is_said(
    text: str, records: list[Record], tests: int, state: str, says: str
) -> None:
    made = decided(text, records, tests=not_run(tests))
    assert (made.state, made.says) == (state, says)


def test_a_mean_without_an_end_is_not_decided_as_soon_as_one_is_missing() -> None:
    slow = [record(PASSED, metric="latency_seconds", scale=SECONDS, score=100.0)]
    lost = record(ERROR, metric="latency_seconds", scale=SECONDS)
    assert decided("latency_seconds.mean <= 2", slow).state is GateState.BROKEN
    assert decided("latency_seconds.mean <= 2", [*slow, lost]).state is GateState.NOT_DECIDED


def test_defects_are_those_that_failed() -> None:
    fast, slow = (
        record(outcome, metric="latency_seconds", scale=SECONDS, score=1.0)
        for outcome in (PASSED, FAILED)
    )
    text = "latency_seconds.defect_rate <= 0.25"
    assert decided(text, [fast, fast, fast, slow]).state is GateState.HELD
    broken = decided(text, [fast, fast, slow])
    assert (broken.state, broken.says) == (GateState.BROKEN, "1/3, 33.3 %")
    lost = record(ERROR, metric="latency_seconds", scale=SECONDS)
    assert decided(text, [fast, fast, fast, lost]).state is GateState.HELD
    assert decided(text, [fast, fast, lost]).state is GateState.NOT_DECIDED


def test_aggregates_and_suites_have_gates_too() -> None:
    said = [
        record(outcome, metric="correctness", scale=YES_NO, score=score)
        for outcome, score in ((PASSED, 1.0), (PASSED, 1.0), (FAILED, 0.0))
    ]
    key = "response/llm_judged/correctness/rating/percentage"
    held = decided(f"{key} >= 0.6", said)
    assert (held.state, held.says) == (GateState.HELD, "0.6667 over 3")
    assert decided(f"{key} >= 0.7", said).state is GateState.BROKEN
    named = not_run(1, metrics=("correctness[each_turn]",))
    assert decided(f"{key} >= 0.6", said, tests=named).state is GateState.NOT_DECIDED
    assert decided(f"{key} >= 0.6", said, tests=not_run(1, metrics=("f1",))) == held
    case = Assessment("databricks", PASSED, None, None, (), (), (), None, None, nodeid="t.py::a")
    cases = [case, replace(case, outcome=FAILED), replace(case, xfailed=True)]
    half = decided("databricks.pass_rate >= 0.5", assessments=cases)
    assert (half.state, half.says) == (GateState.HELD, "1/2, 50.0 %")
    for suite, state in (("databricks", GateState.NOT_DECIDED), ("azure", GateState.HELD)):
        waiting = not_run(1, suite=suite)
        text = "databricks.pass_rate >= 0.5"
        assert decided(text, assessments=cases, tests=waiting).state is state


@pytest.mark.parametrize(
    ("row", "counted"),
    [
        (TestRow("t.py::x"), 1),
        (TestRow("t.py::x", metrics=("groundedness", "f1")), 1),
        (TestRow("t.py::x", metrics=("f1",)), 0),
        (TestRow("t.py::x", suite="azure", of_suite=("groundedness",)), 1),
        (TestRow("t.py::x", suite="azure", of_suite=("f1",)), 0),
        (TestRow("t.py::x", "skipped"), 0),
        (TestRow("t.py::x", "xfailed", ("groundedness",)), 0),
        (TestRow("t.py::x", "passed", ("groundedness",)), 0),
        (TestRow("t.py::x", "failed", ("groundedness",)), 1),
        (TestRow("t.py::x", "error", ("groundedness",)), 1),
        (TestRow("t.py::x", "error", ("f1",)), 0),
        (TestRow("t.py::x", "error"), 1),
        (TestRow("t.py::made", "error"), 0),
        (TestRow("t.py::made", "failed"), 0),
        (TestRow("t.py::made", "failed", ("groundedness",)), 1),
        (TestRow("t.py::made", "failed", ("relevance",)), 0),
        (TestRow("t.py::made", "failed", suite="azure", of_suite=("groundedness",)), 1),
    ],
)
def test_a_test_that_made_no_check_counts_one_where_it_might_have(
    row: TestRow, counted: int
) -> None:
    records = [record(PASSED), record(FAILED, "t.py::made", "relevance")]
    made = decided("groundedness.pass_rate >= 1", records, tests=[row])
    assert made.state is (GateState.NOT_DECIDED if counted else GateState.HELD)


def test_what_no_rate_counts_no_gate_counts() -> None:
    records = [
        record(PASSED),
        replace(record(FAILED), xfailed=True),
        replace(record(ERROR), xfailed=True),
        record(Outcome.NOT_APPLICABLE),
        record(Outcome.MEASURED, score=1.0),
    ]
    assert decided("groundedness.pass_rate >= 1", records).state is GateState.HELD


def test_a_blank_response_counts_as_the_worst_in_a_gate_on_a_mean() -> None:
    blank = replace(record(FAILED), score=None)
    made = decided("groundedness.mean >= 4.5", [record(PASSED), *[blank] * 9])
    says = "1.4 over 10, 9 blank responses counted as 1"
    assert (made.state, made.says) == (GateState.BROKEN, says)
    key = "response/llm_judged/groundedness/score/average"
    assert decided(f"{key} >= 4.5", [record(PASSED), *[blank] * 9]).says == says
    f1 = replace(blank, metric="f1", scale=FRACTION.name)
    assert decided("f1.mean >= 0.5", [f1]).says == "0 over 1, 1 blank response counted as 0"
    slow = replace(blank, metric="latency_seconds", scale=SECONDS.name, higher_is_better=False)
    fast = record(PASSED, metric="latency_seconds", scale=SECONDS, score=1.0)
    open_ = decided("latency_seconds.mean <= 2", [fast, slow])
    assert (open_.state, open_.reason) == (GateState.NOT_DECIDED, "missing")
    assert open_.says == "1 s over 1, 1 blank response, whose worst is unknown"


def tried(cases: str, **trial: Any) -> list[Record]:
    """Checks of cases, of each a word: P and F are trials that passed and failed, E an error."""
    came = {"P": PASSED, "F": FAILED, "E": ERROR}
    return [
        replace(
            record(came[each], f"t.py::t[c{case}-trial{number}]"),
            case_id=f"c{case}",
            trial=number,
            trials=1,
        )
        for case, word in enumerate(cases.split())
        for number, each in enumerate(word, 1)
    ]


@pytest.mark.parametrize(
    ("text", "cases", "absent", "state", "says"),
    [
        ("pass_rate >= 0.8", f"{'PPPPPPPP ' * 4} FF FF", "", "broken", "32/36, 66.7 % by cases"),
        ("pass_rate >= 0.8", "PP PPP PPP PPP FFF", "", "held", "11/14, 80.0 % by cases"),
        ("mean >= 4.4", "PP PPP PPP PPP FFF", "", "held", "4.4 over 14 by cases"),
        # A missing trial counts within its case, a missing case as one.
        ("pass_rate >= 0.75", "PPP PE", "", "held", "4/4, 100.0 % by cases, 1 without a verdict"),
        ("pass_rate > 0.75", "PPP PE", "", "not decided", "4/4, 100.0 % by cases, 1 without a ver"),
        ("pass_rate >= 0.75", "PPP PP", "1-3 1-4", "held", "5/5, 100.0 % by cases, 2 not run"),
        ("pass_rate >= 0.5", "PPP", "1-1 1-2", "held", "3/3, 100.0 % by cases, 2 not run"),
        ("pass_rate > 0.5", "PPP", "1-1 1-2", "not decided", "3/3, 100.0 % by cases, 2 not run"),
    ],
)
def test_where_cases_have_trials_each_case_weighs_once(
    text: str, cases: str, absent: str, state: str, says: str
) -> None:
    rows = [
        TestRow(f"t.py::t[c{case}-trial{number}]", trial=int(number))
        for case, number in (each.split("-") for each in absent.split())
    ]
    made = decided(f"groundedness.{text}", tried(cases), tests=rows)
    assert (made.state, made.says[: len(says)]) == (state, says)
    # A group of tests is decided by the same rule.
    came = {"passed": "passed", "failed": "failed", "error": "error"}
    ran = [
        TestRow(each.nodeid, came[each.outcome], trial=each.trial)  # type: ignore[arg-type]
        for each in tried(cases)
    ]
    if text.startswith("pass_rate >="):
        group = Group("g", float(text.partition(">= ")[2]))
        tests = [replace(each, groups=(group,)) for each in (*ran, *rows)]
        (of_tests,) = decide_groups(Attended(tried(cases), (), tests))
        assert of_tests.state is made.state
        assert "by cases" in of_tests.says


def test_the_lower_end_that_a_gate_holds_is_the_one_that_is_printed() -> None:
    records = tried("PPP PPP PPP PPP FFF PPP PPP FFF PPP PPP")
    (row,) = metric_rows(records)
    low = row.interval[0]
    assert low < wilson(row.passed, row.judged)[0] - 0.1
    says = f"24/30, at least {100 * low:.1f} % by cases"
    held = decided(f"groundedness.lower >= {low!r}", records)
    assert (held.state, held.says) == (GateState.HELD, says)
    assert decided("groundedness.lower >= 0.6", records).state is GateState.BROKEN


def test_where_cases_may_end_early_less_is_sure_in_print_and_in_gates() -> None:
    records = tried("PPP PPF PPP PFP FPP PPP PFF PPP PPP PPF")
    rows = [TestRow(each.nodeid, "passed", trial=each.trial, soonest=2) for each in records]
    lower, early = (metric_rows(records, weights_of(each))[0].interval[0] for each in ((), rows))
    assert early < lower - 0.02
    held, broken = (
        decided(f"groundedness.lower >= {each!r}", records, tests=rows) for each in (early, lower)
    )
    assert (held.state, broken.state) == (GateState.HELD, GateState.BROKEN)


@pytest.mark.parametrize(
    ("text", "passed", "failed", "says"),
    [
        ("latency_seconds.defect_rate <= 2%", 48, 1, "1/49, 2.04 %"),
        ("latency_seconds.defect_rate <= 3%", 48, 1, "1/49, 2.0 %"),
        ("latency_seconds.pass_rate >= 0.98", 49, 1, "49/50, 98.0 %"),
        ("latency_seconds.pass_rate >= 0.9796", 48, 1, "48/49, 97.959 %"),
        ("latency_seconds.mean <= 2", 1, 0, "1 s over 1"),
        ("latency_seconds.mean <= 1.3333", 2, 1, "1.33333 s over 3"),
        ("agent/latency_seconds/average <= 1.3333", 2, 1, "1.33333 s over 3"),
        ("latency_seconds.lower > 0.98", 188, 0, "188/188, at least 97.998 %"),
    ],
)
def test_a_value_has_as_many_digits_as_it_takes_to_differ_from_its_bound(
    text: str, passed: int, failed: int, says: str
) -> None:
    records = [
        record(outcome, metric="latency_seconds", scale=SECONDS, score=score)
        for outcome, score, count in ((PASSED, 1.0, passed), (FAILED, 2.0, failed))
        for _ in range(count)
    ]
    assert decided(text, records).says == says


@given(st.integers(0, 3000), st.integers(1, 3000), st.integers(0, 10**6), st.floats(0, 1))
def test_what_is_told_of_a_value_is_what_is_told_of_its_bound_only_where_they_are_one(
    passed: int, failed: int, millionths: int, score: float
) -> None:
    rate, bound = passed / (passed + failed), millionths / 10**6
    assert (told_share(rate, bound) == told_share(bound, rate)) == (rate == bound)
    near = math.nextafter(score, 2)
    assert told_number(score, near) != told_number(near, score)
    assert told_number(score, score) == told_number(score)
    assert told_share(bound, bound) == told_share(bound)


@pytest.mark.parametrize(
    ("text", "own", "says"),
    [
        (
            "groundedness.pass_rate >= 0.5",
            0,
            "no check was made (did you mean G[yes_no].pass_rate?)",
        ),
        ("groundedness.lower >= 0.5", 0, "no check was made (did you mean G[yes_no].lower?)"),
        (
            "groundedness.pass@3 >= 0.5",
            0,
            "no test of it has 3 trials (did you mean G[yes_no].pass@3?)",
        ),
        ("groundedness.mean >= 2", 0, "no check was made (did you mean G[yes_no].pass_rate?)"),
        (
            "response/llm_judged/G/score/average >= 2",
            0,
            "no check was made (did you mean response/llm_judged/G/rating/percentage?)",
        ),
        ("groundedness.pass_rate >= 0.5", 1, "1/1, 100.0 % (G[yes_no] has 30)"),
        ("groundedness.pass_rate >= 0.5", 8, "8/8, 100.0 %"),
        ("groundedness[yes_no].pass_rate >= 0.5", 1, "30/30, 100.0 %"),
        ("relevance.pass_rate >= 0.5", 0, "no check was made"),
        ("azure.pass_rate >= 0.5", 0, "no check was made (did you mean databricks.pass_rate?)"),
    ],
)
def test_a_gate_on_nothing_or_on_little_tells_where_the_checks_of_its_question_are(
    text: str, own: int, says: str
) -> None:
    other = record(PASSED, metric="groundedness[yes_no]", scale=YES_NO, score=1.0)
    suite = Assessment("databricks", PASSED, None, None, (), (), (), None, None, nodeid="t.py::a")
    records = [*many(own, 0, 0), *[other] * 30]
    rule = parse_gate(text.replace("/G/", "/groundedness/"), METRICS, ("databricks", "azure"))
    made = decide_rule(rule, Attended(records, [suite], ()))
    assert made.says == re.sub(r"\bG\b", "groundedness", says)


CHOICES = list(product([0, 1], [0, 1], [False, True], [0, 1]))


@pytest.mark.parametrize(("errors", "unselected", "named", "uncollected"), CHOICES)
def test_only_what_the_user_left_out_himself_is_forgiven(
    errors: int, unselected: int, named: bool, uncollected: int
) -> None:
    left_out = not_run(unselected, unselected=True)
    how = {"tests": left_out, "named": named, "uncollected": uncollected}
    made = decided("groundedness.pass_rate >= 1", many(1, 0, errors), **how)
    open_ones = bool(errors or unselected or named or uncollected)
    assert made.state is (GateState.NOT_DECIDED if open_ones else GateState.HELD)
    chosen = (unselected or named) and not errors and not uncollected
    assert made.reason == ("selection" if chosen else "missing" if open_ones else "")
    assert made.fails(in_ci=True) == open_ones
    assert made.fails(in_ci=False) == (open_ones and not chosen)
    nothing = decided("groundedness.pass_rate >= 1", [], tests=left_out, named=named)
    assert nothing.reason == ("selection" if unselected or named else "missing")


def test_a_gate_is_broken_though_tests_were_left_out_that_could_not_have_saved_it() -> None:
    left_out = not_run(1, unselected=True)
    made = decided("groundedness.pass_rate >= 0.9", many(1, 3, 0), tests=left_out)
    assert (made.state, made.says) == (GateState.BROKEN, "1/4, 25.0 %, 1 deselected")


GROUP = Group("support", 0.5, ("c1",))


def of_group(
    *states: str, group: Group = GROUP, names: tuple[str, ...] = (), **attended: Any
) -> GateResult:
    """What a group comes to with tests called c1, c2, … (all of them also by ``names``) that ended
    in ``states``."""
    tests = [
        TestRow(
            f"t.py::t[c{number}]",
            "not_run" if state == "unselected" else state,  # type: ignore[arg-type]
            unselected=state == "unselected",
            groups=(group,),
            names=(f"c{number}", *names),
        )
        for number, state in enumerate(states, 1)
    ]
    came = {"passed": PASSED, "xpassed": PASSED, "failed": FAILED, "tolerated": FAILED}
    came["error"] = ERROR
    own = [record(came[each.state], each.nodeid) for each in tests if each.state in came]
    made = attended.pop("records", own)
    (result,) = decide_groups(Attended(made, (), tests, **attended), [NamedGroup(group)])
    return result


@pytest.mark.parametrize(
    ("states", "state", "says"),
    [
        ("passed tolerated", "held", "1/2 passed"),
        ("passed tolerated tolerated", "broken", "1/3 passed"),
        ("failed passed passed", "broken", "2/3 passed, must pass and failed: c1"),
        ("passed failed", "held", "1/2 passed"),
        ("passed error", "held", "1/1 passed, 1 without a verdict"),
        ("passed tolerated error", "not decided", "1/2 passed, 1 without a verdict"),
        ("passed tolerated tolerated tolerated error", "broken", "1/4 passed, 1 without a verdict"),
        (
            "error passed passed",
            "not decided",
            "2/2 passed, must pass and has no pass: c1 (without a verdict), 1 without a verdict",
        ),
        (
            "not_run passed passed",
            "not decided",
            "2/2 passed, must pass and has no pass: c1 (not run), 1 not run",
        ),
        (
            "skipped passed passed",
            "not decided",
            "2/2 passed, must pass and has no pass: c1 (skipped)",
        ),
        ("passed skipped xfailed", "held", "1/1 passed"),
        ("xpassed tolerated", "held", "1/2 passed"),
        (
            "unselected passed",
            "not decided",
            "1/1 passed, must pass and has no pass: c1 (deselected), 1 deselected",
        ),
        ("", "not decided", "no test is in it"),
    ],
)
def test_a_group_counts_its_tests(states: str, state: str, says: str) -> None:
    made = of_group(*states.split())
    assert (made.state, made.says) == (state, says)
    expected = "selection" if "unselected" in states else "missing"
    assert made.reason == (expected if state == "not decided" else "")


@pytest.mark.parametrize(
    ("states", "state", "says"),
    [
        ("passed passed skipped", "held", "2/2 passed"),
        ("passed xfailed skipped", "held", "1/1 passed"),
        (
            "passed passed failed",
            "broken",
            "2/3 passed, must pass and failed: all (2 passed, 1 failed)",
        ),
        (
            "passed passed not_run",
            "not decided",
            "2/2 passed, must pass and is not sure: all (2 passed, 1 not run), 1 not run",
        ),
        (
            "passed skipped error",
            "not decided",
            (
                "1/1 passed, must pass and is not sure: all (1 passed, 1 skipped, "
                "1 without a verdict), 1 without a verdict"
            ),
        ),
        (
            "skipped xfailed",
            "not decided",
            (
                "no test has a result: 1 skipped, 1 xfailed, must pass and has no pass: all "
                "(1 skipped, 1 xfailed)"
            ),
        ),
        # Had those that were left out passed, it would be held.
        (
            "passed skipped unselected",
            "not decided",
            (
                "1/1 passed, must pass and is not sure: all (1 passed, 1 skipped, 1 deselected), "
                "1 deselected"
            ),
        ),
    ],
)
def test_of_several_tests_under_one_name_all_that_ran_must_pass_and_one_at_least_has_to(
    states: str, state: str, says: str
) -> None:
    made = of_group(*states.split(), group=Group("g", 0.3, ("all",)), names=("all",))
    assert (made.state, made.says) == (state, says)
    expected = "selection" if "unselected" in states else "missing"
    assert made.reason == (expected if state == "not decided" else "")


@given(
    st.lists(st.sampled_from(["passed", "tolerated", "error", "not_run", "skipped"]), max_size=6),
    st.lists(st.sampled_from(["c1", "c3", "nowhere"]), unique=True),
    st.sampled_from([0.3, 0.5, 0.9]),
)
def test_a_group_that_nothing_that_is_missing_can_save_is_broken_and_only_that(
    states: list[str], must_pass: list[str], rate: float
) -> None:
    made = of_group(*states, group=Group("g", rate, tuple(must_pass)))
    missing = [each for each, state in enumerate(states) if state in ("error", "not_run")]

    def holds(outcomes: tuple[str, ...]) -> bool:
        came = [*states]
        for place, outcome in zip(missing, outcomes, strict=True):
            came[place] = outcome
        counted = [each for each in came if each != "skipped"]
        by_name = {f"c{number}": each for number, each in enumerate(came, 1)}
        all_pass = all(by_name.get(each) == "passed" for each in must_pass)
        return bool(counted) and all_pass and counted.count("passed") / len(counted) >= rate

    ways = {holds(each) for each in product(["passed", "tolerated"], repeat=len(missing))}
    assert (made.state is GateState.HELD) == (ways == {True})
    lost = any(
        state == "tolerated" and f"c{number}" in must_pass for number, state in enumerate(states, 1)
    )
    judged = [each for each in states if each != "skipped"]
    best = len(judged) - judged.count("tolerated")
    hopeless = lost or bool(judged and best / len(judged) < rate)
    assert (made.state is GateState.BROKEN) == hopeless


def test_a_name_that_a_test_outside_the_group_has_is_told_with_what_would_put_it_there() -> None:
    tests = [TestRow("t.py::t[a]", "passed", names=("a",), tags=("x",), groups=())]
    group = Group("g", 0.5, ("a",))
    tests.append(TestRow("t.py::t[b]", "passed", names=("b",), groups=(group,)))
    records = [record(PASSED, each.nodeid) for each in tests]
    told = "1/1 passed, must pass and is not in the group: a (t.py::t[a] "
    for tags, rest in (
        (("y",), "has no tag 'y', which would put it there)"),
        (("y", "z"), "has no tag 'y' or 'z', which would put it there)"),
        ((), "is not under its marker, which would put it there)"),
    ):
        named = [NamedGroup(group, tags)] if tags else []
        (made,) = decide_groups(Attended(records, (), tests), named)
        assert (made.state, made.says) == (GateState.NOT_DECIDED, told + rest)
        before = called_nothing(tests, named)["g"]
        assert before[-1].endswith(f"must_pass 'a' is in no test of it (t.py::t[a] {rest}")


def test_a_group_with_tests_that_nobody_can_count_is_not_decided() -> None:
    assert of_group("passed", "passed", named=True).reason == "selection"
    assert of_group("passed", "passed", uncollected=1).reason == "missing"
    assert of_group(group=Group("other", 1), named=True).reason == "selection"
    assert of_group("failed", named=True).state is GateState.BROKEN


def test_a_test_that_raised_something_else_has_no_outcome_in_its_group() -> None:
    passed = [record(PASSED, f"t.py::t[{each}]") for each in ("c1", "c2")]
    made = of_group("passed", "failed", "error", records=passed)
    assert made.says == "1/1 passed, 2 failed outside a check"


def test_an_error_counts_in_its_group_also_where_it_is_reported_as_skipped() -> None:
    made = of_group(
        "passed",
        "skipped",
        records=[record(PASSED, "t.py::t[c1]"), record(ERROR, "t.py::t[c2]")],
    )
    assert made.says == "1/1 passed, 1 without a verdict"


def test_a_test_in_which_nothing_was_judged_holds_no_group() -> None:
    assert of_group("passed", "passed", records=[]).state is GateState.NOT_DECIDED
    one = [record(PASSED, "t.py::t[c1]")]
    assert of_group("passed", "passed", records=one).says == "1/1 passed"


def test_a_test_that_names_metrics_and_a_suite_came_to_whichever_it_made() -> None:
    row = TestRow("t.py::x", "failed", ("f1",), "databricks", of_suite=("groundedness",))
    case = Assessment("databricks", PASSED, None, None, (), (), (), None, None, nodeid="t.py::x")
    for text, missing in (
        ("databricks.pass_rate >= 1", 0),
        ("groundedness.pass_rate >= 1", 0),
        ("f1.pass_rate >= 1", 1),
    ):
        made = decided(text, many(1, 0, 0), assessments=[case], tests=[row])
        assert ("1 not reached" in made.says) == bool(missing)


def test_a_test_with_nothing_to_judge_passes_and_is_not_counted() -> None:
    idle = [record(Outcome.NOT_APPLICABLE, "t.py::t[c1]"), record(PASSED, "t.py::t[c3]")]
    assert of_group("passed", "tolerated", "passed", records=idle).says == "1/2 passed"
    assert of_group("passed", "passed", "passed", records=idle).state is GateState.HELD
