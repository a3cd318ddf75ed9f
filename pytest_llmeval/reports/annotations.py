"""Annotations: the commands by which GitHub Actions marks a line of the code, escaped."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

Level = Literal["error", "warning"]

SHOWN = 10
"""How many of each level GitHub shows of one step."""

_CALLED: dict[Level, str] = {"error": "failed", "warning": "without a verdict"}
_LONGEST = 4000


class Annotation(NamedTuple):
    """What is to be said at a line of ``file``, which is absolute or relative to the workspace."""

    level: Level
    file: str
    line: int
    title: str
    message: str

    @property
    def command(self) -> str:
        """The line that GitHub Actions reads."""
        text = self.message if len(self.message) <= _LONGEST else f"{self.message[:_LONGEST]}…"
        file, title = _property(self.file), _property(self.title)
        return f"::{self.level} file={file},line={self.line},title={title}::{_data(text)}"


def commands(annotations: Iterable[Annotation]) -> Iterator[str]:
    """The lines to print for ``annotations``: of each level no more than are shown, the rest
    counted."""
    by_level: dict[Level, list[Annotation]] = {"error": [], "warning": []}
    for each in annotations:
        by_level[each.level].append(each)
    for level, found in by_level.items():
        yield from (each.command for each in found[:SHOWN])
        if (more := len(found) - SHOWN) > 0:
            yield f"llm eval: {more} more {_CALLED[level]}; GitHub shows {SHOWN} of each"


def in_workspace(path: str, folder: Path, workspace: str | None) -> str:
    """``path``, which is relative to ``folder`` if it is relative, as seen from ``workspace``.

    It stays absolute where it lies elsewhere.
    """
    whole = os.path.realpath(folder / path)
    if workspace:
        root = os.path.realpath(workspace)
        if Path(whole).is_relative_to(root):
            return Path(whole).relative_to(root).as_posix()
    return Path(whole).as_posix()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
