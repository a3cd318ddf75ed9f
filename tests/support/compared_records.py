"""Records of checks for comparisons with a baseline, and what these come to."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from pytest_llmeval import Case
from pytest_llmeval.baselines.gate import FailOn, baseline_gate
from pytest_llmeval.baselines.rows import rows_of
from pytest_llmeval.baselines.standing import Roll
from pytest_llmeval.baselines.versus import Versus, versus
from pytest_llmeval.records.record import Record
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import FRACTION, ONE_TO_FIVE, Scale, Threshold

FOUR = Threshold("at_least", 4)
F1: dict[str, Any] = {"metric": "f1", "scale": FRACTION, "rule": None, "judge": None}
EUROS: dict[str, Any] = {
    "metric": "price",
    "scale": Scale("euros", 0, math.inf, higher_is_better=False),
    "rule": None,
    "judge": None,
}
HERE = Roll({}, frozenset({"test_a.py"}))


def check(
    case: str | None,
    score: float | None,
    *,
    test: str = "test_a.py::test_it",
    metric: str = "fluency",
    rule: Threshold | None = FOUR,
    scale: Scale = ONE_TO_FIVE,
    error: bool = False,
    group: str | None = None,
    asks: str | None = "",
    **more: Any,
) -> Record:
    """The record of one check; a score of None is that of a blank response.

    What it ``asks`` is told by the case if nothing else is given.
    """
    query = f"What of {case}?" if asks == "" and case is not None else asks
    passed = score is not None and (rule is None or rule.holds(score))
    outcome = Outcome.PASSED if passed else Outcome.FAILED
    if rule is None and score is not None:
        outcome = Outcome.MEASURED
    result = Result(
        metric,
        Outcome.ERROR if error else outcome,
        scale,
        rule,
        graded=None if error else score,
        reason=f"{case} gets {score}",
        judge=more.pop("judge", "j"),
        case_id=f"{test}:{metric}:1" if case is None else case,
        case=Case(query=query, response=f"{case}", group=group),
        **more,
    )
    return Record.of(result, f"{test}[{case}]" if case is not None else test)


def against(
    before: Iterable[Record], now: Iterable[Record], roll: Roll = HERE, **tolerance: float
) -> Versus:
    return versus(rows_of(before), now, roll, tolerance)


def many(scores: Iterable[float | None], **more: Any) -> list[Record]:
    return [check(f"c{number}", score, **more) for number, score in enumerate(scores)]


def state(found: Versus, fail_on: FailOn = "regression") -> str:
    return baseline_gate(found, fail_on).state.value
