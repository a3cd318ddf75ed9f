"""JSONL: a JSON object a line; a byte order mark and blank lines are passed over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import CaseError
from .rows import Row


class JsonLines:
    """The rows of the JSONL file ``path``; a place is a line's number, from 1."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = str(path)

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        try:
            text = self._path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise CaseError(f"{self.name}: cannot be read: {error}") from None
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, _row(line, f"{self.name}:{number}")

    def row(self, place: int) -> Row:
        return next(row for number, row in self if number == place)


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
