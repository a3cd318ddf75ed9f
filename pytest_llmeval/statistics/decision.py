"""What a run's comparisons mean, all metrics taken together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ..errors import UsageError
from .comparison import Comparison
from .detectable import POWER, fewest
from .multiple import adjusted

LEVEL = 0.05
"""The share of false alarms that is put up with."""


class Change(StrEnum):
    """What became of a metric since the baseline."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    INCONCLUSIVE = "inconclusive"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Decision:
    """What is said of one metric.

    ``adjusted_p`` is the comparison's p-value with those of the other metrics in view, ``level``
    the one that this metric is held to where no other changed; of one that is in too few clusters
    to be told, with all metrics in view, as they would be if each had more. ``allowed`` is the drop
    that may be.
    """

    comparison: Comparison
    change: Change
    adjusted_p: float
    level: float
    allowed: float

    @property
    def needed(self) -> int:
        """How many independent clusters have to fall at least, so that a drop is found."""
        return fewest(self.level)

    @property
    def is_small(self) -> bool:
        """Whether too few clusters can fall for any drop to be found."""
        return self.comparison.differences.able < self.needed

    @property
    def is_blind(self) -> bool:
        """Whether no drop would be a regression, not even one of everything that can fall: for the
        few cases, or since pass rates have not as much to lose, for sure, as may be lost."""
        if self.is_small or not (self.allowed and self.comparison.outcomes):
            return self.is_small
        if self.change is Change.REGRESSED:
            return False
        fallen = _change(self.comparison.fallen(), True, self.allowed, self.level)
        return fallen is not Change.REGRESSED

    @cached_property
    def detectable(self) -> float | None:
        """The smallest drop that would have been found, told where the change is inconclusive.

        Found with probability ``POWER``, were this metric the only one that changed; None where no
        drop could have been, and of scores where nothing is known of their noise. On the scale of
        the difference, computed when first asked for.
        """
        if self.change is not Change.INCONCLUSIVE or self.is_blind:
            return None
        found = self.comparison.detectable(self.level, POWER)
        if found is None and self.comparison.outcomes:
            return self.comparison.baseline  # for sure where all fail, however few passed
        return found


def decide(
    comparisons: Sequence[Comparison],
    level: float = LEVEL,
    tolerance: float | Mapping[str, float] = 0.0,
) -> list[Decision]:
    """A decision on each of ``comparisons``, in their order.

    A metric is *regressed* or *improved* where its p-value, adjusted over all metrics by Benjamini
    and Hochberg, is at most ``level``; *unchanged* where no case differs; else *inconclusive*.
    One in so few clusters that nothing could be told of it alone is not among these metrics: it
    makes no false alarm, and so costs the others nothing. Source: P. B. Gilbert, "A modified false
    discovery rate multiple-comparisons procedure for discrete data", JRSS C 54 (2005).
    ``tolerance`` is a drop that may be, on the scale of the difference, for all metrics or by name:
    a regression is then told only where the whole interval of the difference is beyond it, and
    unchanged also where the whole interval is within it. The interval misses with probability
    ``level`` by the number of these metrics. Raises ``UsageError`` for a level outside (0, 1) and a
    tolerance below 0.
    """
    if not 0 < level < 1:
        raise UsageError(f"level: expected a probability between 0 and 1; got {level:g}")
    telling = [each for each in comparisons if each.clusters >= fewest(level)]
    ranked = iter(adjusted([each.p for each in telling]))
    decisions = []
    for comparison in comparisons:
        tells = comparison.clusters >= fewest(level)
        p = next(ranked) if tells else comparison.p
        each_level = level / len(telling if tells else comparisons)
        allowed = _allowed(comparison.metric, tolerance)
        change = _change(comparison, p <= level, allowed, each_level)
        decisions.append(Decision(comparison, change, p, each_level, allowed))
    return decisions


def _allowed(metric: str, tolerance: float | Mapping[str, float]) -> float:
    allowed = tolerance.get(metric, 0.0) if isinstance(tolerance, Mapping) else tolerance
    if not allowed >= 0:
        raise UsageError(f"tolerance of {metric}: expected 0 or more; got {allowed:g}")
    return allowed


def _change(comparison: Comparison, found: bool, allowed: float, level: float) -> Change:
    if comparison.n and not comparison.worse and not comparison.better:
        return Change.UNCHANGED
    if found and comparison.gain > 0:
        return Change.IMPROVED
    if not allowed:
        return Change.REGRESSED if found else Change.INCONCLUSIVE
    interval = comparison.interval(level)
    if interval is None:  # all alike, or too few to tell
        beyond = found and comparison.gain < -allowed
        return Change.REGRESSED if beyond else Change.INCONCLUSIVE
    least, most = interval if comparison.higher_is_better else (-interval[1], -interval[0])
    if found and most < -allowed:
        return Change.REGRESSED
    return Change.UNCHANGED if -allowed <= least and most <= allowed else Change.INCONCLUSIVE
