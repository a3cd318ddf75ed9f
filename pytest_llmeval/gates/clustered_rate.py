"""The interval of a pass rate where several checks are of one case: trials of an app, repeats."""

from __future__ import annotations

from collections.abc import Sequence

from .statistics import Z_95, wilson
from .student import t_quantile


def clustered_wilson(clusters: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The 95 % interval of the pass rate of ``clusters``, each (passed, judged); ends in [0, 1].

    It is Wilson's, for as many independent checks as these are worth: judged over the design
    effect, which is the variance of the rate between clusters by what it would be without them. It
    is taken to be no less than 1, nor more than where all checks of a cluster are alike; that is
    assumed where none or all passed and nothing shows it. Student's t stands for the normal
    quantile. Of fewer than two clusters nothing is known: (0, 1). Sources: E. L. Korn & B. I.
    Graubard, "Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data", Survey Methodology 24 (1998); N. Dean & M. Pagano, "Evaluating
    confidence interval methods for binomial proportions in clustered surveys", Journal of Survey
    Statistics and Methodology 3 (2015).
    """
    known = [(passed, judged) for passed, judged in clusters if judged]
    if len(known) < 2:
        return 0.0, 1.0
    judged = sum(size for _, size in known)
    rate = sum(passed for passed, _ in known) / judged
    fewest = judged**2 / sum(size**2 for _, size in known)
    worth = min(float(judged), max(fewest, _worth(known, rate)))
    return wilson(rate * worth, worth, Z_95 * _reach(len(known)))


def _worth(clusters: Sequence[tuple[int, int]], rate: float) -> float:
    """How many independent checks would give the variance that there is between ``clusters``."""
    squares = sum((passed - size * rate) ** 2 for passed, size in clusters)
    if rate in (0.0, 1.0):
        return 0.0
    if not squares:
        return float("inf")
    judged, count = sum(size for _, size in clusters), len(clusters)
    return rate * (1 - rate) * judged**2 * (count - 1) / (count * squares)


def _reach(count: int) -> float:
    """How much further t reaches than the normal distribution."""
    return t_quantile(0.975, count - 1) / Z_95
