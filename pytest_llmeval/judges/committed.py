"""Committed verdicts: the files of a folder, read once, each line refused that is damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ..errors import DamagedVerdicts, UsageError
from .base import Question, ReplyT
from .heard import Answer, revived
from .verdict_line import VerdictLine, parsed, sealed_key

SUFFIX = ".verdicts.jsonl"
"""How the names of the files end; other files in the folder are left alone."""

_Place = tuple[Path, int]
T = TypeVar("T")


class Verdicts:
    """The verdicts in the files below ``folder``, by key; there may be none.

    They are read at the first question, or by ``load``. Of every line the digest is looked at
    then; what stands in it, when it is asked for. What is damaged raises ``DamagedVerdicts`` that
    names file and line.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[Path, list[tuple[int, bytes]]] = {}
        """The lines of each file, by their numbers."""
        self._lines: dict[str, tuple[_Place, bytes]] = {}
        self._loaded = False

    def load(self) -> None:
        """Read every file, unless that is done.

        Raises ``DamagedVerdicts``, also for two lines that give one question different replies.
        """
        if self._loaded:
            return
        self.files, self._lines = {}, {}
        if self.folder.exists() and not self.folder.is_dir():
            raise DamagedVerdicts(f"{self.folder}: expected a folder of verdicts; it is a file")
        for path in sorted(self.folder.rglob(f"*{SUFFIX}")):
            try:
                content = path.read_bytes()
            except OSError as error:
                raise DamagedVerdicts(f"{path}: cannot be read: {error.strerror}") from None
            self.files[path] = lines = []
            for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
                if raw := raw.removesuffix(b"\r"):
                    lines.append((number, raw))
                    self._take((path, number), raw)
        self._loaded = True

    def _take(self, place: _Place, raw: bytes) -> None:
        key = _told_where(place, sealed_key, raw)
        other, first = self._lines.setdefault(key, (place, raw))
        if raw != first and (
            _told_where(place, parsed, raw).entry["said"]
            != _told_where(other, parsed, first).entry["said"]
        ):
            raise DamagedVerdicts(
                f"{place[0]}:{place[1]}: {other[0]}:{other[1]} has another reply to the same "
                "question; delete one of the two lines"
            )

    def __len__(self) -> int:
        """How many questions are answered."""
        self.load()
        return len(self._lines)

    def check(self) -> None:
        """Look at all that stands in every line. Raises ``DamagedVerdicts``."""
        self.load()
        for path in self.files:
            self.in_file(path)

    def in_file(self, path: Path) -> dict[str, VerdictLine]:
        """The lines of the file ``path`` by key, equal ones as one; none where there is no file."""
        self.load()
        found: dict[str, VerdictLine] = {}
        for number, raw in self.files.get(path, ()):
            line = _told_where((path, number), parsed, raw)
            before = found.setdefault(line.key, line)
            found[line.key] = before.also_for(line.tests)
        return found

    def line(self, key: str) -> VerdictLine | None:
        """The first line under ``key``, None where there is none."""
        self.load()
        if key not in self._lines:
            return None
        place, raw = self._lines[key]
        return _told_where(place, parsed, raw)

    def answer(self, key: str, question: Question[ReplyT]) -> Answer[ReplyT] | None:
        """The answer to ``question`` that the line under ``key`` gives; None without such."""
        line = self.line(key)
        if line is None:
            return None
        entry: dict[str, Any] = dict(line.entry)
        if line.redacted:  # the key alone tells that this is the question
            entry["messages"] = [list(message) for message in question.messages]
            entry["task"] = question.task
        return revived(key, entry, question)


def _told_where(place: _Place, read: Callable[[bytes], T], raw: bytes) -> T:
    try:
        return read(raw)
    except UsageError as error:
        raise DamagedVerdicts(f"{place[0]}:{place[1]}: {error}") from None
