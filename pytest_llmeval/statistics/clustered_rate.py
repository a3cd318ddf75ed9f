"""The interval of a pass rate where cases had trials, and are judged in several tests maybe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum, sqrt
from typing import NamedTuple, Self

from .intervals import Z_95, wilson
from .student import t_quantile

_UNSEEN = 5.0
"""How many clusters of which nothing is known are reckoned with, where a case may end after its
first trial, for each one by which the root of the number of clusters is above two: as many as
``benchmarks/trial_gates.py`` finds to be needed. For four or fewer Student's t does enough."""


class Cluster(NamedTuple):
    """Rates that hang together, those of one case: their ``total``, of how many, in [0, size].

    ``spread`` is the sum of one by the number of checks of each.
    """

    total: float
    size: int
    spread: float

    @classmethod
    def of(cls, rates: Iterable[tuple[float, int]]) -> Self:
        """The cluster of ``rates``, each with the number of checks that it is of."""
        rates = [*rates]
        return cls(
            fsum(rate for rate, _ in rates), len(rates), fsum(1 / count for _, count in rates)
        )


def clustered_wilson(
    clusters: Sequence[Cluster], soonest: int | None = None
) -> tuple[float, float]:
    """The 95 % interval of the mean of the rates in ``clusters``; ends in [0, 1].

    It is Wilson's, for as many independent checks as these are worth: as many as would give the
    variance that there is between clusters. That is no more than the checks that there are, and no
    less than where all of a cluster are alike; which is assumed where none or all passed and
    nothing shows it. Student's t stands for the normal quantile. Of fewer than two clusters nothing
    is known: (0, 1).

    Where cases may end early, after ``soonest`` trials at the fewest, some end far from their own
    rate, and these are rare: a run without any of them shows too little variance, and just then too
    high a rate. So the variance is taken to be that with some more clusters, of which nothing is
    known but that each passed or failed as a whole. They are the more the sooner a case may end,
    and grow as the root of the number of clusters, as the skew of their mean falls.

    Sources: E. L. Korn & B. I. Graubard, "Confidence intervals for proportions with small expected
    number of positive counts estimated from survey data", Survey Methodology 24 (1998); N. Dean &
    M. Pagano, "Evaluating confidence interval methods for binomial proportions in clustered
    surveys", Journal of Survey Statistics and Methodology 3 (2015).
    """
    if len(clusters) < 2:
        return 0.0, 1.0
    size = sum(each.size for each in clusters)
    rate = fsum(each.total for each in clusters) / size
    fewest = size**2 / sum(each.size**2 for each in clusters)
    most = size**2 / fsum(each.spread for each in clusters)
    worth = min(most, max(fewest, _worth(clusters, rate, size)))
    count = len(clusters)
    if soonest is not None:
        unseen = _UNSEEN * max(0.0, sqrt(count) - 2) / soonest
        worth = (count + unseen) / (count / worth + unseen / fewest)
    return wilson(rate * worth, worth, Z_95 * _reach(count))


def _worth(clusters: Sequence[Cluster], rate: float, size: int) -> float:
    """How many independent checks would give the variance that there is between ``clusters``."""
    if rate in (0.0, 1.0):
        return 0.0
    squares = fsum((each.total - each.size * rate) ** 2 for each in clusters)
    if not squares:
        return float("inf")
    return rate * (1 - rate) * size**2 * (len(clusters) - 1) / (len(clusters) * squares)


def _reach(count: int) -> float:
    """How much further t reaches than the normal distribution."""
    return t_quantile(0.975, count - 1) / Z_95
