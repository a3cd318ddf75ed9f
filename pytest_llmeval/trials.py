"""Trials as markers ask for them: how often a test is run, and which run of it an item is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest

from .errors import UsageError
from .trial import TOGETHER, Trial, test_of

ARGNAME = "llm_trial"
"""The fixture whose parameter tells the trials of a test apart."""

ARGUMENTS = ("trials", "max_trials")
"""Of both markers, ``llm_cases`` and ``llm_eval``."""

TARGET = 0.5
"""The pass rate that trials are to tell on which side they are, where the marker names none."""


@dataclass(frozen=True)
class Trials:
    """How often a test runs: ``fixed`` times, and then until it is decided, ``most`` in all."""

    fixed: int = 1
    most: int = 1

    def each(self) -> list[Trial]:
        """Every trial in order."""
        return [Trial(number, self.fixed, self.most) for number in range(1, self.most + 1)]


def trials_in(given: Mapping[str, Any]) -> Trials | None:
    """What ``trials=`` and ``max_trials=`` say among the arguments of a marker; None for neither.

    Raises ``UsageError`` for what is no number of trials.
    """
    found = {name: given[name] for name in ARGUMENTS if given.get(name) is not None}
    for name, count in found.items():
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise UsageError(f"{name}= is how many runs of the app, 1 or more; got {count!r}")
    if not found:
        return None
    fixed = found.get("trials", 1)
    most = found.get("max_trials", fixed)
    if most < fixed:
        raise UsageError(f"max_trials= is no less than trials=, which is {fixed}; got {most}")
    return Trials(fixed, most)


def said_of(node: pytest.Item) -> Trials | None:
    """What the ``llm_eval`` closest to ``node`` says that speaks of trials; None where none does.

    Raises ``UsageError`` as ``trials_in`` does.
    """
    found = (trials_in(marker.kwargs) for marker in node.iter_markers("llm_eval"))
    return next((trials for trials in found if trials is not None), None)


def target_of(node: pytest.Item) -> float:
    """The pass rate on one side of which ``max_trials`` are to find ``node``: its marker's, or 0.5.

    Raises ``UsageError`` for one outside (0, 1].
    """
    marked = (marker.kwargs.get("min_pass_rate") for marker in node.iter_markers("llm_eval"))
    target = next((rate for rate in marked if rate is not None), TARGET)
    if isinstance(target, bool) or not isinstance(target, int | float) or not 0 < target <= 1:
        raise UsageError(f"max_trials: min_pass_rate is above 0 and at most 1; got {target!r}")
    return float(target)


def trial_of(item: pytest.Item) -> Trial | None:
    """Which trial ``item`` is; None where its test has one only."""
    spec = getattr(item, "callspec", None)
    trial = spec.params.get(ARGNAME) if spec is not None else None
    return trial if isinstance(trial, Trial) else None


def case_test(item: pytest.Item) -> str:
    """The node id of ``item`` without its trial: one for all trials of a case."""
    trial = trial_of(item)
    return test_of(item.nodeid, trial.number if trial else None)


def kept_together(item: pytest.Item) -> str | None:
    """The name of the group whose items have to know of each other; None for an item alone."""
    trial = trial_of(item)
    if trial is None or trial.most == trial.fixed:
        return None
    return TOGETHER + sha256(case_test(item).encode()).hexdigest()[:12]
