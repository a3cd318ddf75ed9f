"""The smallest drop that a comparison would have found: what "could see 22 pts" means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import ceil, log2, sqrt

from .binomial import at_most, likely, probability
from .student import t_quantile

POWER = 0.8
"""How often a drop of the size told is found."""

_HALVINGS = 12
"""Enough for a fortieth of a point."""


@lru_cache(maxsize=1024)  # suites are alike from metric to metric
def detectable_flips(
    n: int, rate: float, noise: float, level: float = 0.05, power: float = POWER
) -> float | None:
    """The smallest drop of a pass rate that McNemar's exact test finds with ``power``.

    ``n`` cases are judged once in each run. ``rate`` of them pass in the first; where nothing
    changes, ``noise`` of all flip from fail to pass by chance, and as many back. A drop is taken
    to be one share, of whatever would pass, that fails now. ``level`` is the test's. The drop is a
    difference of rates, in (0, rate]; None where even losing every pass would not be found as
    often. Nothing is approximated: power is summed over the flips that may come.
    """
    rate = max(rate, noise)
    if rate == 0:
        return None

    def found(share: float) -> bool:
        better = noise * (1 - share)
        return _power(n, better + share * rate, better, level) >= power

    share = _least(found)
    return None if share is None else share * rate


def detectable_share(
    differences: Sequence[float],
    before: Sequence[float],
    sizes: Sequence[int],
    level: float = 0.05,
    power: float = POWER,
) -> float | None:
    """The smallest drop of a pass rate that a test by clusters finds with ``power``.

    ``before`` is how many cases of each cluster passed in the first run, by the mean of their
    trials, ``differences`` how many more in the second, ``sizes`` how many there are. A drop is
    taken to come by one share of the clusters, all of whose cases fail now; this pattern is the
    hardest to see. It is a difference of rates, in (0, 1]; None where no drop would be found as
    often. As of ``detectable_mean``, power is that of a t test, whose error is what is expected of
    these clusters with that share of them broken; and as many have to break, as often, as a test by
    signs needs of one sign to find anything.
    """
    clusters, rate, least = len(sizes), sum(before) / max(sum(sizes), 1), fewest(level)
    if clusters < least:
        return None
    reach = _reach(clusters - 1, level, power)
    noise = sum(each**2 for each in differences)
    broken = sum(each**2 for each in before)
    shared = sum(size * each for size, each in zip(sizes, before, strict=True))
    squares = sum(size**2 for size in sizes)

    def found(share: float) -> bool:
        drop = share * rate
        spread = noise * (1 - share) + share * (broken - 2 * drop * shared) + drop**2 * squares
        error = sqrt(max(spread, 0.0) * clusters / (clusters - 1)) / sum(sizes)
        enough = 1 - at_most(least - 1, clusters, share) >= power
        return enough and drop > 0 and drop >= reach * error

    share = _least(found)
    return None if share is None else share * rate


def detectable_mean(
    error: float, clusters: int, level: float = 0.05, power: float = POWER
) -> float | None:
    """The smallest drop of a mean score that a two-sided t test finds with ``power``.

    ``error`` is the standard error of the mean difference between ``clusters``; the drop is on the
    metric's scale, and taken to move all scores alike. None where nothing is known of the error,
    and where a test by signs could find nothing in so few clusters. Source: J. Cohen, Statistical
    Power Analysis for the Behavioral Sciences (1988), with quantiles of t for those of the normal.
    """
    if error == 0 or clusters < fewest(level):
        return None
    return _reach(clusters - 1, level, power) * error


def fewest(level: float) -> int:
    """How many differences, all of one sign, a two-sided test by signs needs at ``level``."""
    return ceil(1 - log2(level))


def _reach(freedom: int, level: float, power: float) -> float:
    """How many standard errors a drop has to measure."""
    return t_quantile(1 - level / 2, freedom) + t_quantile(power, freedom)


def _power(n: int, worse: float, better: float, level: float) -> float:
    """How often the test finds a drop, where cases flip with these probabilities."""
    flipping = min(1.0, worse + better)
    low, high = likely(n, flipping)
    return sum(
        probability(flips, n, flipping) * at_most(fewest, flips, better / flipping)
        for flips in range(low, high + 1)
        if (fewest := _most_better(flips, level)) is not None
    )


@cache
def _most_better(flips: int, level: float) -> int | None:
    """How many of ``flips`` may be for the better in what is found to be a drop, if any may."""
    low, high = -1, flips // 2
    while low < high:
        middle = (low + high + 1) // 2
        if 2 * at_most(middle, flips, 0.5) <= level:
            low = middle
        else:
            high = middle - 1
    return None if low < 0 else low


def _least(found: Callable[[float], bool]) -> float | None:
    """The least share that is ``found``; None where not even all is."""
    if not found(1.0):
        return None
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if found(middle):
            high = middle
        else:
            low = middle
    return high
