"""Trials that stop early: what is said of their cases has no bias, by exact sums over all ways."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.statistics.clustered_rate import Cluster, clustered_wilson
from pytest_llmeval.statistics.stopped import soonest, unbiased_rate, weights
from pytest_llmeval.statistics.trials import decided

Way = tuple[tuple[bool, ...], float]


def ways(rate: float, target: float, fixed: int, most: int) -> Iterator[Way]:
    """All ways that the trials of a case may go, and how likely each is."""
    under_way: list[Way] = [((), 1.0)]
    while under_way:
        came, chance = under_way.pop()
        over = len(came) >= fixed and decided(sum(came), len(came) - sum(came), target)
        if len(came) == most or over:
            yield came, chance
        else:
            under_way += [((*came, True), chance * rate), ((*came, False), chance * (1 - rate))]


@pytest.mark.parametrize(
    ("target", "fixed", "most"), [(0.5, 1, 12), (0.8, 1, 10), (0.2, 1, 10), (0.9, 3, 10), (1, 1, 5)]
)
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.78])
def test_the_mean_over_all_ways_to_stop_is_the_true_rate(
    target: float, fixed: int, most: int, rate: float
) -> None:
    found = [*ways(rate, target, fixed, most)]
    plain = sum(chance * sum(came) / len(came) for came, chance in found)
    mean = sum(
        chance * unbiased_rate(sum(came), len(came) - sum(came), target, fixed)
        for came, chance in found
    )
    assert mean == pytest.approx(rate, abs=1e-12)
    assert abs(plain - rate) > 0.005 or any(rate == each for each in (0.1, 0.5))


@pytest.mark.parametrize(
    ("target", "fixed", "most", "count"),
    [
        (0.5, 1, 12, 7),
        (0.5, 9, 12, 9),
        (0.8, 1, 10, 3),
        (0.2, 2, 10, 3),
        (0.9, 1, 9, 2),
        (1, 1, 5, 1),
        *((0.5, 1, 7, None), (0.9, 3, 3, None), (0.9, 1, 1, None)),
    ],
)
def test_a_case_ends_soonest_where_its_trials_are_alike(
    target: float, fixed: int, most: int, count: int | None
) -> None:
    assert soonest(target, fixed, most) == count
    assert min(len(came) for came, _ in ways(0.5, target, fixed, most)) == (count or most)


@pytest.mark.parametrize(("target", "rate"), [(0.9, 0.8), (0.9, 0.7), (0.8, 0.7)])
def test_the_lower_end_is_too_high_no_more_often_than_it_says(target: float, rate: float) -> None:
    chance, runs, cases, most = Random(7), 400, 15, 20
    goes_on = cache(lambda passed, failed: decided(passed, failed, target) is None)

    def case() -> Cluster:
        passed = failed = 0
        while passed + failed < most and goes_on(passed, failed):
            won = chance.random() < rate
            passed, failed = passed + won, failed + (not won)
        return Cluster.of([(unbiased_rate(passed, failed, target, 1), passed + failed)])

    suites = [[case() for _ in range(cases)] for _ in range(runs)]
    nominal, slack = 0.025, 3 * sqrt(0.025 * 0.975 / runs)
    first = soonest(target, 1, most)
    assert sum(clustered_wilson(each, first)[0] > rate for each in suites) / runs <= nominal
    if target == 0.9:  # what the cases show alone is too little
        assert sum(clustered_wilson(each)[0] > rate for each in suites) / runs > nominal + slack


def test_another_metric_of_the_same_trials_has_no_bias_either() -> None:
    rate, scores = 0.6, {True: 0.9, False: 0.3}  # how often the other passes beside the first
    mean = 0.0
    for came, chance in ways(rate, 0.8, 1, 6):
        weighed = weights({str(n): each for n, each in enumerate(came)}, 0.8, 1)
        assert sum(weighed.values()) == pytest.approx(len(came))
        for other in product((False, True), repeat=len(came)):
            both = chance
            for first, second in zip(came, other, strict=True):
                both *= scores[first] if second else 1 - scores[first]
            parts = (
                weight * passed for weight, passed in zip(weighed.values(), other, strict=True)
            )
            mean += both * sum(parts) / len(came)
    assert mean == pytest.approx(0.6 * 0.9 + 0.4 * 0.3, abs=1e-12)


@given(st.integers(0, 30), st.integers(0, 30), st.sampled_from([0.3, 0.5, 0.9]))
def test_where_nothing_could_stop_the_trials_the_rate_is_passed_of_all(
    passed: int, failed: int, target: float
) -> None:
    if passed + failed:
        rate = unbiased_rate(passed, failed, target, passed + failed)
        assert rate == pytest.approx(passed / (passed + failed))
        assert 0 <= unbiased_rate(passed, failed, target, 1) <= 1


def test_trials_that_went_on_though_they_had_decided_weigh_alike() -> None:
    came = {str(n): n > 9 for n in range(20)}  # by 7 failures it was decided
    assert unbiased_rate(10, 10, 0.5, 20) == 0.5
    assert weights(came, 0.5, 20) == pytest.approx(dict.fromkeys(came, 1.0))
    assert weights({"a": True, "b": True}, 0.5, 1) == {"a": 1.0, "b": 1.0}
