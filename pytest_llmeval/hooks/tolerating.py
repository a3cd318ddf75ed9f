"""The part that reports failing tests of gated groups as tolerated: the group decides."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from ..gates.gate import GateState
from ..gates.group_gate import name_of
from ..gates.group_members import is_called
from ..records.tests import Group, TestRow
from ..session import Session
from ..text.encodable import carried
from .grouping import groups_in, names_of, tags_of
from .raised import nothing_but_failed_checks, text_of

PROPERTY = "llm_eval_tolerated"
"""The property of a tolerated test in JUnit: its groups and what failed, in a line."""


class Tolerance:
    """Hooks that report a test of a gated group as passed where nothing but a check failed.

    ``report.llm_eval_tolerated`` then holds what failed, and ``report.longrepr`` how pytest shows
    it, which it does where the group is not held.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reports: list[Any] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        report = yield
        if call.when == "call" and call.excinfo is not None and report.failed:
            several = getattr(item, "_excinfo", None)  # of a unittest that failed more than once
            checks = nothing_but_failed_checks(call.excinfo.value)
            if checks and not several and (groups := self._tolerating(item)):
                said = carried(text_of(checks))
                report.outcome = "passed"
                report.llm_eval_tolerated = said
                names = ", ".join(group.name for group in groups)
                in_a_line = (PROPERTY, f"{names}: {headline_of(said)}")
                item.user_properties.append(in_a_line)
                report.user_properties.append(in_a_line)
        return report

    def _tolerating(self, item: pytest.Item) -> tuple[Group, ...]:
        """The groups of ``item``; none where it has to pass in one."""
        named = self._session.groups
        groups = groups_in(item, named, tags_of(item, named))
        row = TestRow(item.nodeid, names=names_of(item) if groups else ())
        needed = (name for group in groups for name in group.must_pass)
        return () if any(is_called(row, name) for name in needed) else groups

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        if hasattr(report, PROPERTY) and report.passed:
            return "tolerated", "t", ("TOLERATED", {"yellow": True})
        return None

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what is to be listed, whoever reports to the terminal and by what categories."""
        if hasattr(report, PROPERTY) and report.passed:
            self._reports.append(report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List what failed in groups: in full where the group is not held, as failed tests are;
        else in a line each, with all that was said where that is asked for."""
        if terminalreporter.config.option.no_summary:
            return
        reports = [*self._reports]
        tests = self._session.ledger.tests
        groups = {nodeid: {*map(name_of, row.groups)} for nodeid, row in tests.items()}
        for gate in self._session.gate_results:
            if gate.state is GateState.HELD or gate.reason == "shard":
                continue
            inside = [each for each in reports if gate.name in groups.get(each.nodeid, ())]
            reports = [each for each in reports if gate.name not in groups.get(each.nodeid, ())]
            if inside:
                terminalreporter.write_sep("=", f"failed in group {gate.name}: {gate.state}")
            for report in inside:
                _show_failed(terminalreporter, report)
        in_full = self._session.settings.show == "all" or terminalreporter.verbosity > 0
        if reports:
            terminalreporter.write_sep("=", "tolerated in groups")
        for report in reports:
            said = report.llm_eval_tolerated
            terminalreporter.write_line(f"TOLERATED {report.nodeid} - {headline_of(said)}")
            for line in said.splitlines()[1:] if in_full else ():
                terminalreporter.write_line(f"  {line}")


def _show_failed(reporter: pytest.TerminalReporter, report: Any) -> None:
    """Show ``report`` as pytest shows that of a failed test, by the same options."""
    option = reporter.config.option
    if option.tbstyle in ("no", "line"):
        reporter.write_line(f"FAILED {report.nodeid} - {headline_of(report.llm_eval_tolerated)}")
        return
    reporter.write_sep("_", report.head_line or report.nodeid, red=True, bold=True)
    writer = reporter.config.get_terminal_writer()
    report.toterminal(writer)
    for name, content in report.sections:
        if option.showcapture == "all" or option.showcapture in name:
            writer.sep("-", name)
            writer.line(content.removesuffix("\n"))


def headline_of(said: str) -> str:
    """What failed and the reason for it, in a line."""
    lines = [line.strip() for line in said.splitlines()]
    reasons = [line.removeprefix("reason").strip() for line in lines if line.startswith("reason ")]
    return ": ".join([*lines[:1], *reasons[:1]])
