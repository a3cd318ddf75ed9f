"""Misnomers: names in groups that no collected test answers to, told before a judge is asked."""

from __future__ import annotations

import pytest

from ..gates.group_members import called_nothing
from ..session import Session
from .attendance import Attendance
from .gating import names_single_tests


class Misnomers:
    """Hooks that tell tags and tests of groups which are in no test, with what is closest.

    They are no fault: what they mean may be in a file that is not run. The controller of xdist
    knows the tests from the first report of a worker. Nothing is told where single tests were
    named, of whose files others are not even collected.
    """

    def __init__(self, config: pytest.Config, session: Session, attendance: Attendance) -> None:
        self._config = config
        self._session = session
        self._attendance = attendance
        self._told = names_single_tests(config) or hasattr(config, "workerinput")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self) -> None:
        self._tell()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self) -> None:
        self._tell()

    def _tell(self) -> None:
        tests = [*self._attendance.collected.values()]
        if self._told or not tests:
            return
        self._told = True
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            for group, lines in called_nothing(tests, self._session.groups).items():
                for line in lines:
                    reporter.ensure_newline()
                    reporter.write_line(f"llm eval: group {group}: {line}", yellow=True)
