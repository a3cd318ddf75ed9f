"""How far the asking is, shown while a run waits for verdicts."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext

import pytest

from ..session import Session


def watch(config: pytest.Config, session: Session, planned: int) -> None:
    """Have ``session`` show on a terminal, and in CI's log, how many of ``planned`` are in."""
    started = time.monotonic()
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or config.get_verbosity() < 0:
        return
    writer = config.get_terminal_writer()
    live = bool(reporter.isatty)
    if live or os.environ.get("CI"):
        from ..reports import progress

        capture = config.pluginmanager.get_plugin("capturemanager")
        line = progress.LiveLine(
            writer._file,
            lambda: writer.width_of_current_line,
            live,
            capture.global_and_fixture_disabled if capture else nullcontext,
        )

        def tell() -> str:
            seconds = time.monotonic() - started
            return progress.state(session.engine.tally, planned, seconds)

        session.watch = lambda future: line.wait(future, tell)
