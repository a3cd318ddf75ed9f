"""The part of the plugin that is there when a run file is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from .files import write_whole
from .reports.run import Extent
from .reports.run_made import run_of
from .session import Session

DESELECTED = "llm_eval_deselected"


class RunRecording:
    """Hooks that follow how much of the suite is run, and write the file at the end.

    In a worker of xdist they only tell the controller how many tests were deselected there.
    """

    def __init__(self, config: pytest.Config, session: Session, path: Path) -> None:
        self.config = config
        self.session = session
        self.path = path
        self._started = datetime.now(UTC)
        self._deselected = 0
        self._ran: set[str] = set()
        self._collection_errors: set[str] = set()
        self._interrupt: str | None = None

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._deselected += len(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._collection_errors.add(report.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._ran.add(report.nodeid)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self._interrupt = str(excinfo.value) or excinfo.typename

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = getattr(node, "workeroutput", {}).get(DESELECTED, 0)
        self._deselected = max(self._deselected, told)  # every worker collects the same tests

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the file; what keeps it from being written fails a run that did not fail yet."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[DESELECTED] = self._deselected
            return
        try:
            write_whole(self.path, self._run(session).text())
        except (OSError, ValueError) as error:
            what = getattr(error, "strerror", None) or error
            notice = f"the run file {self.path} could not be written: {what}; choose another path"
            self.session.ledger.notices[notice] = None
            if session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.USAGE_ERROR

    def _run(self, session: pytest.Session) -> Any:
        return run_of(
            self.session.ledger,
            self.session.settings,
            self.session.judges,
            extent=self._extent(session),
            started=self._started,
            finished=datetime.now(UTC),
            exit_status=int(session.exitstatus),
            root=self.config.rootpath,
        )

    def _extent(self, session: pytest.Session) -> Extent:
        stopped = self._interrupt or session.shouldfail or session.shouldstop or None
        whole = stopped is None and len(self._ran) == session.testscollected
        return Extent(
            complete=whole and not self._deselected and not self._collection_errors,
            collected=session.testscollected + self._deselected,
            deselected=self._deselected,
            ran=len(self._ran),
            collection_errors=len(self._collection_errors),
            stopped=None if stopped is None else str(stopped),
        )
