"""Trials that stop as soon as they have decided: what they say of their case without bias."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from .trials import decided


def weights(came: Mapping[str, bool], target: float, fixed: int) -> dict[str, float]:
    """What each trial of one case weighs in its rates and means; they add up to how many there are.

    ``came`` tells of every trial whether it passed, those that were run in any case, ``fixed`` of
    them, and those that were run until it was decided on which side of ``target`` the case is. A
    case that stops early does so at an extreme of its own rate, so that the plain share of passes
    says too much. What passed is given the weight of ``unbiased_rate`` instead, and what failed
    the rest; within either, trials weigh alike. So every mean over the trials is without bias,
    that of another metric's scores too.
    """
    passed = sum(came.values())
    failed = len(came) - passed
    if not (passed and failed):
        return dict.fromkeys(came, 1.0)
    share = unbiased_rate(passed, failed, target, fixed)
    won, lost = len(came) * share / passed, len(came) * (1 - share) / failed
    return {trial: won if good else lost for trial, good in came.items()}


@cache
def soonest(target: float, fixed: int, most: int) -> int | None:
    """The fewest trials after which a case may be decided, of ``most``; None where all run anyhow.

    It is decided soonest where all trials pass, or none does. ``fixed`` of them are run in any
    case.
    """
    counts = range(max(1, fixed), most)
    return next(
        (
            n
            for n in counts
            if not _goes_on(n, 0, target, fixed) or not _goes_on(0, n, target, fixed)
        ),
        None,
    )


@cache
def unbiased_rate(passed: int, failed: int, target: float, fixed: int) -> float:
    """The pass rate of a case whose trials ended with so many passed and failed, in [0, 1].

    ``fixed`` trials were run in any case, more as long as ``decided`` did not tell. It is the
    probability that the first trial passed, of all the orders in which these results can have come
    without stopping before; where no order could have stopped, passed of all. Its mean over all
    ways that trials may end is the true rate. Source: M. A. Girshick, F. Mosteller & L. J. Savage,
    "Unbiased estimates for certain binomial sampling problems with applications" (1946).
    """
    # By how many failed so far: in how many orders the trials got there, and with a pass first.
    orders, first = [1] + [0] * failed, [0] * (failed + 1)
    for wins in range(passed + 1):
        for losses in range(failed + 1):
            if wins + losses == 0:
                continue
            ways = began = 0
            if wins and _goes_on(wins - 1, losses, target, fixed):
                ways += orders[losses]
                began += 1 if wins + losses == 1 else first[losses]
            if losses and _goes_on(wins, losses - 1, target, fixed):
                ways += orders[losses - 1]
                began += first[losses - 1]
            orders[losses], first[losses] = ways, began
    # No order is left where trials went on though they had decided: then nothing stopped them.
    return first[failed] / orders[failed] if orders[failed] else passed / (passed + failed)


@cache
def _goes_on(passed: int, failed: int, target: float, fixed: int) -> bool:
    """Whether another trial follows."""
    return passed + failed < fixed or decided(passed, failed, target) is None
