"""The part of the plugin that is there when evals run: records, outcomes, summary, exit status."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from .errors import EvalError, NoJudge
from .reports import junit, plain, terminal
from .session import Session

Generated = Generator[None, Any, Any]


class EvalRun:
    """Hooks of a run with evals on. Records ride on the test reports, so that xdist carries them.

    ``report.llm_eval`` holds what a test's phase made; ``report.llm_eval_error`` is set where a
    call ended without a verdict, which pytest itself would count as a failure.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self.config = config
        self.session = session

    def pytest_report_header(self) -> str:
        return terminal.header(self.session.settings, self.session.judges.configured)

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
        report = yield
        if news := self.session.news(item.nodeid, call.when):
            report.llm_eval = news
        if call.excinfo is not None:
            plain.without_class_names(report)
            if (error := _error_in(call.excinfo.value)) is not None:
                self._report_error(report, item, error)
        return report

    def _report_error(self, report: Any, item: pytest.Item, error: EvalError) -> None:
        """Report a check without a verdict as the settings say; xfail never absorbs it."""
        if hasattr(report, "wasxfail"):
            del report.wasxfail
        how = self.session.settings.on_error
        if how == "skip" and not isinstance(error, NoJudge):
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

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        self.session.ledger.receive(report)
        if hasattr(report, "llm_eval_error"):
            junit.as_error(self.config, report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """End with exit status 4 where a judge was needed and none was set, also by a worker."""
        lacking = self.session.ledger.lacked_a_judge
        if lacking and exitstatus in (0, 1) and not hasattr(self.config, "workerinput"):
            session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("llm eval")
        for line in terminal.summary(self.session.ledger, self.session.settings.show == "all"):
            terminalreporter.write_line(line)


def _error_in(raised: BaseException) -> EvalError | None:
    """The check without a verdict that ended a test, also in a group of nothing but such."""
    if isinstance(raised, EvalError):
        return raised
    if isinstance(raised, BaseExceptionGroup):
        inner = [_error_in(each) for each in raised.exceptions]
        return None if None in inner else inner[0]
    return None
