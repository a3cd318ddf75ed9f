"""The part of the plugin that is there when evals run: records, outcomes, summary, exit status."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from unittest import TestCase

import pytest

from ..additions import additions_of
from ..data.cases import Case
from ..errors import CheckFailed, DamagedVerdicts, EvalError, NoJudge
from ..ledger import Unclaimed
from ..plan import plan_of
from ..raising import end_at_the_caller, was_asked_by_pytest
from ..results import Outcome
from ..session import Session
from ..trials import trial_of
from .ending import end_unable
from .xdist_queue import queued

if TYPE_CHECKING:
    from .prefetch import Prefetch

Generated = Generator[None, Any, Any]
_TOLD = "llm_eval"


class EvalRun:
    """Hooks of a run with evals on. Records ride on the test reports, so that xdist carries them.

    ``report.llm_eval`` holds what a test's phase made, until it is logged;
    ``report.llm_eval_error`` is set where a call ended without a verdict, which pytest itself would
    count as a failure.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self.config = config
        self.session = session
        self._known = config.pluginmanager.get_plugins()
        self._prefetch: Prefetch | None = None
        self._place: dict[pytest.Item, int] = {}
        self._scopes: dict[str, str] = {}
        self._started = time.monotonic()

    def pytest_plugin_registered(self, plugin: object, manager: pytest.PytestPluginManager) -> None:
        """Take in what a conftest adds that pytest loads while it collects."""
        if plugin not in self._known:
            try:
                self.session.extend(additions_of(manager, only=plugin))
            except EvalError as error:
                raise pytest.Collector.CollectError(str(error)) from None

    def pytest_report_header(self) -> str:
        from ..reports import terminal

        return terminal.header(self.session.settings, self.session.judges.configured)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Get ready to ask ahead, where a test says what it will ask."""
        self._place = {item: place for place, item in enumerate(session.items)}
        plans = [plan for plan in map(plan_of, session.items) if plan is not None]
        if any(plan.metrics or plan.suite or plan.answer for plan in plans):
            self._prefetch = self._ahead()
        self._watch(sum(len(plan.metrics) for plan in plans))

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """Note the scope of each fixture, since some may give an app for several tests."""
        self._scopes[fixturedef.argname] = fixturedef.scope

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Generated:
        self.session.plan = plan_of(item)
        self.session.trial = trial_of(item)
        if self._prefetch is not None:
            coming = self._coming(item, nextitem, self._prefetch.window)
            self._prefetch.advance(coming)
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.session.enter(item.nodeid, "setup")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        self.session.enter(item.nodeid, "call")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        self.session.enter(item.nodeid, "teardown")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generated:
        call.duration = max(0.0, call.duration - self.session.take_overhead())
        raised = call.excinfo.value if call.excinfo is not None else None
        if isinstance(raised, EvalError):
            end_at_the_caller(raised)
        report = yield
        news = self.session.news(item.nodeid, call.when)
        if news is not None:
            report.llm_eval = news
        if call.excinfo is not None:
            from ..reports import plain

            plain.without_class_names(report)
            if isinstance(raised, EvalError) and was_asked_by_pytest(raised):
                path, line, _ = item.location
                plain.without_way(report, path, (line or 0) + 1)
            error = (
                _error_in(call.excinfo.value)
                or _expected_by_unittest(item, report, news)
                or _absorbed_by_xfail(report, call.excinfo.value)
            )
            if error is not None:
                self._report_error(report, item, error)
        return report

    def case_for(self, request: pytest.FixtureRequest) -> Case:
        """The case of the test that ``request`` is for, answered where the marker says by whom."""
        if self._prefetch is None:
            self._prefetch = self._ahead()
        return self._prefetch.case_for(request)

    def _ahead(self) -> Prefetch:
        from .prefetch import Prefetch

        return Prefetch(self.session, self._scopes)

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

    def _watch(self, planned: int) -> None:
        reporter = self.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or self.config.get_verbosity() < 0:
            return
        writer = self.config.get_terminal_writer()
        live = bool(reporter.isatty)
        if live or os.environ.get("CI"):
            from ..reports import progress

            capture = self.config.pluginmanager.get_plugin("capturemanager")
            line = progress.LiveLine(
                writer._file,
                lambda: writer.width_of_current_line,
                live,
                capture.global_and_fixture_disabled if capture else nullcontext,
            )

            def tell() -> str:
                seconds = time.monotonic() - self._started
                return progress.state(self.session.engine.tally, planned, seconds)

            self.session.watch = lambda future: line.wait(future, tell)

    def _report_error(self, report: Any, item: pytest.Item, error: EvalError) -> None:
        """Report a check without a verdict as the settings say; xfail never absorbs it."""
        if hasattr(report, "wasxfail"):
            del report.wasxfail
        how = self.session.settings.on_error
        if how == "skip" and not isinstance(error, NoJudge | DamagedVerdicts):
            path, line, _ = item.location
            report.outcome = "skipped"
            report.longrepr = (path, (line or 0) + 1, f"Skipped: no verdict: {error}")
            return
        report.outcome = "failed"
        if how != "fail" and report.when == "call":
            report.llm_eval_error = type(error).__name__

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
        left = self.session.news(*self.session.place)
        if hasattr(self.config, "workeroutput"):
            told = {"unclaimed": asdict(ledger.unclaimed), "left": left}
            self.config.workeroutput[_TOLD] = told
            return (yield)
        if left is not None:
            ledger.take(left, (self.session.place[0], ""), "interrupted")
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

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generated:
        """Print the summary below pytest's own, which names each test that failed: what a run came
        to stands at its end, however many these are."""
        outcome = yield
        from ..reports import terminal
        from ..reports.gates import failing_lines

        terminalreporter.section("llm eval")
        show_all = self.session.settings.show == "all"
        session = self.session
        comparison = None
        if session.compared is not None:
            from ..reports.comparison import BaselineComparison

            comparison = BaselineComparison.of(session.compared)
        failing = {*failing_lines(session.gate_results, bool(os.environ.get("CI")))}
        for line in terminal.summary(session.ledger, show_all, session.gate_results, comparison):
            failed = line in failing
            terminalreporter.write_line(line, red=failed, bold=failed)
        return outcome


def _error_in(raised: BaseException) -> EvalError | None:
    """The check without a verdict that ended a test, also in a group of nothing but such."""
    if isinstance(raised, EvalError):
        return raised
    from doctest import UnexpectedException  # which brings a debugger

    inside: Iterable[BaseException] = ()
    if isinstance(raised, BaseExceptionGroup):
        inside = raised.exceptions
    elif isinstance(raised, UnexpectedException):
        inside = [raised.exc_info[1]]
    elif isinstance(failures := getattr(raised, "failures", None), list):  # of a doctest
        inside = failures
    found = [_error_in(each) for each in inside]
    return found[0] if found and None not in found else None


def _absorbed_by_xfail(report: Any, raised: BaseException) -> EvalError | None:
    """An error that is told beside failing checks, which ``xfail`` expected."""
    told = raised.errors if isinstance(raised, CheckFailed) else ()
    return told[0] if told and hasattr(report, "wasxfail") else None


def _expected_by_unittest(
    item: pytest.Item, report: Any, news: Mapping[str, Any] | None
) -> EvalError | None:
    """The error that unittest's ``expectedFailure`` took for one: it shows in the records only."""
    cls = getattr(item, "cls", None) or object
    if not (hasattr(report, "wasxfail") and issubclass(cls, TestCase) and news):
        return None
    rows = news["assessments"][-1]["errors"] if news["assessments"] else ()
    last = news["records"][-1:]
    of_suite = [record for record in news["records"] if record["metric"] in rows]
    for record in (*last, *reversed(of_suite)):
        if record["outcome"] == Outcome.ERROR:
            return EvalError(record["message"])
    return None
