"""The part of the plugin that is there in GitHub Actions: annotations at the lines that failed."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from ..errors import CheckFailed, EvalError
from ..reports.annotations import Annotation, commands, in_workspace
from ..reports.consequence import Consequence, Consequences
from ..reports.failed_checks import gap
from ..reports.gates import decision_of
from ..results import Outcome
from ..session import Session
from ..text.encodable import carried
from .raised import all_of, text_of
from .tolerating import headline_of

Generated = Generator[None, Any, Any]
_OTHER = "annotate_errors"
"""What pytest-github-actions-annotate-failures registers: it annotates each call that failed."""


class Annotating:
    """Hooks that find where checks failed, or got no verdict, and print it when all else is.

    What was raised is told where the test ran, and rides on the report (``report.llm_eval_told``).
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._found: list[tuple[str, Annotation]] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generated:
        report = yield
        if (raised := call.excinfo and call.excinfo.value) is None:
            return report
        unjudged = hasattr(report, "llm_eval_error") or all_of(raised, EvalError)
        ours = all_of(raised, (CheckFailed, EvalError))
        if ours or unjudged:
            told = carried(text_of(ours) if ours else str(raised))
            report.llm_eval_told = ["warning" if unjudged else "error", told]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note what failed in the end, or was tolerated: an xfailed test did not, nor one that is
        run again."""
        told = getattr(report, "llm_eval_told", None)
        tolerated = hasattr(report, "llm_eval_tolerated")
        if told is None or not (report.failed or tolerated):
            return
        called = report.when == "call" and not tolerated
        if called and self._config.pluginmanager.has_plugin(_OTHER):
            return
        level, message = told
        path, line, name = report.location
        crash = getattr(report.longrepr, "reprcrash", None)
        where = (crash.path, crash.lineno) if crash else (path, (line or 0) + 1)
        file = in_workspace(where[0], self._config.rootpath, os.environ.get("GITHUB_WORKSPACE"))
        found = Annotation(level, file, where[1], name, message, headline_of(message))
        self._found.append((report.nodeid, found))

    def pytest_unconfigure(self) -> None:
        """Print them on lines of their own, below the last of pytest's."""
        if hasattr(self._config, "workerinput"):
            return
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        for command in commands([*self._gates(), *self._ordered()]):
            if reporter is not None:
                reporter.write_line(command)
            else:
                sys.stdout.write(f"{command}\n")

    def _gates(self) -> Iterator[Annotation]:
        """Those that fail the run, which are of no line of the code."""
        for gate in self._session.gate_results:
            if gate.fails(bool(os.environ.get("CI"))):
                told = decision_of(gate)
                yield Annotation("error", None, 0, f"gate {gate.name}", told, told)

    def _ordered(self) -> Iterator[Annotation]:
        """Those of tests: what must pass, what failed and what a group that is not held took in
        come before the rest, and of each the worst."""
        ledger = self._session.ledger
        follows = Consequences(ledger.tests.values(), self._session.gate_results)
        gaps: dict[str, float] = {}
        for record in ledger:
            if record.outcome is Outcome.FAILED:
                gaps[record.nodeid] = max(gap(record), gaps.get(record.nodeid, 0.0))
        ranks = [*Consequence]

        def rank(each: tuple[str, Annotation]) -> tuple[bool, int, float]:
            nodeid = each[0]
            place = ranks.index(follows.of(nodeid))
            return not follows.must_pass(nodeid), place, -gaps.get(nodeid, 0.0)

        for nodeid, found in sorted(self._found, key=rank):
            tolerated = follows.of(nodeid) is Consequence.TOLERATED
            yield found._replace(level="notice") if tolerated else found
