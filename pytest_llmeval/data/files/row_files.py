"""Row files: which reader a source of cases has, by what it is and by its extension."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path

from ...errors import CaseError, UsageError
from ..cases import Case
from ..rows import RowFile
from .csv_rows import CsvRows
from .frames import frame_rows
from .given import GivenRows
from .json_rows import JsonRows
from .jsonl import JsonLines
from .parquet import ParquetRows

EXTENSIONS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_YAML = (".yaml", ".yml")


def row_files(source: object, folder: Path) -> tuple[RowFile, ...]:
    """The files that ``source`` means; a pattern (``cases/*.jsonl``, ``**``) means all it finds.

    Those of a pattern are in the order of their names, hidden ones apart. Raises ``CaseError``
    where it finds none, and whatever ``row_file`` raises.
    """
    if not isinstance(source, str | PathLike) or not glob.has_magic(fspath(source)):
        return (row_file(source, folder),)
    path = folder / fspath(source)
    if path.exists():  # brackets may be part of a name
        return (row_file(source, folder),)
    found = sorted(glob.glob(fspath(path), recursive=True))
    files = [name for name in found if not Path(name).is_dir()]
    if not files:
        raise CaseError(f"{_shown(path)}: the pattern finds no file")
    return tuple(row_file(name, folder) for name in files)


def row_file(source: object, folder: Path) -> RowFile:
    """The rows of ``source``: a file, relative to ``folder``; cases, mappings; a frame or dataset.

    A file's extension says what it is: JSONL (``.jsonl``, ``.ndjson``), JSON, CSV (``.csv``,
    ``.tsv``), Parquet. A dataset is a ``datasets.Dataset`` of Hugging Face, a data frame one of
    pandas or polars, or a ``pyarrow.Table``. Nothing is read yet.
    Raises ``UsageError`` for anything else, and ``CaseError`` for a folder.
    """
    if isinstance(source, str | PathLike):
        return _of_path(folder / fspath(source))
    if (frame := frame_rows(source)) is not None:
        return frame
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray):
        return GivenRows(source)
    kinds = "a path, a list of cases or mappings, a data frame, or a datasets.Dataset"
    known = "; it can be read once only: make a list of it" if isinstance(source, Iterator) else ""
    known = "; put the one into a list" if isinstance(source, Case | Mapping) else known
    raise UsageError(f"cases come from {kinds}; got {type(source).__name__}{known}")


def _of_path(path: Path) -> RowFile:
    name, extension = _shown(path), path.suffix.lower()
    if _is_folder(path):
        raise CaseError(f"{name}: expected a file, got a folder; all of it is {name}/*.jsonl")
    if extension in (".jsonl", ".ndjson"):
        return JsonLines(path, name)
    if extension == ".json":
        return JsonRows(path, name)
    if extension in (".csv", ".tsv"):
        return CsvRows(path, name, "\t" if extension == ".tsv" else None)
    if extension == ".parquet":
        return ParquetRows(path, name)
    known = ", ".join(EXTENSIONS)
    advice = "; YAML is not read: write it as JSON" if extension in _YAML else ""
    raise UsageError(f"{name}: expected a file of cases ({known}), got {extension!r}{advice}")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that no file can have; its reader says so
        return False


def _shown(path: Path) -> str:
    """``path`` as messages name it: from the current folder, where it is below that."""
    told = fspath(path)
    try:
        shorter = os.path.relpath(told)
    except (OSError, ValueError):  # on another drive, or no current folder
        return told
    return told if shorter.startswith(os.pardir) else shorter
