"""Committed verdicts: the files of a folder, read once, each line refused that is damaged."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from ..errors import DamagedVerdicts, UsageError
from .base import Question, ReplyT
from .heard import Answer, revived
from .verdict_line import VerdictLine, parsed, sealed_key

SUFFIX = ".verdicts.jsonl"
"""How the names of the files end; other files in the folder are left alone."""

_MARK = re.compile(rb'"redacted"\s*:\s*true')
_Place = tuple[Path, int]
T = TypeVar("T")


class Verdicts:
    """The verdicts in the files below ``folder``, by key; there may be none.

    They are read at the first question, or by ``load``. Of every line the digest is looked at
    then; what stands in it, when it is asked for. What is damaged raises ``DamagedVerdicts`` that
    names file and line.

    ``redacts`` says whether anything here redacts verdicts: where nothing does, a line that is
    said to be redacted is none that was recorded here.
    """

    def __init__(self, folder: Path, redacts: Callable[[], bool] = lambda: True) -> None:
        self.folder = folder
        self.redacts = redacts
        self.files: dict[Path, list[tuple[int, bytes]]] = {}
        """The lines of each file, by their numbers."""
        self._lines: dict[str, tuple[_Place, bytes]] = {}
        self._loaded = False

    def anew(self) -> Verdicts:
        """The verdicts that the folder holds by now."""
        return Verdicts(self.folder, self.redacts)

    def load(self) -> None:
        """Read every file, unless that is done.

        Raises ``DamagedVerdicts``, also for two lines that give one question different replies.
        """
        if self._loaded:
            return
        self.files, self._lines = {}, {}
        if os.path.exists(self.folder) and not self.folder.is_dir():
            raise DamagedVerdicts(f"{self.folder}: expected a folder of verdicts; it is a file")
        for path in sorted(_files(self.folder)):
            content = _content(path)
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
            line = self._read((path, number), raw)
            before = found.setdefault(line.key, line)
            found[line.key] = before.also_for(line.tests)
        return found

    def line(self, key: str) -> VerdictLine | None:
        """The first line under ``key``, None where there is none."""
        self.load()
        return self._read(*self._lines[key]) if key in self._lines else None

    def refuse_redacted(self) -> None:
        """Raise ``DamagedVerdicts`` for a line that was redacted where nothing redacts."""
        self.load()
        for place, raw in self._lines.values():
            if _MARK.search(raw):
                self._read(place, raw)

    def redacted(self, among: Collection[str] | None = None) -> int:
        """How many questions, ``among`` those of these keys, a line answers that was redacted."""
        self.load()
        keys = self._lines.keys() if among is None else self._lines.keys() & among
        marked = [self._lines[key] for key in keys if _MARK.search(self._lines[key][1])]
        return sum(_told_where(place, parsed, raw).redacted for place, raw in marked)

    def answer(self, key: str, question: Question[ReplyT]) -> Answer[ReplyT] | None:
        """The answer to ``question`` that the line under ``key`` gives; None without such.

        Raises ``DamagedVerdicts`` for a line that holds no valid verdict.
        """
        line = self.line(key)
        if line is None:
            return None
        entry: dict[str, Any] = dict(line.entry)
        if line.redacted:  # the key alone tells that this is the question
            entry["messages"] = [list(message) for message in question.messages]
        answer = revived(key, entry, question)
        if answer is None:
            told = f"it holds no verdict that {question.task} can read"
            self._refuse(key, f"{told}; record it anew with --llm-eval-record")
        return answer

    def _read(self, place: _Place, raw: bytes) -> VerdictLine:
        line = _told_where(place, parsed, raw)
        if line.redacted and not self.redacts():
            raise DamagedVerdicts(
                f"{place[0]}:{place[1]}: it says that it was redacted, and nothing here redacts: "
                "give pytest_llm_eval_redact in the conftest of the root folder, or delete the line"
            )
        return line

    def _refuse(self, key: str, why: str) -> NoReturn:
        path, number = self._lines[key][0]
        raise DamagedVerdicts(f"{path}:{number}: {why}")


def _files(folder: Path) -> Iterator[Path]:
    """What is called like a file of verdicts, in no folder that is a link."""

    def refuse(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise DamagedVerdicts(f"{error.filename}: cannot be read: {error.strerror}") from None

    for place, folders, names in os.walk(folder, onerror=refuse):
        for name in (*folders, *names):
            if name.endswith(SUFFIX):
                yield Path(place, name)


def _content(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise DamagedVerdicts(f"{path}: cannot be read: expected a plain file")
        return path.read_bytes()
    except OSError as error:
        raise DamagedVerdicts(f"{path}: cannot be read: {error.strerror}") from None


def _told_where(place: _Place, read: Callable[[bytes], T], raw: bytes) -> T:
    try:
        return read(raw)
    except UsageError as error:
        raise DamagedVerdicts(f"{place[0]}:{place[1]}: {error}") from None
