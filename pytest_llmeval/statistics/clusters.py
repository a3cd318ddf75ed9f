"""What differences between two runs say where cases come in clusters, or have many values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lcm, sqrt

from .detectable import POWER, detectable_mean, detectable_share
from .paired import Pair
from .permutation import DRAWS, sign_flip
from .student import t_quantile

_GRAIN = 10**9
"""Scores count in billionths, as whole numbers: sums that are equal are then found equal."""


@dataclass(frozen=True, slots=True)
class ClusteredDifferences:
    """The differences of the cases, current less baseline, summed by cluster.

    A case's difference is that of the means of its trials, so that each case counts once however
    often it was run. ``before`` are the sums of the baseline; they and ``sums`` are whole numbers
    of ``unit``. ``sizes`` count the cases of each cluster. ``outcomes`` tells pass and fail.
    """

    sums: tuple[int, ...]
    before: tuple[int, ...]
    sizes: tuple[int, ...]
    unit: int
    outcomes: bool

    @classmethod
    def of(cls, pairs: Sequence[Pair], outcomes: bool) -> ClusteredDifferences:
        """The differences of ``pairs``; a pair without a group is a cluster of its own."""
        trials = lcm(*(len(side) for pair in pairs for side in (pair.baseline, pair.current)))
        clusters: dict[tuple[str | None, int], list[tuple[int, int]]] = {}
        for place, pair in enumerate(pairs):
            name = (None, place) if pair.group is None else (pair.group, 0)
            before, after = _total(pair.baseline, trials), _total(pair.current, trials)
            clusters.setdefault(name, []).append((after - before, before))
        totals = [tuple(map(sum, zip(*cluster, strict=True))) for cluster in clusters.values()]
        return cls(
            sums=tuple(difference for difference, _ in totals),
            before=tuple(before for _, before in totals),
            sizes=tuple(map(len, clusters.values())),
            unit=_GRAIN * trials,
            outcomes=outcomes,
        )

    @property
    def n(self) -> int:
        """The number of cases."""
        return sum(self.sizes)

    @property
    def clusters(self) -> int:
        """The number of clusters, which are independent of each other."""
        return len(self.sums)

    @property
    def able(self) -> int:
        """How many clusters can fall: those in which something passed, or that have scores."""
        return sum(1 for before in self.before if before > 0) if self.outcomes else self.clusters

    def fallen(self) -> ClusteredDifferences:
        """The same, had all that passed failed, and nothing else changed."""
        return replace(self, sums=tuple(-each for each in self.before))

    def test(self, seed: int) -> tuple[str, float]:
        """The name of the deciding test, and its p-value; ``seed`` is of what it may draw."""
        p, exact = sign_flip(self.sums, seed)
        return ("exact permutation" if exact else f"permutation ({DRAWS:,} draws)"), p

    def interval(self, level: float = 0.05) -> tuple[float, float] | None:
        """Student's t interval of the mean difference, by clusters; within [-1, 1] for rates.

        None where the spread is unknown: with fewer than two clusters, or all alike.
        """
        error = self._error()
        if error == 0:
            return None
        mean = sum(self.sums) / (self.unit * self.n)
        reach = t_quantile(1 - level / 2, self.clusters - 1) * error
        most = 1.0 if self.outcomes else float("inf")
        return max(-most, mean - reach), min(most, mean + reach)

    def detectable(self, level: float = 0.05, power: float = POWER) -> float | None:
        """The smallest drop, as a positive number, that would have been found."""
        if not self.outcomes:
            return detectable_mean(self._error(), self.clusters, level, power)
        centre = sum(self.sums) / max(self.n, 1)
        noise = [
            (total - size * centre) / self.unit
            for total, size in zip(self.sums, self.sizes, strict=True)
        ]
        before = [total / self.unit for total in self.before]
        return detectable_share(noise, before, self.sizes, level, power)

    def _error(self) -> float:
        """The standard error of the mean difference of a case, robust to clusters; 0 if unknown.

        Source: K.-Y. Liang & S. L. Zeger, "Longitudinal data analysis using generalized linear
        models" (1986), with the factor G / (G - 1) for G clusters.
        """
        if self.clusters < 2:
            return 0.0
        mean = sum(self.sums) / self.n
        squares = sum(
            ((total - size * mean) / self.unit) ** 2
            for total, size in zip(self.sums, self.sizes, strict=True)
        )
        return sqrt(squares * self.clusters / (self.clusters - 1)) / self.n


def _total(values: Sequence[float], trials: int) -> int:
    """The mean of ``values`` in billionths, times ``trials``, which their number divides."""
    return sum(round(value * _GRAIN) for value in values) * (trials // len(values))
