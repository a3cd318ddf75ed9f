"""A rate: what of what was judged passed, by case, and its interval."""

from __future__ import annotations

from collections.abc import Iterable

from ..records.assessment import Assessment
from ..records.record import Record
from ..records.tests import Weight
from ..results import Outcome
from .case_values import CaseValues, Valued, Weights

JUDGED = (Outcome.PASSED, Outcome.FAILED)


class Rated:
    """What rows of metrics and of suites have in common: their rate is computed alike."""

    __slots__ = ()

    passes: CaseValues

    @property
    def rate(self) -> float | None:
        """The share that passed, in [0, 1]; None where nothing was judged.

        Of the checks; where cases had trials, the mean of the cases' shares.
        """
        return self.passes.mean()

    @property
    def interval(self) -> tuple[float, float]:
        """The rate's Wilson 95 % interval, by cases where these had trials."""
        return self.passes.interval()


def shares(
    made: Iterable[Record | Assessment],
    weights: Weights,
    counts: Outcome = Outcome.PASSED,
) -> Iterable[Valued]:
    """What each of ``made`` brings to the share of ``counts``: 1 or 0, None without a verdict.

    What is only measured, and what was not applicable, brings nothing.
    """
    for each in made:
        if each.outcome in JUDGED:
            yield valued(each, float(each.outcome is counts), weights)
        elif each.outcome is Outcome.ERROR:
            yield valued(each, None, weights)


def valued(made: Record | Assessment, value: float | None, weights: Weights) -> Valued:
    """``made`` with the ``value`` that it brings."""
    tried = made.trial is not None
    weight = weights.get(made.nodeid, Weight())
    shared = None if made.question is None else (made.case_id, made.question)
    return Valued(made.test, made.case_id, value, weight, tried, shared)
