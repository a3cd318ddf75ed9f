"""Progress: one live line on a terminal while verdicts are awaited, a rare line in CI logs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TextIO

from ..judges.tally import Tally
from ..text.plural import many

FIRST_LOOK = 0.5
"""Seconds that a test may wait before anything is shown."""

REFRESH = 0.25
"""Seconds between two states of the live line."""

IN_LOGS = 60.0
"""Seconds between two lines in a CI log."""


class LiveLine:
    """Shows below pytest's own line how far the asking is, and takes it away again.

    ``column`` says where pytest's cursor stands. ``live`` tells a terminal from a log. What is
    written inside ``uncaptured()`` gets to ``file`` while a test's output is captured.
    """

    def __init__(
        self,
        file: TextIO,
        column: Callable[[], int],
        live: bool,
        uncaptured: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._file = file
        self._uncaptured = uncaptured
        self._column = column
        self._live = live
        self._logged = time.monotonic()

    def wait(self, future: Future[Any], state: Callable[[], str]) -> None:
        """Wait for ``future``, showing ``state()`` meanwhile."""
        shown, patience = False, FIRST_LOOK
        try:
            while not _done_within(future, patience):
                patience = REFRESH
                if self._live:
                    shown = True
                    self._below(state())
                elif time.monotonic() - self._logged >= IN_LOGS:
                    self._logged = time.monotonic()
                    self._write(f"\nllm eval: {state()}\n")
        finally:
            if shown:
                self._below("")

    def _below(self, text: str) -> None:
        # The line feed makes room where the cursor is on the last line; then back to where it was.
        width = _width() - 1
        self._write(f"\n\x1b[2K{text[:width]}\x1b[1A\x1b[{self._column() + 1}G")

    def _write(self, text: str) -> None:
        with self._uncaptured():
            self._file.write(text)
            self._file.flush()


def state(tally: Tally, planned: int, seconds: float) -> str:
    """``tally`` in one line; ``planned`` is how many questions there will be, 0 where unknown."""
    total = max(planned, tally.begun)
    rate = tally.answered / seconds if seconds > 0 else 0.0
    parts = [f"llm eval: {tally.done}/{total} questions", f"{tally.stored} stored"]
    if tally.errors:
        parts.append(many(tally.errors, "error"))
    parts.append(f"{rate:.1f}/s")
    parts.append("cost unknown" if tally.cost is None else f"${tally.cost:.4f}")
    if planned and rate:
        parts.append(f"about {(total - tally.done) / rate:.0f} s left")
    return " · ".join(parts)


def _done_within(future: Future[Any], seconds: float) -> bool:
    try:
        future.exception(timeout=seconds)
    except TimeoutError:
        return future.done()
    return True


def _width() -> int:
    try:
        return os.get_terminal_size().columns
    except OSError:
        return 80
