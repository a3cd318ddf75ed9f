"""A run of evals begins: its session, and the parts that the settings ask for."""

from __future__ import annotations

import pytest

from ..additions import additions_of
from ..pytest_options import refuse_idle_tolerance
from ..session import Session
from ..settings import Settings
from .attendance import Attendance
from .ci import have_reports
from .deferrable import PLUGIN as DEFERRED
from .deferrable import is_deferred, may_defer
from .early_stop import PLUGIN as EARLY_STOP
from .early_stop import EarlyStop
from .gating import Gates
from .misnomers import Misnomers
from .running import EvalRun
from .terminal_lines import TerminalLines
from .tolerating import Tolerance
from .xdist_queue import refuse_each


def begin(config: pytest.Config, settings: Settings) -> Session:
    """A run of evals, and the hooks that go with it.

    Raises ``UsageError`` for settings that can't be, or not together with pytest's own.
    """
    refuse_each(config)
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    session = Session(settings, workers, additions_of(config.pluginmanager))
    attendance = Attendance(config, session)
    plugins = config.pluginmanager
    plugins.register(attendance, "llm_eval_attendance")
    plugins.register(EvalRun(config, session), "llm_eval_run")
    plugins.register(TerminalLines(session), "llm_eval_terminal")
    if plugins.has_plugin("timeout"):
        from .time_limit import TimeLimit

        limit = TimeLimit(config)
        session.off_the_clock = limit.stopped
        plugins.register(limit, "llm_eval_time_limit")
    plugins.register(EarlyStop(config, session), EARLY_STOP)
    plugins.register(Tolerance(session), "llm_eval_tolerance")
    plugins.register(Gates(config, session), "llm_eval_gates")
    plugins.register(Misnomers(config, session, attendance), "llm_eval_misnomers")
    if session.gates and settings.shard is None:
        from .gate_outlook import GateOutlook

        plugins.register(GateOutlook(session), "llm_eval_gate_outlook")
    if settings.baseline is not None or settings.update_baseline:
        from .baselining import have_baseline

        have_baseline(config, session, attendance)
    else:
        refuse_idle_tolerance(config)
    if settings.only_flips:
        from .flips import select_flips

        select_flips(config)
    if settings.verdicts is not None or settings.record:
        from .committing import have_verdicts

        have_verdicts(config, session)
    if may_defer(config):
        plugins.register(_Deferral(session), "llm_eval_deferral")
    have_reports(config, session)
    return session


class _Deferral:
    """What holds deferred tests, from the moment that there is one."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        by_default = self._session.settings.deferred
        if any(is_deferred(item, by_default) for item in session.items):
            from .deferring import DeferredRun

            run = DeferredRun(session.config, self._session)
            session.config.pluginmanager.register(run, DEFERRED)
