"""JSONL: a JSON object a line; a byte order mark and blank lines are passed over."""

from __future__ import annotations

import json
from array import array
from codecs import BOM_UTF8
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import CaseError
from .rows import Row


class JsonLines:
    """The rows of the JSONL file ``path``; a place is a line's number, from 1.

    Where lines begin is kept as they are read, so that any is found again at once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begins = array("Q")
        self.name = str(path)

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        at = 0
        try:
            with self._path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if number > len(self._begins):
                        self._begins.append(at)
                    at += len(line)
                    if row := self._row(line, number):
                        yield number, row
        except OSError as error:
            raise CaseError(f"{self.name}: cannot be read: {error}") from None

    def row(self, place: int) -> Row:
        if not place <= len(self._begins):
            return next(row for number, row in self if number == place)
        try:
            with self._path.open("rb") as file:
                file.seek(self._begins[place - 1])
                line = file.readline()
        except OSError as error:
            raise CaseError(f"{self.name}: cannot be read: {error}") from None
        row = self._row(line, place)
        if row is None:
            raise CaseError(f"{self.name}:{place}: expected a JSON object, got a blank line")
        return row

    def _row(self, line: bytes, number: int) -> Row | None:
        """The row in ``line``, None for a blank one."""
        try:
            text = (line.removeprefix(BOM_UTF8) if number == 1 else line).decode()
        except UnicodeDecodeError as error:
            raise CaseError(f"{self.name}: cannot be read: line {number}: {error}") from None
        return _row(text, f"{self.name}:{number}") if text.strip() else None


def _row(line: str, where: str) -> Row:
    try:
        values = json.loads(line, object_pairs_hook=partial(_object, where))
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{where}: expected a JSON object: {error}") from None
    if not isinstance(values, dict):
        raise CaseError(f"{where}: expected a JSON object, got {type(values).__name__}")
    return Row(where, values)


def _object(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CaseError(f"{where}: {twice!r} is given twice in one object")
    return values
