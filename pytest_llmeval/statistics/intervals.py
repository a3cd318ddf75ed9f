"""Intervals for pass rates and for the difference between two of them."""

from __future__ import annotations

from math import hypot, sqrt
from statistics import NormalDist

Z_95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


def wilson(passed: float, judged: float, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval for a rate of ``passed`` out of ``judged``, both ends in [0, 1].

    They are counts, or what clustered checks are worth in independent ones.
    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    JASA 22 (1927). Without observations nothing is known: (0, 1).
    """
    if judged == 0:
        return 0.0, 1.0
    rate = passed / judged
    spread = z * z / judged
    centre = rate + spread / 2
    half = z * sqrt(rate * (1 - rate) / judged + spread / (4 * judged))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    return (0.0 if passed == 0 else max(0.0, low)), (1.0 if passed == judged else min(1.0, high))


def z_of(level: float) -> float:
    """The normal quantile that leaves ``level`` outside, half of it on either side."""
    return NormalDist().inv_cdf(1 - level / 2)


def newcombe(
    first: tuple[int, int], second: tuple[int, int], level: float = 0.05
) -> tuple[float, float]:
    """The hybrid score interval for the second rate less the first, of independent groups.

    Each group is (passed, judged); ``level`` is what the interval misses, 0.05 for 95 %. Both ends
    are in [-1, 1]. Source: R. G. Newcombe, "Interval estimation for the difference between
    independent proportions: comparison of eleven methods", Statistics in Medicine 17 (1998) 873,
    method 10. Where one group is empty nothing is known: (-1, 1).
    """
    if not (first[1] and second[1]):
        return -1.0, 1.0
    difference = second[0] / second[1] - first[0] / first[1]
    below, above = _arms(first, level), _arms(second, level)
    low, high = hypot(above[0], below[1]), hypot(above[1], below[0])
    return max(-1.0, difference - low), min(1.0, difference + high)


def newcombe_paired(
    both: int, worse: int, better: int, neither: int, level: float = 0.05
) -> tuple[float, float]:
    """The score interval for the second rate less the first, of the same cases judged twice.

    Of the cases, ``both`` passed twice, ``worse`` passed first only, ``better`` second only and
    ``neither`` not once; ``level`` is what the interval misses. Both ends are in [-1, 1]. Source:
    R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions
    based on paired data", Statistics in Medicine 17 (1998) 2635, method 10, whose correlation is
    corrected for continuity. Without cases nothing is known: (-1, 1).
    """
    n = both + worse + better + neither
    if n == 0:
        return -1.0, 1.0
    phi = _correlation(both, worse, better, neither)
    below, above = _arms((both + worse, n), level), _arms((both + better, n), level)
    low = above[0] ** 2 - 2 * phi * above[0] * below[1] + below[1] ** 2
    high = above[1] ** 2 - 2 * phi * above[1] * below[0] + below[0] ** 2
    difference = (better - worse) / n
    return max(-1.0, difference - sqrt(low)), min(1.0, difference + sqrt(high))


def _arms(counts: tuple[int, int], level: float) -> tuple[float, float]:
    """How far Wilson's interval reaches below the rate, and above it."""
    low, high = wilson(*counts, z_of(level))
    rate = counts[0] / counts[1]
    return rate - low, high - rate


def _correlation(both: int, worse: int, better: int, neither: int) -> float:
    margins = (both + worse) * (better + neither) * (both + better) * (worse + neither)
    if margins == 0:
        return 0.0
    product = both * neither - worse * better
    corrected = max(product - (both + worse + better + neither) / 2, 0) if product > 0 else product
    return corrected / sqrt(margins)
