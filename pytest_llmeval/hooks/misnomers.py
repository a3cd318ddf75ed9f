"""Misnomers: names in groups that no collected test answers to, told before a judge is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from ..gates.group_members import called_nothing
from ..session import Session
from .attendance import Attendance
from .gating import names_single_tests

_TOLD = "llm_eval_misnomers"


class Misnomers:
    """Hooks that tell tags and tests of groups which are in no test, with what is closest.

    They are no fault: what they mean may be in a file that is not run. A worker of xdist tells the
    controller with its first report, which says it once. Nothing is told where single tests were
    named, of whose files others are not even collected.
    """

    def __init__(self, config: pytest.Config, session: Session, attendance: Attendance) -> None:
        self._config = config
        self._session = session
        self._attendance = attendance
        self._untold: list[str] = []
        self._said: set[str] = set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        if session.items and not names_single_tests(self._config):
            tests = self._attendance.possible()
            for group, lines in called_nothing(tests, self._session.groups).items():
                self._untold += [f"llm eval: group {group}: {line}" for line in lines]
        if not hasattr(self._config, "workerinput"):
            self._say(self._untold)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        if not hasattr(self._config, "workerinput"):
            self._say(report.__dict__.pop(_TOLD, ()))
        elif self._untold:
            setattr(report, _TOLD, self._untold)
            self._untold = []

    def _say(self, lines: Iterable[str]) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        for line in lines:
            if reporter is not None and line not in self._said:
                self._said.add(line)
                reporter.ensure_newline()
                reporter.write_line(line, yellow=True)
