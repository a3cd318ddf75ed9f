"""Trials of one case: what several runs of an app say of it, and when there were enough."""

from __future__ import annotations

from math import comb
from typing import Literal

from ..errors import UsageError
from .binomial import at_most, probability


def pass_at_k(passed: int, trials: int, k: int) -> float:
    """The probability that at least one of ``k`` trials passes, in [0, 1], without bias.

    ``passed`` of ``trials`` did. Raises ``UsageError`` where there are fewer trials than ``k``.
    Source: M. Chen et al., "Evaluating large language models trained on code" (2021).
    """
    _check(passed, trials, k)
    return 1 - comb(trials - passed, k) / comb(trials, k)


def pass_hat_k(passed: int, trials: int, k: int) -> float:
    """The probability that all of ``k`` trials pass (pass^k), in [0, 1], without bias.

    ``passed`` of ``trials`` did. Raises ``UsageError`` where there are fewer trials than ``k``.
    Source: S. Yao et al., "τ-bench: a benchmark for tool-agent-user interaction" (2024).
    """
    _check(passed, trials, k)
    return comb(passed, k) / comb(trials, k)


def _check(passed: int, trials: int, k: int) -> None:
    if not 1 <= k <= trials:
        raise UsageError(f"k: expected 1 to {trials}, the number of trials; got {k}")
    if not 0 <= passed <= trials:
        raise UsageError(f"passed: expected 0 to {trials}, the number of trials; got {passed}")


def decided(
    passed: int, failed: int, target: float, level: float = 0.05
) -> Literal["above", "below"] | None:
    """On which side of ``target`` the pass rate lies, or None as long as that is open.

    It may be asked after every trial: the probability that it ever says "above" of a rate that
    is ``target`` or less, or "below" of one that is ``target`` or more, is at most ``level``.
    Trials are taken to be independent. A target of 1 is missed by the first failure and never
    exceeded. Raises ``UsageError`` for a target outside (0, 1] and a level outside (0, 1).

    For either side it is a likelihood ratio against ``target``, averaged evenly over the rates of
    that side, and said when that reaches 1 / ``level``. Sources: H. Robbins, "Statistical methods
    related to the law of the iterated logarithm" (1970) for the mixture; J. Ville, "Étude critique
    de la notion de collectif" (1939) for the bound.
    """
    if not 0 < target <= 1:
        raise UsageError(f"target: expected a rate above 0 and at most 1; got {target:g}")
    if not 0 < level < 1:
        raise UsageError(f"level: expected a probability between 0 and 1; got {level:g}")
    if target == 1:
        return "below" if failed else None
    trials = passed + failed
    seen = (trials + 1) * probability(passed, trials, target)
    # By parts, the integral of the likelihood over one side is a tail of one trial more.
    if passed > target * trials:
        reached = level * at_most(passed, trials + 1, target) >= seen * (1 - target)
        return "above" if reached else None
    reached = level * at_most(failed, trials + 1, 1 - target) >= seen * target
    return "below" if reached else None
