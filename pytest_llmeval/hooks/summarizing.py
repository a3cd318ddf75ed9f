"""The part of the plugin that is there when a Markdown summary is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ..files import write_whole
from ..ledger import Ledger
from ..reports.markdown import COMMENT, STEP_SUMMARY, Limit, markdown
from ..reports.run import Run


class MarkdownSummary:
    """Writes the summary of the run when it is over: into the file ``path``, and at the end of
    the file ``step``, which GitHub Actions shows.

    What keeps one from being written is told, and changes nothing else. ``run`` gives the run.
    """

    def __init__(
        self,
        ledger: Ledger,
        run: Callable[[pytest.Session], Run],
        path: Path | None,
        step: str | None,
    ) -> None:
        self._ledger = ledger
        self._run = run
        self._path = path
        self._step = step

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write, after all that decides how the run ends."""
        if self._path is not None:
            self._try(session, self._write, "the Markdown summary", self._path)
        if self._step is not None:
            self._try(session, self._append, "the step summary", Path(self._step))

    def _try(
        self,
        session: pytest.Session,
        write: Callable[[Run, Path], None],
        what: str,
        path: Path,
    ) -> None:
        try:
            write(self._run(session), path)
        except (OSError, ValueError) as error:
            told = getattr(error, "strerror", None) or error
            self._ledger.notices[f"{what} {path} could not be written: {told}"] = None

    def _write(self, run: Run, path: Path) -> None:
        write_whole(path, markdown(run, COMMENT))

    def _append(self, run: Run, path: Path) -> None:
        """Add the summary to what the step has so far: too much, and GitHub shows none of it."""
        there = path.stat().st_size if path.exists() else 0
        room = Limit(STEP_SUMMARY.size - there - 1, STEP_SUMMARY.of)
        if not (text := markdown(run, room)):
            raise ValueError("it holds nearly as much as GitHub takes")
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"\n{text}" if there else text)
