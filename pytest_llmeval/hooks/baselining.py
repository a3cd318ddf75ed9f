"""The part that is there when a baseline is set: the comparison, its gate, and the writing."""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..baselines.compared import Compared, compared
from ..baselines.file import baseline_text, read_baseline
from ..baselines.renewed import Renewed, counted, renewed, told
from ..baselines.rows import DECIDED, Row
from ..baselines.standing import Roll, file_of
from ..baselines.tolerance import tolerances
from ..errors import UsageError
from ..files import write_whole
from ..session import Session
from .attendance import Attendance
from .ending import leave
from .flips import remember
from .gating import may_be_partial

_TOLD = "llm_eval_baseline"


def have_baseline(config: pytest.Config, session: Session, attendance: Attendance) -> None:
    """Compare the run with the baseline that the settings name, or write it there.

    Raises ``UsageError`` for settings that can't be, and for a file that can't be read.
    """
    settings = session.settings
    if settings.baseline is None:
        raise UsageError(
            "--llm-eval-update-baseline writes into the file of the baseline, and none is set: "
            "give --llm-eval-baseline=FILE"
        )
    if settings.update_baseline and settings.shard is not None:
        raise UsageError(
            "--llm-eval-update-baseline: a shard is not the whole suite; write the run file of "
            "each with --llm-eval-report, merge them, and make the baseline of that: "
            "llm-eval baseline merged.json --output FILE"
        )
    anew = settings.update_baseline and not settings.baseline.exists()
    rows = [] if anew else read_baseline(settings.baseline)
    tolerance = tolerances(settings.tolerance, session.names.metrics)
    attendance.expected = frozenset(row.place.test for row in rows)
    run = BaselineRun(config, session, settings.baseline, rows, tolerance)
    config.pluginmanager.register(run, "llm_eval_baselining")


class BaselineRun:
    """Hooks that follow what is collected, and compare or write at the end.

    In a worker of xdist they only tell the controller what was collected there.
    """

    def __init__(
        self,
        config: pytest.Config,
        session: Session,
        path: Path,
        rows: list[Row],
        tolerance: Mapping[str, float],
    ) -> None:
        self._config = config
        self._session = session
        self._path = path
        self._rows = rows
        self._tolerance = tolerance
        self._files: set[str] = set()
        self._broken: set[str] = set()
        self._skipped: set[str] = set()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        file = file_of(report.nodeid)
        if report.skipped and file == report.nodeid:
            self._skipped.add(file)
        else:
            (self._broken if report.failed else self._files).add(file)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = getattr(node, "workeroutput", {}).get(_TOLD, ((), (), ()))
        ours = (self._files, self._broken, self._skipped)
        for mine, theirs in zip(ours, told, strict=True):
            mine.update(theirs)  # every worker collects the same tests

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self) -> Generator[None, Any, Any]:
        """Compare, before gates are decided."""
        if hasattr(self._config, "workeroutput"):
            told = (self._files, self._broken, self._skipped)
            self._config.workeroutput[_TOLD] = [[*each] for each in told]
        else:
            self._compare()
        return (yield)

    @pytest.hookimpl(specname="pytest_sessionfinish")
    def pytest_write_baseline(self, session: pytest.Session, exitstatus: int) -> None:
        """Write, if that is asked for, once gates are decided."""
        if self._session.settings.update_baseline and not hasattr(self._config, "workeroutput"):
            otherwise = f"baseline {self._path} was not written"
            ended = exitstatus in (0, 1, 5)  # with no test there is nothing to come to
            leave(session, self._session.ledger, lambda: self._update(ended), otherwise)

    def _compare(self) -> None:
        settings = self._session.settings
        if settings.shard is not None:
            return  # the merge compares
        if self._rows or not settings.update_baseline:
            made = self._compared()
            self._session.compared = made
            remember(self._config, made.found, self._session.ledger.tests)

    def _compared(self) -> Compared:
        settings, records = self._session.settings, [*self._session.ledger]
        file = os.path.relpath(self._path, self._config.invocation_params.dir)
        held = (settings.fail_on, self._tolerance, self._session.names.metrics)
        made = compared(file, self._rows, records, self._roll(), *held)
        if settings.update_baseline:
            return Compared(file, settings.fail_on, made.found)
        return made

    def _roll(self) -> Roll:
        tests = self._session.ledger.tests
        # Of a worker that died at its end its tests alone tell what was collected.
        files = self._files.union(file_of(test) for test in tests)
        return Roll(
            tests=tests,
            files=frozenset(files - self._broken),
            broken=frozenset(self._broken),
            skipped=frozenset(self._skipped),
            partial=may_be_partial(self._config),
            exists=lambda file: (self._config.rootpath / file).exists(),
        )

    def _update(self, ended: bool) -> None:
        """Write the run, whose tests ``ended`` tells to have come to their end.

        Raises ``UsageError`` where it is none to be a baseline, and ``OSError``.
        """
        roll = self._roll()
        ledger = self._session.ledger
        records = [*ledger]
        made = renewed(self._rows, records, roll)
        if fault := _fault(roll, ended, made.made):
            raise UsageError(fault)
        if ledger.lacked_a_judge or ledger.met_damage:
            raise UsageError("checks had no judge, or met a damaged verdict")
        self._write(made)
        for line in told(made, records, roll, self._session.settings.fail_on):
            self._notice(line)

    def _write(self, made: Renewed) -> None:
        text = baseline_text(made.rows)
        same = self._path.exists() and self._path.read_bytes() == text.encode()
        if not same:
            write_whole(self._path, text)
        done = "is up to date" if same else "was written"
        self._notice(f"baseline {self._path} {done}: {counted(made.rows)}")

    def _notice(self, text: str) -> None:
        self._session.ledger.notices[text] = None


def _fault(roll: Roll, ended: bool, made: Sequence[Row]) -> str:
    """Why a run is none to be a baseline; empty where it is one."""
    if roll.partial:
        return "tests were selected by node id or --lf; run whole files or folders"
    if left := sum(row.unselected for row in roll.tests.values()):
        return f"deselected tests with checks: {left}; run the files without -k and -m"
    if roll.broken:
        return f"files that could not be collected: {', '.join(sorted(roll.broken))}"
    unrun = sum(row.state == "not_run" for row in roll.tests.values())
    if unrun or not ended:
        return f"the run did not come to its end; tests that were not run: {unrun}"
    return "" if made else f"no check {', '.join(DECIDED[:-1])} or was {DECIDED[-1]}"
