"""JSONL: a JSON object a line; a byte order mark and blank lines are passed over."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path

from ...errors import CaseError
from ..json_text import JsonFault, value_of
from ..rows import Row
from .text_file import BOM, TextFile, text_of


class JsonLines:
    """The rows of the JSONL file ``path``; a place is a line's number, from 1.

    Eight bytes a line are kept, from which a row is found again.
    """

    holder = None

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = str(path) if name is None else name
        self._file = TextFile(path, self.name)
        self._starts = array("Q")

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        for number, line in self._lines():
            if line.strip():
                yield number, self._row(number, line)

    def row(self, place: int) -> Row:
        if place > len(self._starts):
            for _ in self._lines():
                pass
        with self._file.opened_again() as file:
            file.seek(self._starts[place - 1])
            return self._row(place, file.readline())

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        starts = self._starts = array("Q")
        start = 0
        with self._file.opened() as file:
            for number, line in enumerate(file, start=1):
                starts.append(start)
                start += len(line)
                yield number, line.removeprefix(BOM) if number == 1 else line

    def _row(self, number: int, line: bytes) -> Row:
        where = f"{self.name}:{number}"
        text = text_of(line.removeprefix(BOM) if number == 1 else line, where)
        try:
            values = value_of(text)
        except JsonFault as fault:
            if fault.of_content:
                raise CaseError(f"{where}: {fault}") from None
            at = "" if fault.at is None else f" at column {fault.at + 1}"
            raise CaseError(f"{where}: expected a JSON object: {fault}{at}") from None
        if isinstance(values, dict):
            return Row(where, values)
        advice = "; an array of objects is read from a .json file" if values else ""
        advice = advice if isinstance(values, list) else ""
        kind = type(values).__name__
        raise CaseError(f"{where}: expected a JSON object, got {kind}{advice}")
