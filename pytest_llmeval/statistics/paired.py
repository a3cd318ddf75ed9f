"""One case in two runs, and what all of these say where each is one pass or fail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .detectable import POWER, detectable_flips
from .intervals import newcombe_paired
from .permutation import mcnemar


@dataclass(frozen=True, slots=True)
class Pair:
    """One case in the baseline and in the current run: what each of its trials gave.

    Values are scores, or True and False where a pass rule decides; a case that was run once has
    one. The runs may have different numbers of trials. ``group`` names what the case shares with
    others (a document, a conversation), so that they do not count as independent.
    """

    baseline: Sequence[float]
    current: Sequence[float]
    group: str | None = None


@dataclass(frozen=True, slots=True)
class PairedFlips:
    """Independent cases that passed or failed once in each run, counted by both outcomes."""

    both: int
    worse: int
    better: int
    neither: int

    @property
    def n(self) -> int:
        """The number of cases."""
        return self.both + self.worse + self.better + self.neither

    @property
    def clusters(self) -> int:
        """The number of cases: each is independent."""
        return self.n

    @property
    def able(self) -> int:
        """How many can fall: those that passed in the baseline."""
        return self.both + self.worse

    def fallen(self) -> PairedFlips:
        """The same, had all that passed failed, and nothing else changed."""
        return PairedFlips(0, self.able, 0, self.better + self.neither)

    def test(self, seed: int) -> tuple[str, float]:
        """The name of the deciding test, and its p-value; nothing in it is drawn."""
        return "exact McNemar", mcnemar(self.worse, self.better)

    def interval(self, level: float = 0.05) -> tuple[float, float] | None:
        """Newcombe's interval of the current rate less the baseline's; None without cases."""
        if self.n == 0:
            return None
        return newcombe_paired(self.both, self.worse, self.better, self.neither, level)

    def detectable(self, level: float = 0.05, power: float = POWER) -> float | None:
        """The smallest drop that would have been found; the flips seen are taken for noise."""
        if self.n == 0:
            return None
        noise = (self.worse + self.better) / (2 * self.n)
        return detectable_flips(self.n, (self.both + self.worse) / self.n, noise, level, power)
