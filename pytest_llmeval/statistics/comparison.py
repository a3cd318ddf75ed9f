"""One metric in the baseline and in the current run: how far apart, and how surely."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import fsum

from ..errors import UsageError
from ..scales import LARGEST
from .clusters import ClusteredDifferences
from .detectable import POWER
from .paired import Pair, PairedFlips

SEED = 0
"""The seed of permutations: the same two runs are always told the same."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric over the cases that both runs judged.

    ``baseline`` and ``current`` are pass rates in [0, 1] where ``outcomes``, else mean scores; each
    case counts once, however many trials it had; None without cases. ``worse`` and ``better`` count
    the cases that changed. ``p`` is the two-sided p-value of ``test``, for this metric alone.
    """

    metric: str
    outcomes: bool
    higher_is_better: bool
    baseline: float | None
    current: float | None
    worse: int
    better: int
    test: str
    p: float
    differences: PairedFlips | ClusteredDifferences

    @property
    def n(self) -> int:
        """How many cases were compared."""
        return self.differences.n

    @property
    def clusters(self) -> int:
        """How many independent clusters these cases make."""
        return self.differences.clusters

    @property
    def difference(self) -> float | None:
        """Current less baseline; None without cases."""
        if self.baseline is None or self.current is None:
            return None
        return self.current - self.baseline

    @property
    def gain(self) -> float:
        """How much better the current run is, below 0 where it is worse; 0 without cases."""
        difference = self.difference or 0.0
        return difference if self.higher_is_better else -difference

    def fallen(self) -> Comparison:
        """The same pass rates, had all that passed failed, and nothing else changed."""
        lost = self.differences.fallen()
        _, p = lost.test(SEED)
        return replace(self, current=0.0, worse=lost.able, better=0, p=p, differences=lost)

    def interval(self, level: float = 0.05) -> tuple[float, float] | None:
        """The interval of ``difference`` that misses it with ``level``; None if it is unknown."""
        return self.differences.interval(level)

    def detectable(self, level: float = 0.05, power: float = POWER) -> float | None:
        """The smallest change for the worse that this comparison would have found.

        Positive, on the scale of ``difference``: found with probability ``power`` by a test at
        ``level``. None where no change could have been, or nothing is known of the noise.
        """
        return self.differences.detectable(level, power)


def compare(
    metric: str,
    pairs: Iterable[Pair],
    *,
    outcomes: bool,
    higher_is_better: bool = True,
    seed: int = SEED,
) -> Comparison:
    """``metric`` over ``pairs``, in whatever order they come.

    ``outcomes`` tells that the metric has a pass rule and values are True and False. Where each
    of these pairs is a cluster of its own with one trial in each run, McNemar's exact test
    decides; else a paired permutation test by clusters, which is the same on such data. Raises
    ``UsageError`` for a side without values, one that is not finite, and an outcome that is none.
    """
    pairs = list(pairs)
    for value in (
        each for pair in pairs for side in (pair.baseline, pair.current) for each in side
    ):
        if not abs(value) <= LARGEST or (outcomes and value not in (0, 1)):
            expected = "True or False" if outcomes else f"a finite score, up to {LARGEST:g},"
            raise UsageError(f"{metric}: expected {expected} of each trial; got {value!r}")
    if not all(pair.baseline and pair.current for pair in pairs):
        raise UsageError(f"{metric}: expected a trial of each case in both runs; got none of one")
    differences = _differences(pairs, outcomes)
    sides = [(_mean(pair.baseline), _mean(pair.current)) for pair in pairs]
    higher = sum(current > baseline for baseline, current in sides)
    lower = sum(current < baseline for baseline, current in sides)
    test, p = differences.test(seed)
    return Comparison(
        metric=metric,
        outcomes=outcomes,
        higher_is_better=outcomes or higher_is_better,
        baseline=_mean([baseline for baseline, _ in sides]) if sides else None,
        current=_mean([current for _, current in sides]) if sides else None,
        worse=lower if outcomes or higher_is_better else higher,
        better=higher if outcomes or higher_is_better else lower,
        test=test,
        p=p,
        differences=differences,
    )


def _differences(pairs: Sequence[Pair], outcomes: bool) -> PairedFlips | ClusteredDifferences:
    groups = [pair.group for pair in pairs if pair.group is not None]
    once = all(len(pair.baseline) == len(pair.current) == 1 for pair in pairs)
    if not (outcomes and once and len(groups) == len(set(groups))):
        return ClusteredDifferences.of(pairs, outcomes)
    told = [(bool(pair.baseline[0]), bool(pair.current[0])) for pair in pairs]
    return PairedFlips(*(told.count(each) for each in _FLIPS))


_FLIPS = ((True, True), (True, False), (False, True), (False, False))


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)
