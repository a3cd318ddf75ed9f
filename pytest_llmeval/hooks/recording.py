"""The part of the plugin that is there when a run is written down, as a file or a summary."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ..files import write_whole
from ..reports.digests import digest_of
from ..reports.extent import Extent
from ..reports.run import Run
from ..reports.run_made import run_of
from ..session import Session
from .ending import leave
from .gating import names_single_tests
from .sharding import PLUGIN, Sharding

_TOLD = "llm_eval_collection"


class RunRecording:
    """Hooks that follow how much of the suite is run, and write the file at ``path`` at the end.

    In a worker of xdist they only tell the controller what was collected there.
    """

    def __init__(self, config: pytest.Config, session: Session, path: Path | None) -> None:
        self.config = config
        self.session = session
        self.path = path
        self.left: dict[Path, None] = {}
        """The files that were written, also by others."""
        self._started = datetime.now(UTC)
        self._left_out = 0
        self._collected: str | None = None
        self._ran: set[str] = set()
        self._collection_errors: set[str] = set()
        self._interrupt: str | None = None
        self._made: Run | None = None
        self._named = names_single_tests(config)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        found = [*items]
        yield
        # Only now, since xdist may add a test's group to its node id, as reports then have it.
        self._collected = digest_of(item.nodeid for item in found)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._left_out += len(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._collection_errors.add(report.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._ran.add(report.nodeid)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self._interrupt = str(excinfo.value) or excinfo.typename

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        if told := getattr(node, "workeroutput", {}).get(_TOLD):
            left_out, collected = told  # every worker collects the same tests, if it comes to it
            self._left_out = max(self._left_out, left_out)
            self._collected = collected or self._collected

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput[_TOLD] = (self._left_out, self._collected)
        else:
            self.write(session)

    def write(self, session: pytest.Session) -> None:
        """Write the file, where there is to be one, as the run ends so far."""
        if (path := self.path) is not None:
            otherwise = f"the run file {path} could not be written"
            if leave(session, self.session.ledger, lambda: self._write(session, path), otherwise):
                self.left[path] = None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which files were written, as pytest does of its own."""
        if self.left:
            terminalreporter.write_sep("-", f"llm eval wrote {', '.join(map(str, self.left))}")

    def _write(self, session: pytest.Session, path: Path) -> None:
        write_whole(path, self.run(session).text())

    def run(self, session: pytest.Session) -> Run:
        """The run, which is over. Raises ``ValueError`` for what no JSON document can hold."""
        ledger, made = self.session.ledger, self._made
        told = (int(session.exitstatus), len(ledger.notices))
        if made is None or (made.exit_status, len(made.notices)) != told:
            self._made = made = run_of(
                ledger,
                self.session.settings,
                self.session.judges,
                extent=self._extent(session),
                started=self._started,
                finished=datetime.now(UTC),
                exit_status=int(session.exitstatus),
                root=self.config.rootpath,
                gates=self.session.gate_results,
                compared=self.session.compared,
            )
        return made

    def _extent(self, session: pytest.Session) -> Extent:
        stopped = self._interrupt or session.shouldfail or session.shouldstop or None
        whole = stopped is None and len(self._ran) == session.testscollected
        sharding: Sharding | None = self.config.pluginmanager.get_plugin(PLUGIN)
        elsewhere = sharding.elsewhere if sharding else 0
        return Extent(
            complete=whole and not self._left_out and not self._collection_errors,
            collected=session.testscollected + self._left_out,
            deselected=self._left_out - elsewhere,
            elsewhere=elsewhere,
            shard=sharding.share if sharding else None,
            ran=len(self._ran),
            collection_errors=len(self._collection_errors),
            named=self._named,
            stopped=None if stopped is None else str(stopped),
            collected_digest=self._collected,
            ran_digest=digest_of(self._ran),
        )
