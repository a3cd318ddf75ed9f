"""Annotations: the commands by which GitHub Actions marks a line of the code, escaped."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ..text.plural import first_few

Level = Literal["error", "warning", "notice"]

SHOWN = 10
"""How many of each level GitHub shows of one step."""
NAMED = 3
"""How many tests a line of an annotation names; the rest are counted."""

_CALLED: dict[Level, str] = {
    "error": "failed",
    "warning": "without a verdict",
    "notice": "tolerated",
}
_LONGEST = 4000


class Annotation(NamedTuple):
    """What is to be said at a line of ``file``, which is absolute or relative to the workspace.

    Without a file it is said of the run. ``brief`` is the message in a line, ``tests`` how many
    it tells of.
    """

    level: Level
    file: str | None
    line: int
    title: str
    message: str
    brief: str = ""
    tests: int = 1

    @property
    def command(self) -> str:
        """The line that GitHub Actions reads."""
        text = self.message if len(self.message) <= _LONGEST else f"{self.message[:_LONGEST]}…"
        where = "" if self.file is None else f"file={_property(self.file)},line={self.line},"
        return f"::{self.level} {where}title={_property(self.title)}::{_data(text)}"


def commands(annotations: Iterable[Annotation]) -> Iterator[str]:
    """The lines to print for ``annotations``, the gravest of which come first: one for each line of
    the code; of each level no more than are shown, the rest counted."""
    by_place: dict[tuple[Level, str, int], list[Annotation]] = {}
    for each in annotations:
        by_place.setdefault((each.level, each.file or each.title, each.line), []).append(each)
    joined = [*map(_joined, by_place.values())]
    for level, called in _CALLED.items():
        found = [each for each in joined if each.level == level]
        yield from (each.command for each in found[:SHOWN])
        if more := sum(each.tests for each in found[SHOWN:]):
            yield f"llm eval: {more} more {called}; GitHub shows {SHOWN} of each"


def _joined(alike: Sequence[Annotation]) -> Annotation:
    """What is said ``alike`` at one line: the first in full, the others by their reasons."""
    first, *others = alike
    if not others:
        return first
    reasons: dict[str, list[str]] = {first.brief: []}
    for each in others:
        reasons.setdefault(each.brief, []).append(each.title)
    lines = [
        f"{_named(titles)}: {'the same' if brief == first.brief else brief}"
        for brief, titles in reasons.items()
        if titles
    ]
    return first._replace(
        title=f"{first.title} and {len(others)} more",
        message="\n".join([first.message, "", *lines]),
        tests=len(alike),
    )


def _named(titles: Sequence[str]) -> str:
    return ", ".join(first_few(titles, NAMED))


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
