"""The part that reports failing tests of gated groups as tolerated: the group decides."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from ..errors import CheckFailed
from ..gates.group_gate import is_called
from ..records import TestRow
from ..session import Session
from .grouping import groups_in, names_of

PROPERTY = "llm_eval_tolerated"
"""The property of a tolerated test in JUnit: what failed, in a line."""


class Tolerance:
    """Hooks that report a test of a gated group as passed where nothing but a check failed.

    ``report.llm_eval_tolerated`` then holds what the failure would have said.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        report = yield
        if call.when == "call" and _only_a_check_failed(item, call, report) and self._may(item):
            assert call.excinfo is not None
            said = str(call.excinfo.value).encode("utf-8", "replace").decode("utf-8")
            report.outcome = "passed"
            report.longrepr = None
            report.llm_eval_tolerated = said
            in_a_line = (PROPERTY, headline_of(said))
            item.user_properties.append(in_a_line)
            report.user_properties.append(in_a_line)
        return report

    def _may(self, item: pytest.Item) -> bool:
        """Whether ``item`` is in a group, and has to pass in none."""
        groups = groups_in(item, self._session.groups)
        row = TestRow(item.nodeid, names=names_of(item) if groups else ())
        needed = (name for group in groups for name in group.must_pass)
        return bool(groups) and not any(is_called(row, name) for name in needed)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        if hasattr(report, PROPERTY) and report.passed:
            return "tolerated", "t", ("TOLERATED", {"yellow": True})
        return None

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List what was tolerated, with the reasons: in a line each, in full where asked for."""
        reports = terminalreporter.stats.get("tolerated", [])
        if not reports or terminalreporter.config.option.no_summary:
            return
        in_full = self._session.settings.show == "all" or terminalreporter.verbosity > 0
        terminalreporter.section("tolerated in groups")
        for report in reports:
            said = report.llm_eval_tolerated
            terminalreporter.write_line(f"TOLERATED {report.nodeid} - {headline_of(said)}")
            for line in said.splitlines()[1:] if in_full else ():
                terminalreporter.write_line(f"  {line}")


def _only_a_check_failed(item: pytest.Item, call: pytest.CallInfo[None], report: Any) -> bool:
    raised = call.excinfo.value if call.excinfo else None
    return (
        report.failed
        and type(raised) is CheckFailed
        and not raised.errors
        and not _hides_another(raised)
        and not getattr(item, "_excinfo", None)  # of a unittest that failed more than once
    )


def _hides_another(raised: BaseException) -> bool:
    """Whether ``raised`` took the place of an exception that is no failed check of ours."""
    met: set[int] = set()
    others = [raised.__cause__, raised.__context__]
    while others:
        other = others.pop()
        if other is None or id(other) in met:
            continue
        if type(other) is not CheckFailed:
            return True
        met.add(id(other))
        others += [other.__cause__, other.__context__]
    return False


def headline_of(said: str) -> str:
    """What failed and the reason for it, in a line."""
    lines = [line.strip() for line in said.splitlines()]
    reasons = [line.removeprefix("reason").strip() for line in lines if line.startswith("reason ")]
    return ": ".join([*lines[:1], *reasons[:1]])
