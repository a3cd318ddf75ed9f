"""Sources: the files that a marker or a call names, also by patterns, each with its own ids."""

from __future__ import annotations

from collections.abc import Sequence
from glob import has_magic
from os import PathLike, fspath, path
from pathlib import Path

from ..errors import UsageError
from .case_ids import safe_id
from .cases import Case
from .files.row_files import row_files
from .files.rows import RowFile
from .words.shapes import case_of


class Source:
    """One file of cases, or what stands for one. ``prefix`` tells its ids from other sources'."""

    def __init__(self, rows: RowFile, prefix: str = "") -> None:
        self.rows = rows
        self.prefix = prefix

    def case(self, place: int) -> Case:
        """The case at ``place``. Raises ``CaseError`` for what it can't be."""
        return case_of(self.rows.row(place))


def sources_of(given: Sequence[object], folder: Path) -> list[Source]:
    """The sources that ``given`` names: paths and patterns, relative to ``folder``, or data.

    A file that is named twice is there once. With several sources, or a pattern, each file's ids
    begin with its path: decided by what is written, not by how many files there happen to be, so
    that one more changes no id. Raises as ``row_files`` does, and ``UsageError`` for no source.
    """
    if not given:
        raise UsageError("cases come from a file, several or a pattern; got none")
    several = len(given) > 1 or _is_pattern(given[0], folder)
    found: dict[str, Source] = {}
    for number, one in enumerate(given, start=1):
        for rows in row_files(one, folder):
            named = isinstance(one, str | PathLike)
            where = path.abspath(rows.name) if named else f"\0{number}"
            prefix = _prefix(where, folder) if named else f"data{number}"
            found.setdefault(where, Source(rows, prefix if several else ""))
    return [*found.values()]


def _is_pattern(one: object, folder: Path) -> bool:
    """Whether ``one`` is a pattern, and not a file whose name has brackets in it."""
    if not isinstance(one, str | PathLike):
        return False
    return has_magic(fspath(one)) and not (folder / fspath(one)).exists()


def _prefix(where: str, folder: Path) -> str:
    """How ids name the file ``where``: its path from ``folder``, without its suffix."""
    parts = Path(path.relpath(where, folder)).with_suffix("").parts
    return safe_id("-".join(part for part in parts if part != ".."))
