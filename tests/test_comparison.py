"""Two runs compared: what the numbers mean, and what is made of them over all metrics."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_llmeval.errors import UsageError
from pytest_llmeval.scales import FRACTION, LARGEST, Scale
from pytest_llmeval.statistics.comparison import Comparison, compare
from pytest_llmeval.statistics.decision import Change, decide
from pytest_llmeval.statistics.intervals import newcombe, newcombe_paired
from pytest_llmeval.statistics.paired import Pair
from pytest_llmeval.statistics.permutation import mcnemar

OUTCOMES = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
SCORES = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=14)
TRIALS = st.lists(st.booleans(), min_size=1, max_size=4)
PAIRS = st.lists(
    st.builds(Pair, TRIALS, TRIALS, st.sampled_from([None, "a", "b", "c"])), min_size=1, max_size=14
)


def flips(
    worse: int, better: int = 0, both: int = 0, neither: int = 0, metric: str = "groundedness"
) -> Comparison:
    """A comparison of so many cases that were judged once in each run."""
    return compare(metric, told(both, worse, better, neither), outcomes=True)


def told(both: int, worse: int, better: int, neither: int, trials: int = 1) -> list[Pair]:
    """Pairs of cases that were judged so often in each run, so many of each kind."""
    kinds = {(1, 1): both, (1, 0): worse, (0, 1): better, (0, 0): neither}
    found = [pair for pair, count in kinds.items() for _ in range(count)]
    return [Pair([old] * trials, [new] * trials) for old, new in found]


def scores(told: Sequence[tuple[float, float]], higher_is_better: bool = True) -> Comparison:
    pairs = [Pair([old], [new]) for old, new in told]
    return compare("f1", pairs, outcomes=False, higher_is_better=higher_is_better)


def change(comparison: Comparison, tolerance: float = 0.0) -> Change:
    [decision] = decide([comparison], tolerance=tolerance)
    return decision.change


def numbers(comparison: Comparison) -> list[float]:
    told = [comparison.baseline, comparison.current, comparison.p, comparison.detectable()]
    told += [comparison.worse, comparison.better, *(comparison.interval() or ())]
    return [math.nan if each is None else each for each in told]


@given(OUTCOMES)
def test_cases_judged_once_are_decided_by_mcnemars_test(told: list[tuple[bool, bool]]) -> None:
    comparison = compare("m", [Pair([old], [new]) for old, new in told], outcomes=True)
    worse, better = told.count((True, False)), told.count((False, True))
    assert (comparison.test, comparison.p) == ("exact McNemar", mcnemar(worse, better))
    assert (comparison.worse, comparison.better) == (worse, better)
    assert comparison.baseline == pytest.approx(sum(old for old, _ in told) / len(told))
    assert comparison.difference == pytest.approx((better - worse) / len(told))
    # Clusters of one case are no clusters; said of the same trial twice, it is the same test.
    alone = [Pair([old], [new], str(place)) for place, (old, new) in enumerate(told)]
    assert compare("m", alone, outcomes=True) == comparison
    twice = compare("m", [Pair([old] * 2, [new] * 2) for old, new in told], outcomes=True)
    assert twice.test == "exact permutation"
    assert twice.p == pytest.approx(comparison.p)


@settings(max_examples=50)
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_order_of_cases_does_not_matter_and_swapping_the_runs_turns_the_sign(
    pairs: list[Pair], random: Random
) -> None:
    comparison = compare("m", pairs, outcomes=True)
    shuffled = random.sample(pairs, len(pairs))
    again = compare("m", shuffled, outcomes=True)
    assert numbers(again) == pytest.approx(numbers(comparison), nan_ok=True)
    swapped = compare(
        "m", [Pair(each.current, each.baseline, each.group) for each in pairs], outcomes=True
    )
    assert swapped.difference == pytest.approx(-(comparison.difference or 0))
    assert (swapped.p, swapped.worse) == (comparison.p, comparison.better)
    low, high = comparison.interval() or (-1, 1)
    assert -1 <= low <= (comparison.difference or 0) + 1e-9
    assert (comparison.difference or 0) - 1e-9 <= high <= 1
    assert swapped.interval() is None or swapped.interval() == pytest.approx((-high, -low))


@given(SCORES)
def test_scores_have_students_interval_and_the_test_of_chance_signs(
    told: list[tuple[int, int]],
) -> None:
    comparison = scores(told)
    gained = [new - old for old, new in told]
    assert comparison.difference == pytest.approx(sum(gained) / len(gained))
    if len(set(gained)) > 1:
        oracle = stats.ttest_1samp(gained, 0).confidence_interval(0.95)
        assert comparison.interval() == pytest.approx((oracle.low, oracle.high), abs=1e-9)
    else:
        assert comparison.interval() is None
    lower = scores(told, higher_is_better=False)
    assert (lower.worse, lower.gain) == (comparison.better, -comparison.gain)


def test_a_case_counts_once_however_many_trials_it_had_in_either_run() -> None:
    pairs = [Pair([True] * 9 + [False], [True, False]), Pair([True], [True] * 3)]
    comparison = compare("m", pairs, outcomes=True)
    assert (comparison.n, comparison.baseline, comparison.current) == (2, 0.95, 0.75)
    assert (comparison.worse, comparison.better) == (1, 0)


def test_cases_of_one_group_are_one_observation() -> None:
    alone = compare("m", [Pair([True], [False]) for _ in range(12)], outcomes=True)
    grouped = compare("m", [Pair([True], [False], "a page") for _ in range(12)], outcomes=True)
    assert alone.p < 0.001
    assert (grouped.n, grouped.clusters, grouped.p) == (12, 1, 1.0)
    assert (grouped.interval(), grouped.detectable()) == (None, None)


def test_scores_as_large_as_they_may_be_are_compared() -> None:
    made = scores([(LARGEST, -LARGEST), (-LARGEST, LARGEST), *[(LARGEST, 0)] * 9])
    assert made.difference == pytest.approx(-9 * LARGEST / 11)
    assert all(math.isfinite(each) for each in (*(made.interval() or ()), made.detectable() or 0))
    assert FRACTION.holds(1)
    assert not Scale("euros", 0, math.inf).holds(1e300)


def test_scores_equal_in_decimals_are_found_equal() -> None:
    falling = [(0.7, 0.6), (0.8, 0.7), (0.3, 0.2), (0.2, 0.3)]
    assert scores(falling).p == pytest.approx(mcnemar(3, 1), abs=1e-12)


@pytest.mark.parametrize(
    ("comparison", "tolerance", "expected"),
    [
        (flips(6), 0, Change.REGRESSED),
        (flips(5), 0, Change.INCONCLUSIVE),
        (flips(0, 6), 0, Change.IMPROVED),
        (flips(0, both=3, neither=2), 0, Change.UNCHANGED),
        (flips(3, 3), 0, Change.INCONCLUSIVE),
        (flips(0), 0, Change.INCONCLUSIVE),  # nothing to compare
        (flips(20, 2, both=78), 0, Change.REGRESSED),
        (flips(20, 2, both=78), 0.02, Change.REGRESSED),
        (flips(20, 2, both=78), 0.15, Change.INCONCLUSIVE),
        (flips(20, 2, both=78), 0.3, Change.UNCHANGED),
        (flips(2, 20, both=78), 0.3, Change.IMPROVED),
        (scores([(5, 4)] * 6), 0, Change.REGRESSED),
        (scores([(5, 4)] * 6), 0.5, Change.REGRESSED),  # alike, so that there is no interval
        (scores([(5, 4)] * 6), 1, Change.INCONCLUSIVE),
        (scores([(1, 2)] * 6, higher_is_better=False), 0, Change.REGRESSED),
        (scores([(2, 1)] * 6, higher_is_better=False), 0, Change.IMPROVED),
        (scores([(1, 3), (1, 2)] * 6, higher_is_better=False), 0.5, Change.REGRESSED),
        (scores([(4, 4), (1, 1)]), 0, Change.UNCHANGED),
    ],
)
def test_a_change_is_told_by_test_direction_and_tolerance(
    comparison: Comparison, tolerance: float, expected: Change
) -> None:
    assert change(comparison, tolerance) is expected


def test_what_is_a_regression_alone_may_be_none_among_several_metrics() -> None:
    assert change(flips(6)) is Change.REGRESSED
    others = [flips(1, 1, both=8, metric=str(number)) for number in range(3)]
    first = decide([flips(6), *others])[0]
    assert (first.change, first.adjusted_p) == (Change.INCONCLUSIVE, 0.125)
    together = decide([flips(8, metric=str(number)) for number in range(4)])
    assert {each.change for each in together} == {Change.REGRESSED}
    by_name = decide([flips(20, 2, both=78), flips(20, 2, both=78, metric="b")], 0.05, {"b": 0.3})
    assert [each.change for each in by_name] == [Change.REGRESSED, Change.UNCHANGED]
    assert decide([]) == []


def test_only_what_is_open_tells_what_it_could_have_seen() -> None:
    regressed, inconclusive, small = decide(
        [flips(20, 2, both=78), flips(4, 3, both=93, metric="b"), flips(2, both=3, metric="c")]
    )
    assert regressed.detectable is None
    assert inconclusive.detectable == pytest.approx(0.14, abs=0.01)
    assert small.detectable is None  # five cases can't show anything


def test_a_metric_of_too_few_cases_to_tell_anything_costs_the_others_nothing() -> None:
    crowd = [flips(1, both=4, metric=f"m{number}") for number in range(9)]
    fallen, *others = decide([flips(6, both=4), *crowd])
    assert (fallen.change, fallen.adjusted_p) == (Change.REGRESSED, 0.03125)
    assert {each.change for each in others} == {Change.INCONCLUSIVE}
    assert (fallen.needed, {each.needed for each in others}) == (6, {9})  # if each had as many


@given(
    flips=st.lists(st.tuples(*[st.integers(0, 9)] * 4), min_size=1, max_size=9),
    tolerance=st.sampled_from([0, 0, 0.1, 0.5]),
    trials=st.sampled_from([1, 2]),
)
def test_a_drop_could_be_seen_wherever_all_that_passed_would_break_the_gate_and_nowhere_else(
    flips: list[tuple[int, int, int, int]], tolerance: float, trials: int
) -> None:
    def made(both: int, worse: int, better: int, neither: int) -> Comparison:
        return compare("m", told(both, worse, better, neither, trials), outcomes=True)

    seen = [made(*each) for each in flips if sum(each)]
    for place, decision in enumerate(decide(seen, tolerance=tolerance)):
        both, worse, better, neither = [each for each in flips if sum(each)][place]
        still = [made(0, 0, 0, each.n) for each in seen]
        still[place] = made(0, both + worse, 0, better + neither)
        fallen = decide(still, tolerance=tolerance)[place]
        assert decision.is_blind is (fallen.change is not Change.REGRESSED)
        assert not (decision.is_blind and decision.change is Change.REGRESSED)
        if decision.change is Change.INCONCLUSIVE:
            assert decision.is_blind is (decision.detectable is None)


def test_what_can_be_seen_gets_smaller_with_cases_and_larger_with_noise_and_strictness() -> None:
    few, many = flips(2, 2, both=46), flips(20, 20, both=460)
    quiet = flips(1, 1, both=48)
    seen = [each.detectable() or math.inf for each in (many, quiet, few)]
    assert seen == sorted(seen)
    assert len(set(seen)) == 3
    assert seen[2] < (few.detectable(level=0.01) or 0) < (few.detectable(0.01, power=0.95) or 0)
    steady = scores([(3, 3), (3, 4), (4, 3)] * 10).detectable() or 0
    assert steady < (scores([(1, 5), (5, 1), (3, 3)] * 10).detectable() or 0)
    assert scores([(3, 4), (4, 3)]).detectable() is None  # two signs show nothing
    assert flips(0, neither=9).detectable() is None  # there is nothing to lose
    trials = [Pair([True] * 3, [True, True, each % 2 == 0]) for each in range(20)]
    assert 0 < (compare("m", trials, outcomes=True).detectable() or 0) < 0.5


def test_groups_that_are_few_see_less_than_as_many_cases_alone() -> None:
    def seen(groups: int) -> float | None:
        told = [Pair([True], [place % 9 > 0], str(place % groups)) for place in range(72)]
        return compare("m", told, outcomes=True).detectable()

    assert seen(5) is None
    assert 1 > (seen(8) or 0) > (seen(24) or 0) > (flips(8, both=64).detectable() or 1)


@pytest.mark.parametrize(("trials", "group"), [(3, 1), (1, 4)])
def test_intervals_by_clusters_hold_the_true_difference_as_often_as_they_say(
    trials: int, group: int
) -> None:
    chance = Random(11)
    held = 0
    for _ in range(400):
        pairs, well = [], 0.0
        for number in range(60):
            if number % group == 0:
                well = chance.betavariate(4, 1)
            runs = [[chance.random() < rate for _ in range(trials)] for rate in (well, well * 0.75)]
            pairs.append(Pair(runs[0], runs[1], None if group == 1 else str(number // group)))
        low, high = compare("m", pairs, outcomes=True).interval() or (0, 0)
        held += low <= -0.2 <= high
    assert 0.92 <= held / 400 <= 0.98


def test_of_nothing_nothing_is_known() -> None:
    nothing = flips(0)
    assert (nothing.n, nothing.clusters, nothing.difference, nothing.p) == (0, 0, None, 1)
    assert (nothing.interval(), nothing.detectable(), nothing.gain) == (None, None, 0)
    assert newcombe((0, 0), (1, 2)) == newcombe_paired(0, 0, 0, 0) == (-1, 1)
    no_scores = scores([])
    assert (no_scores.n, no_scores.interval(), no_scores.detectable()) == (0, None, None)


def test_values_that_are_none_and_levels_off_their_scale_are_refused() -> None:
    no_outcome, no_score = "True or False", "a finite score"
    refused = [(True, 0.5, no_outcome), (False, math.nan, no_score), (False, 1e300, no_score)]
    for outcomes, value, expected in refused:
        with pytest.raises(
            UsageError, match=f"m: expected {expected}.*; got {re.escape(str(value))}"
        ):
            compare("m", [Pair([value], [1])], outcomes=outcomes)
    with pytest.raises(UsageError, match="m: expected a trial of each case in both runs"):
        compare("m", [Pair([], [1])], outcomes=False)
    with pytest.raises(UsageError, match="level: .* got 1"):
        decide([], level=1)
    with pytest.raises(UsageError, match="tolerance of groundedness: expected 0 or more; got -1"):
        decide([flips(1)], tolerance=-1)
