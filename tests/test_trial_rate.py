"""Trials over a run: pass@k, pass^k, and an interval that knows that trials hang together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.rates.pass_rate import metric_rows
from pytest_llmeval.rates.suite_rate import suite_rows
from pytest_llmeval.rates.trial_rate import TrialRow, trial_rows
from pytest_llmeval.records.assessment import Assessment
from pytest_llmeval.records.plain import plain
from pytest_llmeval.records.record import Record
from pytest_llmeval.reports.trials import trial_lines
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import YES_NO
from pytest_llmeval.statistics.clustered_rate import Cluster
from pytest_llmeval.statistics.clustered_rate import clustered_wilson as interval_of
from pytest_llmeval.statistics.intervals import wilson
from pytest_llmeval.trial import Trial
from pytest_llmeval.trial import test_of as name_without_trial

P, F, E, N = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.NOT_APPLICABLE
M = Outcome.MEASURED
Trials = dict[str, Sequence[Outcome | tuple[Outcome, ...]]]


def records(cases: Trials, trials: int, most: int = 0, test: str = "t.py::t") -> list[Record]:
    """The checks of each trial of each case, in order."""
    made = []
    for case, outcomes in cases.items():
        for number, outcome in enumerate(outcomes, start=1):
            for each in outcome if isinstance(outcome, tuple) else (outcome,):
                result = Result("correctness", each, YES_NO, None, case_id=case)
                trial = Trial(number, trials, most or trials)
                made.append(Record.of(result, f"{test}[{case}-trial{number}]", trial))
    return made


@pytest.mark.parametrize(
    ("cases", "trials", "expected"),
    [
        ({"a": [P, P, P], "b": [P, F, F]}, 3, TrialRow(2, 3, 3, 3, 0, 1.0, 0.5)),
        ({"a": [P, P, F, F]}, 4, TrialRow(1, 4, 4, 4, 0, 1.0, 0.0)),
        # A case with too few judged trials is left out, and counted.
        ({"a": [P, E, P], "b": [F, F, F]}, 3, TrialRow(2, 2, 3, 3, 1, 0.0, 0.0)),
        ({"a": [P, N], "b": [E, E]}, 2, TrialRow(2, 0, 1, 2, 2, None, None)),
        # Nor is a case there that had nothing to judge, or nothing that decides.
        ({"a": [P, F], "b": [N, N], "c": [M, M]}, 2, TrialRow(1, 2, 2, 2, 0, 1.0, 0.0)),
        # A trial passes where all of its checks do; one that failed is failed, error or not.
        ({"a": [(P, P), (P, F)], "b": [(F, E), (P, E)]}, 2, TrialRow(2, 1, 2, 2, 1, 1.0, 0.0)),
        # Those beyond the number that was set stop by what came before: they are in no estimate.
        ({"a": [F, F, P, P, P, P]}, 2, TrialRow(1, 6, 6, 2, 0, 0.0, 0.0)),
        ({"a": [P, P, P], "b": [F]}, 1, TrialRow(2, 1, 3, None, 0, None, None)),
    ],
)
def test_trials_come_to_pass_at_k_and_pass_hat_k(
    cases: Trials, trials: int, expected: TrialRow
) -> None:
    assert trial_rows("", records(cases, trials, most=9)) == (expected,)


def test_each_number_of_trials_that_was_set_has_estimates_over_its_own_cases() -> None:
    made = records({"a": [P, P, F, F], "b": [P, P, P, P]}, 4, test="t.py::u")
    made += records({"a": [P, F], "b": [P, E]}, 2) + records({"a": [P, P, F]}, 1, 9, "t.py::v")
    assert trial_rows("", made) == (
        TrialRow(2, 1, 2, 2, 1, 1.0, 0.0),
        TrialRow(2, 4, 4, 4, 0, 1.0, 0.5),
        TrialRow(1, 3, 3, None, 0, None, None),
    )
    (row,) = metric_rows(made)
    left_out = "(1 more had fewer than 2 judged)"
    assert [*trial_lines([row])][:3] == [
        f"correctness: pass@2 1.00 · pass^2 0.00 over 1 case × 2 trials {left_out}",
        "correctness: pass@4 1.00 · pass^4 0.50 over 2 cases × 4 trials",
        "correctness: 1 case × 3 trials",
    ]


def test_a_row_without_trials_is_as_ever() -> None:
    plain_ones = [Record.of(Result("m", P, YES_NO, None, case_id="a"), "t") for _ in range(3)]
    (row,) = metric_rows(plain_ones)
    assert row.trials == ()
    assert row.interval == wilson(3, 3)
    assert trial_rows("", records({"a": [M, M], "b": [N, N]}, 2)) == ()


def test_a_flaky_app_comes_to_what_its_chance_says() -> None:
    chance, rate = Random(11), 0.7
    cases: Trials = {
        f"c{n}": [P if chance.random() < rate else F for _ in "123"] for n in range(999)
    }
    (row,) = metric_rows(records(cases, 3))
    (trials,) = row.trials
    assert trials.pass_at_k == pytest.approx(1 - (1 - rate) ** 3, abs=0.02)
    assert trials.pass_hat_k == pytest.approx(rate**3, abs=0.03)


def test_trials_beyond_those_that_were_set_are_told_apart() -> None:
    (row,) = metric_rows(records({"a": [P, P, F, F], "b": [P, P, P]}, 2, 9))
    told = "pass@2 1.00 · pass^2 1.00 over 2 cases × 2 trials; in all 3–4 trials a case"
    assert next(iter(trial_lines([row]))) == f"correctness: {told}"


def test_cases_of_several_tests_are_of_one_input_only_where_they_ask_the_same() -> None:
    outcomes = ([P, P, P], [P, P, F], [P, F, F], [F, P, P], [P, F, P], [F, P, P])
    made = [records({"a": each}, 3, test=f"t.py::t{n}") for n, each in enumerate(outcomes)]

    def interval(asks: Callable[[int], str | None]) -> tuple[float, float]:
        every = [replace(r, question=asks(n)) for n, each in enumerate(made) for r in each]
        return metric_rows(every)[0].interval

    assert interval(lambda n: None) == interval(str)
    assert interval(lambda n: "q") == (0.0, 1.0)
    assert 0.2 < interval(str)[0] < interval(str)[1] < 1.0


def test_suites_have_trials_too() -> None:
    made = [
        Assessment("s", o, None, None, (), (), (), "a", None, nodeid="t", trial=n, trials=2)
        for n, o in enumerate([P, F], start=1)
    ]
    (row,) = suite_rows(made)
    assert row.trials == (TrialRow(1, 2, 2, 2, 0, 1.0, 0.0),)
    assert row.interval == (0.0, 1.0)
    assert Assessment.from_plain(plain(made[1])) == made[1]
    record = records({"a": [P, F]}, 2)[1]
    assert Record.from_plain(plain(record)) == record
    assert (record.trial, record.trials, record.test) == (2, 2, "t.py::t[a]")


CLUSTERS = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=2,
    max_size=30,
)


def clustered_wilson(cases: Iterable[tuple[int, int]]) -> tuple[float, float]:
    """The interval of cases, each given by passed and judged trials."""
    return interval_of([Cluster.of([(passed / judged, judged)]) for passed, judged in cases])


@given(CLUSTERS)
def test_the_interval_of_clusters_is_no_narrower_than_that_of_as_many_checks(
    clusters: list[tuple[int, int]],
) -> None:
    rate = sum(passed / size for passed, size in clusters) / len(clusters)
    worth = len(clusters) ** 2 / sum(1 / size for _, size in clusters)
    low, high = clustered_wilson(clusters)
    narrow = wilson(rate * worth, worth)
    assert 0 <= low <= narrow[0] + 1e-12
    assert narrow[1] - 1e-12 <= high <= 1
    turned = clustered_wilson([(size - some, size) for some, size in reversed(clusters)])
    assert turned == pytest.approx((1 - high, 1 - low))
    assert clustered_wilson([*clusters, *clusters])[1] <= high + 1e-12


@given(CLUSTERS, st.integers(1, 20))
def test_the_interval_is_wider_the_sooner_a_case_may_end(
    cases: list[tuple[int, int]], soonest: int
) -> None:
    clusters = [Cluster.of([(passed / judged, judged)]) for passed, judged in cases]
    low, high = interval_of(clusters)
    later, early = interval_of(clusters, soonest + 1), interval_of(clusters, soonest)
    assert early[0] <= later[0] + 1e-12 <= low + 2e-12
    assert high <= later[1] + 1e-12 <= early[1] + 2e-12
    alone = interval_of([cluster._replace(spread=cluster.size) for cluster in clusters])
    assert alone[0] <= early[0] + 1e-12  # never wider than that of one check of each case
    if len(clusters) <= 4:
        assert early == pytest.approx((low, high))


def test_trials_that_are_all_alike_say_no_more_than_one_of_each() -> None:
    once = [(1, 1)] * 8 + [(0, 1)] * 4
    assert clustered_wilson([(5 * passed, 5) for passed, _ in once]) == pytest.approx(
        clustered_wilson(once)
    )
    assert clustered_wilson([(3, 3)] * 9) == pytest.approx(clustered_wilson([(1, 1)] * 9))
    assert clustered_wilson([(3, 9)]) == clustered_wilson([]) == (0.0, 1.0)


def coverage(interval: object, count: int, runs: int = 400) -> float:
    """How often ``interval`` holds the mean of unlike cases that were tried three times."""
    assert callable(interval)
    chance, held = Random(count), 0
    for _ in range(runs):
        rates = [chance.betavariate(1.6, 0.4) for _ in range(count)]
        clusters = [(sum(chance.random() < rate for _ in range(3)), 3) for rate in rates]
        low, high = interval(clusters)
        held += low <= 0.8 <= high
    return held / runs


@pytest.mark.parametrize("count", [8, 30])
def test_the_interval_holds_the_truth_as_often_as_it_says(count: int) -> None:
    def naive(clusters: Iterable[tuple[int, int]]) -> tuple[float, float]:
        passed, judged = map(sum, zip(*clusters, strict=True))
        return wilson(passed, judged)

    slack = 3 * sqrt(0.05 * 0.95 / 400)
    assert coverage(clustered_wilson, count) >= 0.95 - slack
    assert coverage(naive, count) < 0.95 - slack  # as trials of a case hang together


@pytest.mark.parametrize(
    ("nodeid", "test"),
    [
        ("t.py::t[a-trial2]", "t.py::t[a]"),
        ("t.py::t[trial2]", "t.py::t"),
        ("t.py::t[trial2-trial2]", "t.py::t[trial2]"),
        ("t.py::t[trial2-1-3]", "t.py::t[1-3]"),
        ("t.py::t[a-trial2-1-3]", "t.py::t[a-1-3]"),
        ("t.py::t[a-trial22]", "t.py::t[a-trial22]"),
        ("t.py::t[a-trial2]@trials-0af3", "t.py::t[a]"),
        ("t.py::t[a-trial2]@mine", "t.py::t[a]@mine"),
    ],
)
def test_all_trials_of_a_test_have_one_name(nodeid: str, test: str) -> None:
    assert name_without_trial(nodeid, 2) == test
    assert name_without_trial(nodeid, None) == nodeid
