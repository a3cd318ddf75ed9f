"""Sources: the files that a marker or a call names, also by patterns, each with its own ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from glob import has_magic
from os import PathLike, fspath, pardir, path
from pathlib import Path

from ..errors import UsageError
from .aliases import closest
from .case_ids import BETWEEN, safe_id, unmistakable
from .cases import Case
from .field_names import FieldNames
from .files.row_files import EXTENSIONS, row_files
from .rows import NamedRows, RowFile
from .words.shapes import case_of

_NOT_NAMED = re.compile(r"data\d+|parent", re.IGNORECASE)
"""What stands for data, and for the folder above, in the place of a name."""


class Source:
    """One file of cases, or what stands for one. ``prefix`` tells its ids from other sources'."""

    def __init__(self, rows: RowFile, prefix: str = "") -> None:
        self.rows = rows
        self.prefix = prefix

    def case(self, place: int) -> Case:
        """The case at ``place``. Raises ``CaseError`` for what it can't be."""
        return case_of(self.rows.row(place))


def sources_of(given: Sequence[object], folder: Path, names: FieldNames) -> list[Source]:
    """The sources that ``given`` names: paths and patterns, relative to ``folder``, or data.

    A file that is named twice is there once. With several sources, or a pattern, each file's ids
    begin with its path: decided by what is written, not by how many files there happen to be, so
    that one more changes no id. ``names`` are those whose fields the user says. Raises as
    ``row_files`` does, and ``UsageError`` for no source.
    """
    if not given:
        raise UsageError("cases come from a file, several or a pattern; got none")
    several = len(given) > 1 or _is_pattern(given[0], folder)
    found: dict[str, Source] = {}
    data = 0
    for one in given:
        named = isinstance(one, str | PathLike)
        data += not named
        for rows in row_files(one, folder):
            where = path.abspath(rows.name) if named else f"\0{data}"
            prefix = _prefix(where, folder) if named else f"data{data}"
            read = NamedRows(rows, names) if names else rows
            found.setdefault(where, Source(read, prefix if several else ""))
    return [*found.values()]


def refuse_unmet(sources: Sequence[Source]) -> None:
    """Raise ``UsageError`` for a name of ``fields=`` that no row of any of ``sources`` has.

    Where not all rows have been read, the others are read for it.
    """
    named = [source.rows for source in sources if isinstance(source.rows, NamedRows)]
    for rows in named:
        for _ in rows if _unmet(named) else ():
            if not _unmet(named):
                return
    if unmet := _unmet(named):
        known = dict.fromkeys(name for rows in named for name in rows.known)
        raise UsageError(f"fields: no row has {unmet[0]!r}{closest(unmet[0], known)}")


def _unmet(named: Sequence[NamedRows]) -> list[str]:
    first = named[0].unmet if named else ()
    return [name for name in first if all(name in rows.unmet for rows in named)]


def _is_pattern(one: object, folder: Path) -> bool:
    """Whether ``one`` is a pattern, and not a file whose name has brackets in it."""
    if not isinstance(one, str | PathLike):
        return False
    return has_magic(fspath(one)) and not (folder / fspath(one)).exists()


def _prefix(where: str, folder: Path) -> str:
    """How ids name the file ``where``: its path from ``folder``, so that no two files share one.

    The parts are joined as the id will be. ``.jsonl`` is left out, as long as no other extension
    comes before it.
    """
    *folders, name = Path(path.relpath(where, folder)).parts
    stem = name.removesuffix(".jsonl")
    name = name if stem.lower().endswith(EXTENSIONS) else stem
    return BETWEEN.join([*map(_part, folders), _part(name)])


def _part(name: str) -> str:
    if name == pardir:
        return "parent"
    return unmistakable(name) if _NOT_NAMED.fullmatch(name) is None else safe_id(f"{name}/")
