"""Attendance: which tests ask judges, which of them ran, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from .errors import EvalError
from .gates.baseline import without_trial
from .metrics.pass_rules import threshold_of
from .plan import Plan, plan_of
from .records import TestRow, TestState, plain
from .session import Session

_TOLD = "llm_eval_tests"


class Attendance:
    """Hooks that keep a row for each test in ``session.ledger.tests``.

    In a worker of xdist they tell the controller at the end what the worker collected; what became
    of the tests the controller sees from their reports.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._states: dict[str, TestState] = {}
        self._collected: dict[str, TestRow] = {}
        self._planned: dict[int, tuple[Plan, tuple[str, ...], str | None]] = {}
        self.expected: frozenset[str] = frozenset()
        """Tests that are ours whether they are marked or not, without the number of a trial."""

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._take(items, unselected=True)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._take(session.items, unselected=False)

    def _take(self, items: Iterable[pytest.Item], unselected: bool) -> None:
        for item in items:
            if self._is_ours(item):
                row = self._row(item)
                self._collected[item.nodeid] = replace(row, unselected=unselected)

    def _is_ours(self, item: pytest.Item) -> bool:
        marked = item.get_closest_marker("llm_eval") or item.get_closest_marker("llm_cases")
        return marked is not None or without_trial(item.nodeid)[0] in self.expected

    def _row(self, item: pytest.Item) -> TestRow:
        """What the marker of ``item`` says that it will check."""
        plan = plan_of(item)
        if plan is None:
            return TestRow(item.nodeid)
        if id(plan) not in self._planned:
            self._planned[id(plan)] = (plan, self._rows(plan), self._suite(plan))
        _, rows, suite = self._planned[id(plan)]
        return TestRow(item.nodeid, metrics=rows, suite=suite)

    def _rows(self, plan: Plan) -> tuple[str, ...]:
        rows: list[str] = []
        for each in plan.metrics:
            with suppress(EvalError):  # the test will meet it
                rule = threshold_of(each.at_least, each.at_most)
                metric = self._session.metric(each.metric).with_options(each.options)
                rows.append(metric.held_to(rule).row)
        return tuple(rows)

    def _suite(self, plan: Plan) -> str | None:
        with suppress(EvalError):  # the test will meet it
            return None if plan.suite is None else self._session.suites.called(plan.suite).name
        return None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.outcome != "rerun":
            before = None if report.when == "setup" else self._states.get(report.nodeid)
            self._states[report.nodeid] = _state(report, before)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take in what a worker collected, which is what every worker did."""
        for values in getattr(node, "workeroutput", {}).get(_TOLD, ()):
            row = TestRow.from_plain(values)
            self._collected.setdefault(row.nodeid, row)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_TOLD] = [plain(row) for row in self._collected.values()]
        else:
            self._close()
        return (yield)

    def _close(self) -> None:
        """Put what was collected and what became of it together.

        A test without a marker is one of ours as soon as it recorded something.
        """
        tests = {**self._collected}
        for record in self._session.ledger:
            tests.setdefault(record.nodeid, TestRow(record.nodeid))
        for nodeid, row in tests.items():
            state = self._states.get(nodeid, "not_run")
            self._session.ledger.tests[nodeid] = replace(row, state=state)


def _state(report: Any, before: TestState | None) -> TestState:
    """What a test has come to with ``report``, which was ``before`` so far."""
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed:
        judged = report.when == "call" and not hasattr(report, "llm_eval_error")
        return "failed" if judged else "error"
    if report.skipped:
        return "skipped"
    return before or "passed"
