"""CSV with a header (RFC 4180), separated by commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import re
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import CaseError
from ..rows import Row
from ..words.naming import spelt
from ..words.vocabulary import KNOWN
from .text_file import BOM, TextFile, text_of

_SEPARATORS = (",", ";", "\t", "|")
_SAID = re.compile(rb"sep=([,;|:\t~^])\r?\n", re.IGNORECASE)
"""The line in which Excel says the separator, before the header."""


class CsvRows:
    """The rows of the CSV file ``path``; a place is a row's number, from 1.

    An empty cell is absent; all others are text. Rows, and columns at the end, in which all is
    empty are passed over, as Excel leaves them. Unless a line ``sep=;`` says it, or ``separator``,
    that one counts under which most names of the header are known. Where each row stands is kept
    (16 bytes).
    """

    holder = None

    def __init__(self, path: Path, name: str | None = None, separator: str | None = None) -> None:
        self.name = str(path) if name is None else name
        self._file = TextFile(path, self.name)
        self._separator = separator
        self._header: list[str] = []
        self._places = array("Q")

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        places = self._places = array("Q")
        with self._file.opened() as file:
            if file.read(len(BOM)) != BOM:
                file.seek(0)
            said = _SAID.match(start := file.readline())
            if said is None:
                file.seek(-len(start), 1)
            lines = _Lines(file, self.name, 1 if said is None else 2)
            separator = said[1].decode() if said else self._separator or _separator(file)
            records = _records(lines, separator)
            self._separator = separator
            self._header = self._names(*next(records, (1, 0, [])))
            filled = (record for record in records if any(record[2]))
            for number, (line, offset, cells) in enumerate(filled, start=1):
                places.extend((offset, line))
                yield number, self._row(line, cells)

    def row(self, place: int) -> Row:
        if 2 * place > len(self._places):
            for _ in self:
                pass
        offset, line = self._places[2 * place - 2 : 2 * place]
        with self._file.opened_again() as file:
            file.seek(offset)
            lines = _Lines(file, self.name, line)
            _, _, cells = next(_records(lines, self._separator or ","))
        return self._row(line, cells)

    def _row(self, line: int, cells: list[str]) -> Row:
        where, wanted = f"{self.name}:{line}", len(self._header)
        while len(cells) > wanted and not cells[-1]:
            cells = cells[:-1]
        if len(cells) != wanted:
            noun = "cell" if wanted == 1 else "cells"
            told = f"expected {wanted} {noun} as in the header, got {len(cells)}"
            raise CaseError(f"{where}: {told}; quote a cell that has a separator")
        values: dict[str, Any] = {
            name: cell or None for name, cell in zip(self._header, cells, strict=True)
        }
        return Row(where, values, flat=True)

    def _names(self, line: int, _: int, header: list[str]) -> list[str]:
        """The names in the header, without the columns after them that have none."""
        where = f"{self.name}:{line}"
        while len(header) > 1 and not header[-1]:
            header = header[:-1]
        for number, name in enumerate(header, start=1):
            if not name.strip():
                advice = "; pandas writes no such column with index=False" if number == 1 else ""
                raise CaseError(f"{where}: column {number} has no name{advice}")
            if name in header[: number - 1]:
                raise CaseError(f"{where}: there are two columns {name!r}")
        return header


class _Lines:
    """The lines of ``file`` as text, and where the next one begins."""

    def __init__(self, file: BinaryIO, name: str, number: int = 1) -> None:
        self._file = file
        self._name = name
        self.number = number
        self.offset = file.tell()

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline():
            text = text_of(line, f"{self._name}:{self.number}")
            self.number += 1
            self.offset += len(line)
            yield text

    def refusal(self, error: csv.Error, began: int) -> CaseError:
        """``error`` in the record that ``began`` in that line."""
        told = next((ours for theirs, ours in _FAULTS.items() if theirs in str(error)), str(error))
        return CaseError(f"{self._name}:{began}: expected CSV: {told}")


_FAULTS = {
    "new-line character": "a line ends with CR alone",
    "unexpected end of data": "a quote is opened and never closed",
    "expected after": "a quote within a cell is written twice",
}
"""What Python's reader says, and what it means."""


def _records(lines: _Lines, separator: str) -> Iterator[tuple[int, int, list[str]]]:
    """Each record's line, offset and cells; blank lines are passed over."""
    reader = csv.reader(iter(lines), delimiter=separator, strict=True)
    while True:
        line, offset = lines.number, lines.offset
        limit = csv.field_size_limit(sys.maxsize)  # it is pytest's, too: back after each record
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise lines.refusal(error, line) from None
        finally:
            csv.field_size_limit(limit)
        if cells is None:
            return
        if cells:
            yield line, offset, cells


def _separator(file: BinaryIO) -> str:
    """The separator under which most names in the first line of ``file`` are known."""
    start = file.tell()
    line = file.readline().decode(errors="replace")
    file.seek(start)
    known = {separator: _known(line, separator) for separator in _SEPARATORS}
    return max(_SEPARATORS, key=lambda separator: known[separator])


def _known(line: str, separator: str) -> tuple[int, int]:
    """How many names of the header ``line`` are known, and how many names it has."""
    try:
        names = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return 0, 0
    known = sum(spelt(name).partition(".")[0] in KNOWN for name in names)
    return known, len(names) if known else 0
