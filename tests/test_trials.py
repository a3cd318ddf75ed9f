"""Trials: pass@k and pass^k as they are meant, and stopping when there were enough."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from pytest_llmeval.errors import UsageError
from pytest_llmeval.statistics.trials import decided, pass_at_k, pass_hat_k


@pytest.mark.parametrize(("rate", "k"), [*product([0.2, 0.5], [1, 2, 4])])
def test_pass_at_k_and_pass_hat_k_are_right_on_average(rate: float, k: int) -> None:
    trials = list(product([True, False], repeat=5))
    chances = [rate ** sum(each) * (1 - rate) ** (5 - sum(each)) for each in trials]
    at, hat = (
        sum(chance * of(sum(each), 5, k) for each, chance in zip(trials, chances, strict=True))
        for of in (pass_at_k, pass_hat_k)
    )
    assert at == pytest.approx(1 - (1 - rate) ** k)
    assert hat == pytest.approx(rate**k)


@given(st.integers(0, 40), st.integers(0, 40), st.sampled_from([0.1, 0.5, 0.9]))
def test_a_side_is_told_when_its_mean_likelihood_is_large_enough(
    passed: int, failed: int, target: float
) -> None:
    def likelihood(rate: float) -> float:
        return float((rate / target) ** passed * ((1 - rate) / (1 - target)) ** failed)

    above = quad(likelihood, target, 1)[0] / (1 - target)
    below = quad(likelihood, 0, target)[0] / target
    expected = "above" if above >= 20 else "below" if below >= 20 else None
    if min(abs(above - 20), abs(below - 20)) > 1e-6:
        assert decided(passed, failed, target, 0.05) == expected
    assert decided(failed, passed, 1 - target) == {"above": "below", "below": "above"}.get(
        str(expected)
    )


def test_asking_after_every_trial_errs_no_more_often_than_the_level() -> None:
    chance = Random(5)
    told = {"above": 0, "below": 0, "open": 0}
    for _ in range(400):
        passed = 0
        for trials in range(1, 101):
            passed += chance.random() < 0.8
            if said := decided(passed, trials - passed, 0.8, 0.1):
                break
        told[said or "open"] += 1
    assert max(told["above"], told["below"]) <= 0.1 * 400
    assert told["above"] + told["below"] > 8  # it is no test that never says anything


def test_trials_end_soon_where_the_rate_is_far_from_the_target() -> None:
    assert [decided(passed, 0, 0.5) for passed in (6, 7)] == [None, "above"]
    assert [decided(0, failed, 0.9) for failed in (1, 2)] == [None, "below"]
    assert decided(0, 0, 0.9) is None
    assert decided(3_000, 2_000, 0.9) == "below"
    assert decided(10**6, 10**3, 0.9) == "above"


def test_a_target_of_all_is_missed_by_one_failure_and_never_exceeded() -> None:
    assert decided(10**6, 0, 1) is None
    assert decided(10**6, 1, 1) == "below"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pass_at_k(1, 3, 4), "k: expected 1 to 3, the number of trials; got 4"),
        (lambda: pass_hat_k(1, 3, 0), "k: expected 1 to 3"),
        (lambda: pass_hat_k(4, 3, 1), "passed: expected 0 to 3, the number of trials; got 4"),
        (lambda: decided(1, 1, 0), "target: expected a rate above 0 and at most 1; got 0"),
        (lambda: decided(1, 1, 0.5, 1), "level: expected a probability between 0 and 1; got 1"),
    ],
)
def test_what_is_off_its_scale_is_refused(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(UsageError, match=message):
        call()
