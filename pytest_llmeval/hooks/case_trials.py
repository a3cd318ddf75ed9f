"""Trials of tests that are collected: a test of its own for each run of the app."""

from __future__ import annotations

import pytest

from ..plan import plans_of
from ..trials import ARGNAME, Trials, said_of, target_of


def try_several(metafunc: pytest.Metafunc, by_default: int) -> None:
    """Make a test of each trial of the function that ``metafunc`` is about.

    ``llm_cases`` says how many, else the closest ``llm_eval`` that does, else ``by_default``. One
    trial changes nothing. Raises ``UsageError`` for what is no number of trials, and for a target
    that can't be.
    """
    trials = _trials(metafunc.definition) or Trials(by_default, by_default)
    if trials.most > trials.fixed:
        target_of(metafunc.definition)
    if trials.most > 1:
        if ARGNAME not in metafunc.fixturenames:
            metafunc.fixturenames.append(ARGNAME)
        names = [f"trial{each.number}" for each in trials.each()]
        metafunc.parametrize(ARGNAME, trials.each(), ids=names, indirect=True)


def _trials(node: pytest.Item) -> Trials | None:
    of_cases = (plan.trials for plan in plans_of(node) if plan.trials is not None)
    return next(of_cases, None) or said_of(node)
