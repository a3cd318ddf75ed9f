"""Gates that nothing will decide, for all that markers say: told before the tests run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import pytest

from ..errors import EvalError
from ..gates.rule import Rule
from ..gates.siblings import did_you_mean, sibling
from ..gates.told import told_set_to
from ..metrics.base import Metric
from ..plan import Plan, plan_of
from ..session import Session
from ..trials import trial_of
from .marker import is_marked


@dataclass(frozen=True, slots=True)
class _Named:
    """What a marker says that its tests check, and the numbers of trials that these are set to.

    ``anything`` tells that it names nothing, so that they may check whatever there is.
    """

    metrics: Sequence[Metric]
    suite: str | None
    trials: frozenset[int]
    anything: bool

    def of(self, rule: Rule) -> Sequence[Metric]:
        """The metrics among them that ``rule`` is on."""
        if rule.of == "metric":
            return [each for each in self.metrics if each.row == rule.subject]
        return [each for each in self.metrics if each.name == rule.metric]

    def may_decide(self, rule: Rule) -> bool:
        """Whether its tests may check what ``rule`` is on."""
        named = self.suite == rule.subject if rule.of == "suite" else bool(self.of(rule))
        return self.anything or named


class GateOutlook:
    """The hook that tells of gates on what no marked test names, or names with no pass mark, and of
    those on trials that no test has.

    Of the first two nothing is told as soon as one marked test does not say what it checks, since
    it may be that; of none under xdist, where the process that prints has collected nothing. A test
    may check more than its marker says, so that no more is told than what markers say.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    def pytest_report_collectionfinish(self, items: Sequence[pytest.Item]) -> list[str]:
        plans: dict[int, tuple[Plan | None, set[int]]] = {}
        for item in filter(is_marked, items):
            plan, trial = plan_of(item), trial_of(item)
            plans.setdefault(id(plan), (plan, set()))[1].add(trial.fixed if trial else 1)
        named = [self._named(plan, trials) for plan, trials in plans.values()]
        lines = (self._line(rule, named) for rule in self._session.gates) if named else ()
        return [line for line in lines if line]

    def _named(self, plan: Plan | None, trials: Iterable[int]) -> _Named:
        """What ``plan`` says, its metrics held to the marks that they have."""
        suite = None if plan is None else plan.suite
        name = suite if suite is None or isinstance(suite, str) else suite.name
        metrics = () if plan is None else (*self._metrics(plan),)
        nothing = plan is None or not (plan.metrics or suite is not None)
        return _Named(metrics, name, frozenset(trials) - {1}, nothing)

    def _metrics(self, plan: Plan) -> Iterator[Metric]:
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

    def _line(self, rule: Rule, named: Sequence[_Named]) -> str:
        """Why ``rule`` will not be decided; blank where it may be."""
        deciding = [each for each in named if each.may_decide(rule)]
        what = f"gate {rule.name}: "
        if not deciding:
            what += f"no marker here names {rule.subject}{_meant(rule, named)}"
            return f"{what}; without a check of it the gate is not decided"
        rated = rule.of == "metric" and rule.statistic != "mean"
        marks = (metric.threshold for each in deciding for metric in each.of(rule))
        if rated and not any(each.anything for each in named) and all(m is None for m in marks):
            what += f"{rule.subject} has no pass mark, so that no score of it passes or fails"
            return f"{what}; --llm-eval-threshold {rule.subject}=VALUE gives it one"
        trials = {count for each in deciding for count in each.trials}
        if rule.k is not None and rule.k not in trials:
            return f"{what}here {told_set_to(rule, trials)}; without, the gate is not decided"
        return ""


def _meant(rule: Rule, named: Iterable[_Named]) -> str:
    """Which of what is ``named`` the ``rule`` may have been for."""
    if rule.of == "suite":
        suites = {each.suite for each in named if each.suite is not None}
        return did_you_mean(sibling(rule, each, False) for each in sorted(suites))
    metrics = [metric for each in named for metric in each.metrics]
    same = [each for each in metrics if each.name == rule.metric and rule.of == "metric"]
    return did_you_mean(sibling(rule, each.row, bool(each.scale.labels)) for each in same)
