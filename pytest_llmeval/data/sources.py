"""Sources: the files that a marker or a call names, also by patterns, in an order that holds."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob, has_magic
from os import PathLike, fspath, path, stat
from pathlib import Path

from ..errors import CaseError, UsageError
from .case_ids import safe_id
from .cases import Case
from .jsonl import JsonLines
from .rows import RowFile
from .shapes import case_of


def row_file(source: object, folder: Path) -> RowFile:
    """The rows of ``source``, a path relative to ``folder``."""
    if isinstance(source, str | PathLike):
        return JsonLines(folder / fspath(source))
    raise UsageError(f"cases come from a path or a pattern; got {type(source).__name__}")


class Source:
    """One file of cases, or what stands for one. ``prefix`` tells its ids from other sources'."""

    def __init__(self, given: object, folder: Path, prefix: str = "") -> None:
        self.rows = row_file(given, folder)
        self.name = self.rows.name
        self.prefix = prefix
        self._path = folder / fspath(given) if isinstance(given, str | PathLike) else None
        self._stamp = self._stamped()

    def case(self, place: int) -> Case:
        """The case at ``place``. Raises ``CaseError`` where the file is no longer what it was."""
        if self._stamped() != self._stamp:
            told = "the file has changed since its cases were collected; run again"
            raise CaseError(f"{self.name}: {told}")
        return case_of(self.rows.row(place))

    def _stamped(self) -> tuple[int, int] | None:
        if self._path is None:
            return None
        try:
            found = stat(self._path)
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns


def sources_of(given: Sequence[object], folder: Path) -> list[Source]:
    """The sources that ``given`` names: paths and patterns, relative to ``folder``, or data.

    What a pattern matches is sorted, and a file that is named twice is there once. With several
    sources, or a pattern, each file's ids begin with its path: decided by what is written, not by
    how many files there happen to be, so that one more changes no id. Raises ``UsageError`` for a
    pattern without a match and for a folder.
    """
    if not given:
        raise UsageError("cases come from a file, several or a pattern; got none")
    several = len(given) > 1 or _is_pattern(given[0], folder)
    found: dict[str, Source] = {}
    for number, one in enumerate(given, start=1):
        if not isinstance(one, str | PathLike):
            found[f"\0{number}"] = Source(one, folder, f"data{number}" if several else "")
            continue
        for file in _matched(fspath(one), folder):
            where = path.normpath(folder / file)
            if where not in found:
                found[where] = Source(file, folder, _prefix(where, folder) if several else "")
    return [*found.values()]


def _is_pattern(one: object, folder: Path) -> bool:
    """Whether ``one`` is a pattern, and not a file whose name has brackets in it."""
    if not isinstance(one, str | PathLike):
        return False
    return has_magic(fspath(one)) and not (folder / fspath(one)).exists()


def _matched(named: str, folder: Path) -> list[str]:
    """The files that ``named`` means: itself, or all that it matches as a pattern, sorted."""
    if (folder / named).is_dir():
        raise UsageError(f"{folder / named} is a folder: name its files, as in '{named}/*.jsonl'")
    if not _is_pattern(named, folder):
        return [named]
    matched = glob(named, root_dir=folder, recursive=True)
    files = sorted((each for each in matched if (folder / each).is_file()), key=_parts)
    if not files:
        raise UsageError(f"no file matches {named!r} in {folder}")
    return files


def _parts(file: str) -> tuple[str, ...]:
    return Path(file).parts


def _prefix(where: str, folder: Path) -> str:
    """How ids name the file ``where``: its path from ``folder``, without its suffix."""
    parts = Path(path.relpath(where, folder)).with_suffix("").parts
    return safe_id("-".join(part for part in parts if part != ".."))
