"""The part of the plugin that is there when evals run: records, outcomes, exit status."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from ..additions import additions_of
from ..data.cases import Case
from ..errors import CheckFailed, EvalError
from ..ledger import Unclaimed
from ..plan import plan_of
from ..raising import end_at_the_caller, was_asked_by_pytest
from ..session import Session
from ..trials import trial_of
from .ending import end_unable
from .raised import all_of, parts_of, tell_group
from .unjudged import error_behind, report_error
from .watching import watch
from .xdist_queue import queued

if TYPE_CHECKING:
    from .prefetch import Prefetch

Generated = Generator[None, Any, Any]
_TOLD = "llm_eval"


class EvalRun:
    """Hooks of a run with evals on. Records ride on the test reports, so that xdist carries them.

    ``report.llm_eval`` holds what a test's phase made, until it is logged;
    ``report.llm_eval_error`` is set where a call ended without a verdict, which pytest itself would
    count as a failure; ``report.llm_eval_says`` where nothing but our own words ended a phase.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self.config = config
        self.session = session
        self._known = config.pluginmanager.get_plugins()
        self._prefetch: Prefetch | None = None
        self._place: dict[pytest.Item, int] = {}

    def pytest_plugin_registered(self, plugin: object, manager: pytest.PytestPluginManager) -> None:
        """Take in what a conftest adds that pytest loads while it collects."""
        if plugin not in self._known:
            try:
                self.session.names.extend(additions_of(manager, only=plugin))
            except EvalError as error:
                raise pytest.Collector.CollectError(str(error)) from None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Get ready to ask ahead, where a test says what it will ask."""
        self._place = {item: place for place, item in enumerate(session.items)}
        plans = [plan for plan in map(plan_of, session.items) if plan is not None]
        if any(plan.metrics or plan.suite or plan.answer for plan in plans):
            self._prefetch = self._ahead()
        watch(self.config, self.session, sum(len(plan.metrics) for plan in plans))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Generated:
        self.session.plan = plan_of(item)
        self.session.notebook.trial = trial_of(item)
        if self._prefetch is not None:
            coming = self._coming(item, nextitem, self._prefetch.window)
            self._prefetch.advance(coming)
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.session.notebook.enter(item.nodeid, "setup")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self.session.notebook.enter(item.nodeid, "call")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        self.session.notebook.enter(item.nodeid, "teardown")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generated:
        call.duration = max(0.0, call.duration - self.session.take_overhead())
        raised = call.excinfo.value if call.excinfo is not None else None
        for each in parts_of(raised) if raised is not None else ():
            if isinstance(each, EvalError):
                end_at_the_caller(each)
        report = yield
        news = self.session.news(item.nodeid, call.when)
        if news is not None:
            report.llm_eval = news
        if call.excinfo is not None:
            from ..reports import plain

            plain.without_class_names(report)
            tell_group(report, call.excinfo.value)
            if all_of(call.excinfo.value, (CheckFailed, EvalError)):
                report.llm_eval_says = True
            if isinstance(raised, EvalError) and was_asked_by_pytest(raised):
                path, line, _ = item.location
                plain.without_way(report, path, (line or 0) + 1)
            error = error_behind(call.excinfo.value, item, report, news)
            if error is not None:
                report_error(error, item, report, self.session.settings.on_error)
        return report

    def case_for(self, request: pytest.FixtureRequest) -> Case:
        """The case of the test that ``request`` is for, answered where the marker says by whom."""
        if self._prefetch is None:
            self._prefetch = self._ahead()
        return self._prefetch.case_for(request)

    def _ahead(self) -> Prefetch:
        from .prefetch import Prefetch

        return Prefetch(self.session)

    def _coming(
        self, item: pytest.Item, nextitem: pytest.Item | None, most: int
    ) -> list[pytest.Item]:
        """``item`` and the next that are known to run in this process, ``most`` in all."""
        items = item.session.items
        if not hasattr(self.config, "workerinput"):
            place = self._place[item]
            return items[place : place + most]
        known = [item, nextitem, *(items[index] for index in queued(self.config))]
        return [each for each in known if each is not None]

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        if report.failed and hasattr(report, "llm_eval_error"):
            return "error", "E", "ERROR"
        return None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> Generated:
        """Take the records in; pytest keeps every report, so that they are not left there, too."""
        self.session.ledger.receive(report)
        if hasattr(report, "llm_eval_error"):
            from ..reports import junit

            junit.as_error(self.config, report)
        outcome = yield
        if hasattr(report, "llm_eval_says"):
            from ..reports import plain

            plain.summed_up(report)
        if hasattr(report, "llm_eval") and not hasattr(self.config, "workerinput"):
            del report.llm_eval
        return outcome

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generated:
        """End with exit status 4 where no judge was set, or a verdict damaged, also by a worker."""
        if self._prefetch is not None:
            self._prefetch.close()
        ledger = self.session.ledger
        ledger.unclaimed += self.session.unclaimed()
        # Of a test that an interrupt left without a report.
        left = self.session.news(*self.session.notebook.place)
        if hasattr(self.config, "workeroutput"):
            told = {"unclaimed": asdict(ledger.unclaimed), "left": left}
            self.config.workeroutput[_TOLD] = told
            return (yield)
        if left is not None:
            ledger.take(left, (self.session.notebook.place[0], ""), "interrupted")
        if ledger.lacked_a_judge or ledger.met_damage:
            end_unable(session)
        return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take in what a worker counted; one that crashed tells nothing."""
        if told := getattr(node, "workeroutput", {}).get(_TOLD):
            self.session.ledger.unclaimed += Unclaimed(**told["unclaimed"])
            if told["left"] is not None:
                self.session.ledger.take(told["left"], ("", node.gateway.id), "interrupted")
