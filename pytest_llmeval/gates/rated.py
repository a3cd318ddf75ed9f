"""A rate: how many of what was judged passed, and its interval."""

from __future__ import annotations

from .clustered_rate import clustered_wilson
from .statistics import wilson
from .trial_rate import TrialRow


class Rated:
    """What rows of metrics and of suites have in common: their rate is computed alike."""

    __slots__ = ()

    passed: int
    judged: int
    trials: TrialRow | None
    cases: tuple[tuple[int, int], ...]

    @property
    def rate(self) -> float | None:
        """Passed of judged, in [0, 1]; None where nothing was judged."""
        return self.passed / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float]:
        """The rate's Wilson 95 % interval, by cases where these had trials."""
        return clustered_wilson(self.cases) if self.trials else wilson(self.passed, self.judged)
