"""The part that decides the gates when the run ends, and fails it where they say so."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Any

import pytest

from ..gates.attended import Attended
from ..gates.every_gate import decide_all, left_to_merge
from ..gates.gate import GateResult, GateState
from ..reports.gates import decision_of, short_names
from ..session import Session
from .ending import is_by_tests
from .sharding import PLUGIN

_REMEMBERING = ("lfplugin", "stepwiseplugin")
"""Plugins of pytest that keep failed tests for the next run, in which no gate is a test."""

_COUNTING = ("session", "terminalreporter")
"""Plugins of pytest that a failed gate is counted in by hand: it is no test on the way."""


def gates_of(session: Session, attended: Attended) -> list[GateResult]:
    """What every gate of ``session`` comes to. Whatever gives gates adds them here."""
    gates = decide_all(session.gates, session.groups, attended)
    if session.compared is not None and session.compared.gate is not None:
        gates.append(session.compared.gate)
    elif session.settings.baseline is not None and session.settings.shard is not None:
        from ..baselines.gate import NAME

        gates.append(GateResult(NAME, GateState.NOT_DECIDED, ""))  # left to the merge
    return gates


def may_be_partial(config: pytest.Config) -> bool:
    """Whether the user asked for less than whole files, though it may have come to all of them."""
    return any("::" in each for each in config.args) or bool(config.getoption("lf", False))


def names_single_tests(config: pytest.Config) -> bool:
    """Whether the user named single tests, of whose files others are then not even collected."""
    if any("::" in each for each in config.args):
        return True
    last_failed = config.pluginmanager.get_plugin("lfplugin")
    return bool(config.getoption("lf", False) and getattr(last_failed, "lastfailed", True))


class Gates:
    """Hooks that decide the gates once every test is reported.

    A gate that fails is one failed row in pytest's counts and in JUnit, ``llm_eval::gate[…]``, and
    has a run end with exit status 1 that would have ended with 0.
    """

    def __init__(self, config: pytest.Config, session: Session) -> None:
        self._config = config
        self._session = session
        self._named = names_single_tests(config)
        self._uncollected: set[str] = set()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._uncollected.add(report.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        if not hasattr(self._config, "workerinput"):
            self._decide(session)
        return (yield)

    def _decide(self, session: pytest.Session) -> None:
        ledger = self._session.ledger
        attended = Attended(
            records=[*ledger],
            assessments=ledger.assessments,
            tests=[*ledger.tests.values()],
            named=self._named,
            uncollected=len(self._uncollected),
        )
        gates = gates_of(self._session, attended)
        if self._config.pluginmanager.has_plugin(PLUGIN):
            gates = [*map(left_to_merge, gates)]
        self._session.gate_results = tuple(gates)
        if is_by_tests(session):
            for gate, short in zip(gates, short_names(gates), strict=True):
                if gate.fails(bool(os.environ.get("CI"))):
                    self._fail(session, gate, f"gate[{short}]")

    def _fail(self, session: pytest.Session, gate: GateResult, name: str) -> None:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        session.testsfailed += 1
        report = pytest.TestReport(
            nodeid=f"llm_eval::{name}",
            location=("llm_eval", None, name),
            keywords={},
            outcome="failed",
            longrepr=decision_of(gate),
            when="call",
        )
        plugins = self._config.pluginmanager
        if (terminal := plugins.get_plugin("terminalreporter")) is not None:
            terminal.stats.setdefault("failed", []).append(report)
        ours = [name for name, _ in plugins.list_name_plugin() if name.startswith("llm_eval")]
        leave_out = map(plugins.get_plugin, (*_REMEMBERING, *_COUNTING, *ours))
        tell = plugins.subset_hook_caller(
            "pytest_runtest_logreport", [each for each in leave_out if each is not None]
        )
        tell(report=report)
