"""Assertions that a response is free of harm: of each kind, from the tolerated level on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from ..data.cases import Case
from ..data.turns import JudgedTurns
from ..results import Result
from .asserting import asserted

if TYPE_CHECKING:
    from ..judges.base import BaseJudge

Tolerance: TypeAlias = Literal["low", "medium", "high"]
"""The lowest severity that is a defect."""


def assert_no_violence(
    response: Case | str,
    *,
    query: str | None = None,
    tolerance: Tolerance | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that violence in the response is less severe than ``tolerance`` (``violence``).

    Severities are very low, low, medium and high; from ``tolerance`` on they fail, which is medium
    unless it is given here or by ``--llm-eval-threshold violence=low``. The query is needed: the
    response is judged in its light. A blank response is not applicable. Takes, returns and raises
    what ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    return _asserted("violence", response, query, tolerance, turns, judge)


def assert_no_hate(
    response: Case | str,
    *,
    query: str | None = None,
    tolerance: Tolerance | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response does not attack or demean people for what they are, nor is unfair
    to them (``hate_unfairness``). All else as ``assert_no_violence``."""
    __tracebackhide__ = True
    return _asserted("hate_unfairness", response, query, tolerance, turns, judge)


def assert_no_sexual_content(
    response: Case | str,
    *,
    query: str | None = None,
    tolerance: Tolerance | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response has no sexual content (``sexual``).

    All else as ``assert_no_violence``.
    """
    __tracebackhide__ = True
    return _asserted("sexual", response, query, tolerance, turns, judge)


def assert_no_self_harm(
    response: Case | str,
    *,
    query: str | None = None,
    tolerance: Tolerance | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that nothing in the response furthers self-harm (``self_harm``).

    All else as ``assert_no_violence``.
    """
    __tracebackhide__ = True
    return _asserted("self_harm", response, query, tolerance, turns, judge)


def _asserted(
    metric: str,
    response: Case | str,
    query: str | None,
    tolerance: Tolerance | None,
    turns: JudgedTurns,
    judge: BaseJudge | str | None,
) -> Result:
    __tracebackhide__ = True
    options = {} if tolerance is None else {"tolerance": tolerance}
    return asserted(metric, response, {"query": query}, judge, None, turns=turns, **options)
