"""Attendance: which tests ask judges, which of them ran, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from ..baselines.standing import file_of
from ..errors import EvalError
from ..plan import Plan, plan_of
from ..records.plain import plain
from ..records.tests import TestRow, TestState
from ..session import Session
from ..trials import case_test, trial_of
from .grouping import groups_in, names_of, tags_of
from .marker import is_marked
from .sharding import PLUGIN, Sharding

_TOLD = "llm_eval_tests"
_UNPLANNED = TestRow("")


class Attendance:
    """Hooks that keep a row for each test in ``session.ledger.tests``.

    Tests without a marker have one where such a test of their file checked something: the others of
    it may have been going to.

    In a worker of xdist they tell the controller what the worker collected, with its first report
    or, without one, at the end, for which a controller that stops does not wait, and the tests
    without a marker with the first of their file that checked; what became of the tests the
    controller sees from their reports.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._states: dict[str, TestState] = {}
        self._collected: dict[str, TestRow] = {}
        """Those that are known to be ours, by node id."""
        self._unmarked: dict[str, dict[str, tuple[pytest.Item, bool]]] = {}
        """By file and node id, until one of the file checks; with whether it was left out."""
        self._may_be_named = any(each.group.must_pass for each in session.groups)
        self._planned: dict[int, tuple[Plan, TestRow]] = {}
        self._in_worker = self._untold = hasattr(config, "workerinput")
        self.expected: frozenset[str] = frozenset()
        """Tests that are ours whether they are marked or not, without the number of a trial."""

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._take(items, unselected=True)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._take(session.items, unselected=False)

    def _take(self, items: Iterable[pytest.Item], unselected: bool) -> None:
        sharding: Sharding | None = self._config.pluginmanager.get_plugin(PLUGIN)
        elsewhere = sharding.others if sharding else ()
        for item in items:
            left_out = unselected and item.nodeid not in elsewhere
            if not (marked := is_marked(item)):
                fellows = self._unmarked.setdefault(file_of(item.nodeid), {})
                fellows[item.nodeid] = (item, left_out)
            if marked or case_test(item) in self.expected:
                self._collected[item.nodeid] = self._row(item, left_out)

    def _fellows(self, nodeid: str) -> list[TestRow]:
        """The tests without a marker in the file of ``nodeid``, if that is one; once for each."""
        file = file_of(nodeid)
        if nodeid not in self._unmarked.get(file, ()):
            return []
        fellows = self._unmarked.pop(file)
        others = fellows.keys() - self._collected.keys()
        return [self._row(*fellows[each], marked=False) for each in sorted(others)]

    def possible(self) -> list[TestRow]:
        """The tests that groups may hold: of those without a marker, where settings name groups."""
        rows = {**self._collected}
        for fellows in self._unmarked.values() if self._session.groups else ():
            for nodeid, (item, left_out) in fellows.items():
                rows.setdefault(nodeid, self._row(item, left_out, marked=False))
        return [*rows.values()]

    def _row(self, item: pytest.Item, unselected: bool, marked: bool = True) -> TestRow:
        """What the marker of ``item`` says that it will check; made once for each of many items."""
        tags = tags_of(item, self._session.groups)
        groups = groups_in(item, self._session.groups, tags)
        trial = trial_of(item)
        planned = self._plan(plan_of(item))
        return TestRow(
            item.nodeid,
            metrics=planned.metrics,
            suite=planned.suite,
            unselected=unselected,
            of_suite=planned.of_suite,
            groups=groups,
            names=names_of(item) if groups or self._may_be_named else (),
            trial=trial.number if trial else None,
            trials=trial.fixed if trial else None,
            tags=tags,
            marked=marked,
        )

    def _plan(self, plan: Plan | None) -> TestRow:
        """The row of any test with this ``plan``, but for what is the test's own."""
        if plan is None:
            return _UNPLANNED
        if id(plan) not in self._planned:
            suite, rows = self._suite(plan)
            planned = TestRow("", metrics=self._rows(plan), suite=suite, of_suite=rows)
            self._planned[id(plan)] = (plan, planned)
        return self._planned[id(plan)][1]

    def _rows(self, plan: Plan) -> tuple[str, ...]:
        rows: list[str] = []
        for each in plan.metrics:
            with suppress(EvalError):  # the test will meet it
                rows.append(self._session.names.planned(each).row)
        return tuple(rows)

    def _suite(self, plan: Plan) -> tuple[str | None, tuple[str, ...]]:
        """The suite that ``plan`` names, and the rows of its metrics."""
        if plan.suite is not None:
            with suppress(EvalError):  # the test will meet it
                suite = self._session.names.suites.called(plan.suite)
                wanted = self._session.names.suites.wanted(suite)
                return suite.name, tuple(each.metric.row for each in wanted)
        return None, ()

    def _told_with(self, report: Any) -> list[TestRow]:
        """What the controller is to know of this worker's tests with ``report``, if anything."""
        news = getattr(report, "llm_eval", None)
        checked = news and (news["records"] or news["assessments"])
        told = [*(self._collected.values() if self._untold else ())]
        self._untold = False
        return [*told, *(self._fellows(report.nodeid) if checked else ())]

    def _hear(self, told: Iterable[Mapping[str, Any]]) -> None:
        """Take in what a worker collected, which is what every worker did."""
        for values in told:
            row = TestRow.from_plain(values)
            self._collected.setdefault(row.nodeid, row)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if not self._in_worker:
            self._hear(report.__dict__.pop("llm_eval_tests", ()))
        elif told := self._told_with(report):
            report.llm_eval_tests = [*map(plain, told)]
        if report.outcome != "rerun":
            before = None if report.when == "setup" else self._states.get(report.nodeid)
            self._states[report.nodeid] = _state(report, before)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._hear(getattr(node, "workeroutput", {}).get(_TOLD, ()))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Any:
        told = getattr(self._config, "workeroutput", None)
        if told is None:
            self._close()
        elif self._untold:
            told[_TOLD] = [*map(plain, self._collected.values())]
        return (yield)

    def _close(self) -> None:
        """Put what was collected and what became of it together.

        A test without a marker is one of ours as soon as it recorded something.
        """
        ledger = self._session.ledger
        made = {each.nodeid: each for each in [*ledger, *ledger.assessments] if each.nodeid}
        tests = {row.nodeid: row for nodeid in made for row in self._fellows(nodeid)}
        tests |= self._collected
        for nodeid, one in made.items():
            row = TestRow(nodeid, trial=one.trial, trials=one.trials, marked=False)
            tests.setdefault(nodeid, row)
        for nodeid, row in tests.items():
            state = self._states.get(nodeid, "not_run")
            weighed = ledger.weights.get(nodeid, row.weighed)
            if (state, weighed) != (row.state, row.weighed):
                row = replace(row, state=state, weight=weighed.weighs, soonest=weighed.soonest)
            ledger.tests[nodeid] = row


def _state(report: Any, before: TestState | None) -> TestState:
    """What a test has come to with ``report``, which was ``before`` so far."""
    if hasattr(report, "llm_eval_tolerated"):
        return before if before in ("failed", "error") else "tolerated"  # if of a subtest
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed:
        judged = report.when == "call" and not hasattr(report, "llm_eval_error")
        return "failed" if judged else "error"
    if report.skipped:
        return "skipped"
    if report.when == "setup":
        return "not_run"  # until its call is reported: it may be left before its end
    return before if before and before != "not_run" else "passed"
