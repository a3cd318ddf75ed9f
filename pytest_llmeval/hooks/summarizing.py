"""The part of the plugin that is there when a Markdown summary is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..files import write_whole
from ..ledger import Ledger
from ..reports.markdown import COMMENT, STEP_SUMMARY, Limit, markdown
from .ending import leave, reason_of
from .recording import RunRecording


class MarkdownSummary:
    """Writes the summary of the run when it is over: into the file ``path``, and at the end of
    the file ``step``, which GitHub Actions shows.

    Nobody asked for the latter: where it can't be written, that is told and changes nothing else.
    """

    def __init__(
        self, ledger: Ledger, recording: RunRecording, path: Path | None, step: str | None
    ) -> None:
        self._ledger = ledger
        self._recording = recording
        self._path = path
        self._step = step

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write, after all that decides how the run ends."""
        if (path := self._path) is not None:
            otherwise = f"the Markdown summary {path} could not be written"
            if leave(session, self._ledger, lambda: self._write(session, path), otherwise):
                self._recording.left[path] = None
            else:
                self._recording.write(session)  # which is to tell how the run ends
        if self._step is not None:
            try:
                self._append(session, Path(self._step))
            except (OSError, ValueError) as error:
                told = f"the step summary {self._step} could not be written: {reason_of(error)}"
                self._ledger.notices[told] = None

    def _write(self, session: pytest.Session, path: Path) -> None:
        run = self._recording.run(session)
        write_whole(path, markdown(run, COMMENT))

    def _append(self, session: pytest.Session, path: Path) -> None:
        """Add the summary to what the step has so far: too much, and GitHub shows none of it."""
        run = self._recording.run(session)
        there = path.stat().st_size if path.exists() else 0
        room = Limit(STEP_SUMMARY.size - there - 1, STEP_SUMMARY.of)
        if not (text := markdown(run, room)):
            raise ValueError("it holds nearly as much as GitHub takes")
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"\n{text}" if there else text)
