"""The statistics of gates agree with scipy, statsmodels and published examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from pytest_llmeval.statistics.binomial import at_most, probability
from pytest_llmeval.statistics.detectable import detectable_flips
from pytest_llmeval.statistics.intervals import newcombe, newcombe_paired, wilson, z_of
from pytest_llmeval.statistics.multiple import adjusted
from pytest_llmeval.statistics.permutation import DRAWS, mcnemar, sign_flip
from pytest_llmeval.statistics.student import t_quantile
from pytest_llmeval.statistics.trials import pass_at_k, pass_hat_k

COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVELS = st.sampled_from([0.2, 0.1, 0.05, 0.01])
RATES = st.floats(0.01, 0.99)
PINNED = 5577
"""How many of the signs drawn with this seed reach as far, the observed ones among them."""


@given(COUNTS, COUNTS, LEVELS)
def test_intervals_of_rates_are_wilsons_and_newcombes(
    first: tuple[int, int], second: tuple[int, int], level: float
) -> None:
    oracle = proportion_confint(*first, alpha=level, method="wilson")
    assert wilson(*first, z_of(level)) == pytest.approx(oracle, abs=1e-9)
    oracle = confint_proportions_2indep(*second, *first, "newcomb", alpha=level)
    assert newcombe(first, second, level) == pytest.approx(oracle, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "interval"),
    [
        ((36, 12, 2, 0), (0.0569, 0.3404)),
        ((18, 12, 2, 18), (0.0562, 0.3290)),
        ((53, 0, 0, 1), (-0.0729, 0.0729)),
        ((0, 30, 0, 0), (0.8395, 1.0)),
    ],
)
def test_the_interval_of_a_paired_difference_is_the_one_that_newcombe_published(
    table: tuple[int, int, int, int], interval: tuple[float, float]
) -> None:
    low, high = newcombe_paired(*table)  # his difference is the first rate less the second
    assert (-high, -low) == pytest.approx(interval, abs=5e-5)


@given(st.integers(0, 120), st.integers(0, 120))
def test_mcnemars_test_is_the_exact_one(worse: int, better: int) -> None:
    oracle = their_mcnemar([[3, worse], [better, 5]], exact=True).pvalue
    assert mcnemar(worse, better) == pytest.approx(oracle, abs=1e-9)
    if worse + better:
        oracle = stats.binomtest(worse, worse + better).pvalue
        assert mcnemar(worse, better) == pytest.approx(oracle, abs=1e-9)
    signs = [-1] * worse + [1] * better
    p, exact = sign_flip(signs, seed=0)
    assert exact
    assert p == pytest.approx(mcnemar(worse, better), abs=1e-12)


def permuted(differences: Sequence[int]) -> float:
    """What scipy says of these differences, going through all signs."""
    result: Any = stats.permutation_test(
        (differences,), sum_of, permutation_type="samples", n_resamples=2**12, vectorized=True
    )
    return float(result.pvalue)


def sum_of(values: Any, axis: int) -> Any:
    return values.sum(axis=axis)


@settings(max_examples=40)
@given(st.lists(st.integers(-50, 50), min_size=2, max_size=10))
def test_a_permutation_test_that_goes_through_all_signs_is_exact(differences: list[int]) -> None:
    p, exact = sign_flip(differences, seed=0)
    assert exact
    assert p == pytest.approx(permuted(differences), abs=1e-9)


def test_drawn_signs_come_close_to_all_signs_and_are_the_same_everywhere() -> None:
    differences = [(-1) ** (place % 3) * (1000 + 7 * place**3) for place in range(20)]
    p, exact = sign_flip(differences, seed=1)
    assert not exact
    sums = np.zeros(1)
    for each in differences:
        sums = np.concatenate([sums - each, sums + each])
    assert p == pytest.approx(np.mean(abs(sums) >= abs(sum(differences))), abs=0.015)
    assert p * (1 + DRAWS) == pytest.approx(PINNED)
    assert sign_flip(differences[::-1], seed=1) == (p, False)
    drops = [-abs(each) for each in differences * 3]
    assert sign_flip(drops, seed=1)[0] == 1 / (1 + DRAWS)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_p_values_are_adjusted_as_benjamini_and_hochberg_do(p_values: list[float]) -> None:
    oracle = multipletests(p_values, method="fdr_bh")[1]
    assert adjusted(p_values) == pytest.approx(list(oracle), abs=1e-9)


@given(st.integers(1, 2000), st.floats(0.001, 0.999))
def test_quantiles_of_t_are_students(freedom: int, probability: float) -> None:
    oracle = stats.t.ppf(probability, freedom)
    assert t_quantile(probability, freedom) == pytest.approx(oracle, rel=1e-9, abs=1e-9)


@given(COUNTS, RATES)
def test_binomial_probabilities_are_scipys(counts: tuple[int, int], rate: float) -> None:
    assert probability(*counts, rate) == pytest.approx(stats.binom.pmf(*counts, rate), abs=1e-9)
    assert at_most(*counts, rate) == pytest.approx(stats.binom.cdf(*counts, rate), abs=1e-9)


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(*[st.integers(1, n)] * 2, st.just(n))))
def test_pass_at_k_and_pass_hat_k_are_shares_of_the_ways_to_take_k_trials(
    counts: tuple[int, int, int],
) -> None:
    passed, k, trials = counts
    oracle = stats.hypergeom(trials, passed, k)
    assert pass_at_k(passed, trials, k) == pytest.approx(1 - oracle.pmf(0), abs=1e-9)
    assert pass_hat_k(passed, trials, k) == pytest.approx(oracle.pmf(k), abs=1e-9)
    assert pass_at_k(trials, trials, k) == pass_hat_k(trials, trials, k) == 1


@settings(max_examples=25)
@given(
    st.integers(6, 60),
    st.floats(0.5, 1),
    st.just(0.0) | st.floats(1e-9, 0.2),  # scipy overflows where it is as good as none
    st.sampled_from([0.05, 0.01]),
)
def test_the_drop_that_could_be_seen_is_where_mcnemars_test_reaches_its_power(
    n: int, rate: float, noise: float, level: float
) -> None:
    drop = detectable_flips(n, rate, noise, level)

    def power(share: float) -> float:
        better = noise * (1 - share)
        worse = better + share * rate
        return sum(
            float(stats.binom.pmf(flips, n, worse + better))
            * float(stats.binom.pmf(ups, flips, better / (worse + better)))
            for flips in range(n + 1)
            for ups in range((flips + 1) // 2)
            if mcnemar(flips - ups, ups) <= level
        )

    if drop is None:
        assert power(1) < 0.8
    else:
        assert power(drop / rate) >= 0.8 - 1e-9
        assert power(drop / rate - 0.001) < 0.8


@given(st.integers(1, 60))
def test_the_more_one_sided_the_flips_the_smaller_the_p_value(flips: int) -> None:
    p_values = [mcnemar(worse, flips - worse) for worse in range(flips // 2 + 1)]
    assert p_values == sorted(p_values)
    assert all(0 < p <= 1 for p in p_values)
