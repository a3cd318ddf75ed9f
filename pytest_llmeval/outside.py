"""Outside pytest: the run of checks in scripts and notebooks, set by the environment."""

from __future__ import annotations

import atexit
import threading
import warnings
from collections.abc import Callable

from .records.assessment import Assessment
from .results import Result
from .session import Session
from .settings import Settings
from .stack import Off, activate, active, deactivate


class OutsideSession(Session):
    """A run without a report and without an end: results are the caller's, notices warnings."""

    lacking_a_judge = (
        "no judge is set outside pytest, whose ini and options count in its own process alone: "
        "set the environment variable LLM_EVAL_MODEL to a LiteLLM model "
        "(openai/gpt-5-mini, asked with your key) or to lexical (no LLM: it weighs words), "
        "or give judge="
    )

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._told: set[str] = set()
        self.names.suites.have_rows = False  # a cell that is run again may make its suite anew

    def keeping(self, suite: str | None = None) -> Callable[[Result | Assessment], None]:
        """What warns in the caller's thread: the engine's own is no place for an exception."""
        return lambda result: self._tell()

    def _tell(self) -> None:
        for notice in [*self.notebook.notices]:
            if notice not in self._told:
                self._told.add(notice)
                warnings.warn(notice, stacklevel=2)


_choosing = threading.Lock()


def current() -> Session | Off:
    """The run that checks belong to; outside pytest one that is as the environment now says.

    Raises ``UsageError`` for a variable whose value can't be.
    """
    with _choosing:
        run = active()
        if run is not None and not isinstance(run, OutsideSession):
            return run
        settings = Settings.read()
        if run is None or run.settings != settings:
            # The former one stays open for the checks that are under way in it.
            made = OutsideSession(settings)
            if run is not None:
                deactivate(run)
            atexit.register(made.close)
            activate(made)
            run = made
        return run
