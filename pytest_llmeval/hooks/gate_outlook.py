"""Gates that nothing will decide, for all that markers say: told before the tests run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest

from ..errors import EvalError
from ..gates.rule import Rule
from ..gates.siblings import did_you_mean, sibling
from ..metrics.base import Metric
from ..plan import Plan, plan_of
from ..session import Session
from .marker import is_marked


class GateOutlook:
    """The hook that tells of gates on what no marked test names, or names with no pass mark.

    Nothing is told as soon as one marked test does not say what it checks, since it may be that;
    nor under xdist, where the process that prints has collected nothing. A test may check more
    than its marker says, so that no more is told than what markers say.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        marked = [item for item in items if is_marked(item)]
        plans = {id(plan): plan for plan in map(plan_of, marked)}
        if not plans or any(plan is None or not _names_checks(plan) for plan in plans.values()):
            return []
        named = [each for plan in plans.values() if plan for each in self._named(plan)]
        suites = {plan.suite for plan in plans.values() if plan and plan.suite is not None}
        names = {each if isinstance(each, str) else each.name for each in suites}
        return [*self._lines(named, names)]

    def _named(self, plan: Plan) -> Iterator[Metric]:
        """What ``plan`` says that its tests check, held to the marks that they have."""
        for each in plan.metrics:
            with suppress(EvalError):  # the test will meet it
                metric = self._session.names.planned(each)
                marked = each.at_least is not None or each.at_most is not None
                set_for_all = self._session.names.thresholds.get(metric.measure)
                yield metric if marked else metric.held_to(set_for_all)
        if plan.suite is not None:
            with suppress(EvalError):
                suite = self._session.names.suites.called(plan.suite)
                yield from (each.metric for each in self._session.names.suites.wanted(suite))

    def _lines(self, named: Sequence[Metric], suites: set[str]) -> Iterator[str]:
        for rule in self._session.gates:
            found = [metric for metric in named if _is_of(rule, metric)]
            absent = rule.subject not in suites if rule.of == "suite" else not found
            rated = rule.of == "metric" and rule.statistic != "mean"
            what = f"gate {rule.name}: "
            if absent:
                what += f"no marker here names {rule.subject}{_meant(rule, named, suites)}"
                yield f"{what}; without a check of it the gate is not decided"
            elif rated and all(metric.threshold is None for metric in found):
                what += f"{rule.subject} has no pass mark, so that no score of it passes or fails"
                yield f"{what}; --llm-eval-threshold {rule.subject}=VALUE gives it one"


def _is_of(rule: Rule, metric: Metric) -> bool:
    return metric.row == rule.subject if rule.of == "metric" else metric.name == rule.metric


def _meant(rule: Rule, named: Sequence[Metric], suites: set[str]) -> str:
    """Which of what is ``named`` the ``rule`` may have been for."""
    if rule.of == "suite":
        return did_you_mean(sibling(rule, each, False) for each in sorted(suites))
    same = [each for each in named if each.name == rule.metric and rule.of == "metric"]
    return did_you_mean(sibling(rule, each.row, bool(each.scale.labels)) for each in same)


def _names_checks(plan: Plan) -> bool:
    return bool(plan.metrics) or plan.suite is not None
