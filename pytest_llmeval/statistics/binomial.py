"""The binomial distribution: how many of a number of independent trials come out one way."""

from __future__ import annotations

from math import exp, lgamma, log, sqrt

_SPREAD = 8
"""Standard deviations beyond which counts are left out: less than 1e-15 of them all."""


def probability(count: int, trials: int, rate: float) -> float:
    """The probability of exactly ``count`` of ``trials``, each with probability ``rate``."""
    if rate in (0, 1):
        return float(count == trials * rate)
    ways = lgamma(trials + 1) - lgamma(count + 1) - lgamma(trials - count + 1)
    return exp(ways + count * log(rate) + (trials - count) * log(1 - rate))


def at_most(count: int, trials: int, rate: float) -> float:
    """The probability of ``count`` or fewer of ``trials``, in [0, 1]."""
    low, high = likely(trials, rate)
    if count >= high:
        return 1.0
    if rate == 1:
        return 0.0
    term, odds = probability(low, trials, rate), rate / (1 - rate)
    total = 0.0
    for each in range(low, count + 1):
        total += term
        term *= odds * (trials - each) / (each + 1)
    return min(1.0, total)


def likely(trials: int, rate: float) -> tuple[int, int]:
    """The lowest and the highest count that are worth adding up."""
    middle, reach = trials * rate, _SPREAD * sqrt(trials * rate * (1 - rate)) + _SPREAD
    return max(0, int(middle - reach)), min(trials, int(middle + reach) + 1)
