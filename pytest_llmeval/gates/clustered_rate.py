"""The interval of a pass rate where cases had trials, and are judged in several tests maybe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple, Self

from .statistics import Z_95, wilson
from .student import t_quantile


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


def clustered_wilson(clusters: Sequence[Cluster]) -> tuple[float, float]:
    """The 95 % interval of the mean of the rates in ``clusters``; ends in [0, 1].

    It is Wilson's, for as many independent checks as these are worth: as many as would give the
    variance that there is between clusters. That is no more than the checks that there are, and no
    less than where all of a cluster are alike; which is assumed where none or all passed and
    nothing shows it. Student's t stands for the normal quantile. Of fewer than two clusters nothing
    is known: (0, 1). Sources: E. L. Korn & B. I. Graubard, "Confidence intervals for proportions
    with small expected number of positive counts estimated from survey data", Survey Methodology 24
    (1998); N. Dean & M. Pagano, "Evaluating confidence interval methods for binomial proportions in
    clustered surveys", Journal of Survey Statistics and Methodology 3 (2015).
    """
    if len(clusters) < 2:
        return 0.0, 1.0
    size = sum(each.size for each in clusters)
    rate = fsum(each.total for each in clusters) / size
    fewest = size**2 / sum(each.size**2 for each in clusters)
    most = size**2 / fsum(each.spread for each in clusters)
    worth = min(most, max(fewest, _worth(clusters, rate, size)))
    return wilson(rate * worth, worth, Z_95 * _reach(len(clusters)))


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
