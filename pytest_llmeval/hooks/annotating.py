"""The part of the plugin that is there in GitHub Actions: annotations at the lines that failed."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import Any

import pytest

from ..errors import CheckFailed, EvalError
from ..reports.annotations import Annotation, commands, in_workspace

Generated = Generator[None, Any, Any]
_OTHER = "annotate_errors"
"""What pytest-github-actions-annotate-failures registers: it annotates each call that failed."""


class Annotating:
    """Hooks that find where checks failed, or got no verdict, and print it when all else is.

    What was raised is told where the test ran, and rides on the report (``report.llm_eval_told``).
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._found: list[Annotation] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generated:
        report = yield
        raised = call.excinfo and call.excinfo.value
        if isinstance(raised, EvalError):
            report.llm_eval_told = ["warning", _plain(f"{type(raised).__name__}: {raised}")]
        elif raised is not None and hasattr(report, "llm_eval_error"):
            report.llm_eval_told = ["warning", _plain(str(raised))]
        elif isinstance(raised, CheckFailed):
            report.llm_eval_told = ["error", _plain(str(raised))]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note what failed in the end: an xfailed test did not, nor one that is run again."""
        told = getattr(report, "llm_eval_told", None)
        if told is None or not report.failed:
            return
        if report.when == "call" and self._config.pluginmanager.has_plugin(_OTHER):
            return
        level, message = told
        path, line, name = report.location
        crash = getattr(report.longrepr, "reprcrash", None)
        where = (crash.path, crash.lineno) if crash else (path, (line or 0) + 1)
        file = in_workspace(where[0], self._config.rootpath, os.environ.get("GITHUB_WORKSPACE"))
        self._found.append(Annotation(level, file, where[1], name, message))

    def pytest_unconfigure(self) -> None:
        """Print them on lines of their own, below the last of pytest's."""
        if hasattr(self._config, "workerinput"):
            return
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        for command in commands(self._found):
            if reporter is not None:
                reporter.write_line(command)
            else:
                sys.stdout.write(f"{command}\n")


def _plain(text: str) -> str:
    """``text`` as it can cross processes."""
    return text.encode("utf-8", "replace").decode("utf-8")
