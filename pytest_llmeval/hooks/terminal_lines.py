"""What a run prints of its own: a line at its beginning, and the summary at its end."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest

from ..session import Session


class TerminalLines:
    """Hooks that print the header and the summary."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def pytest_report_header(self) -> str:
        from ..reports import terminal

        return terminal.header(self._session.settings, self._session.judges.configured)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, Any, Any]:
        """Print the summary below pytest's own, which names each test that failed: what a run came
        to stands at its end, however many these are."""
        outcome = yield
        from ..reports import terminal
        from ..reports.gates import failing_lines

        terminalreporter.write_sep("=", "llm eval")
        show_all = self._session.settings.show == "all"
        session = self._session
        comparison = None
        if session.compared is not None:
            from ..reports.comparison import BaselineComparison

            comparison = BaselineComparison.of(session.compared)
        failing = {*failing_lines(session.gate_results, bool(os.environ.get("CI")))}
        for line in terminal.summary(session.ledger, show_all, session.gate_results, comparison):
            failed = line in failing
            terminalreporter.write_line(line, red=failed, bold=failed)
        return outcome
