"""JSON: an array of objects, or an object that holds one such array, under whatever name."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import CaseError
from ..json_text import JsonFault, decoded, spaces_end
from ..rows import Row
from ..words.naming import spelt
from ..words.vocabulary import TALKING
from .text_file import BOM, TextFile, text_of

HOLDERS = [
    "rows",
    "data",
    "examples",
    "goldens",
    "testset",
    "tests",
    "test_cases",
    "cases",
    "samples",
    "items",
    "records",
    "dataset",
    "questions",
    "eval_set",
]
"""Under these names tools keep the rows of a file."""


class JsonRows:
    """The rows of the JSON file ``path``; a place is a row's number, from 1.

    ``holder`` is the name of the array that they were found in, None for a file that is one; it is
    known once rows were read. Where the rows stand is kept, so that each is found again.
    What promptfoo's ``defaultTest`` gives every test is part of each row.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = str(path) if name is None else name
        self.holder: str | None = None
        self._file = TextFile(path, self.name)
        self._places = array("Q")
        self._default: dict[str, Any] = {}

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        with self._file.opened() as file:
            content = file.read()
        text = text_of(content.removeprefix(BOM), self.name)
        places = self._places = array("Q")
        at, line, offset = 0, 1, len(content) - len(content.removeprefix(BOM))
        try:
            for number, (start, end, value) in enumerate(self._rows(text), start=1):
                line += text.count("\n", at, start)
                offset += len(text[at:start].encode())
                at = start
                places.extend((offset, len(text[start:end].encode()), line))
                yield number, self._row(number, line, value)
        except JsonFault as fault:
            raise self._refusal(text, fault) from None

    def row(self, place: int) -> Row:
        if 3 * place > len(self._places):
            for _ in self:
                pass
        offset, length, line = self._places[3 * place - 3 : 3 * place]
        with self._file.opened_again() as file:
            file.seek(offset)
            value, _ = decoded(file.read(length).decode())
        return self._row(place, line, value)

    def _row(self, number: int, line: int, value: Any) -> Row:
        where = f"{self.name}:{line} (row {number})"
        if not isinstance(value, dict):
            raise CaseError(f"{where}: expected a JSON object, got {type(value).__name__}")
        given = value.get("vars")
        if self._default and isinstance(given, dict | None):
            value = {**value, "vars": {**self._default, **(given or {})}}
        return Row(where, value)

    def _rows(self, text: str) -> Iterator[tuple[int, int, Any]]:
        """Each row's beginning, end and value."""
        start = spaces_end(text, 0)
        if text[start : start + 1] == "[":
            yield from _elements(text, start)
        elif text[start : start + 1] == "{":
            value, end = _decoded(text, start)
            self._ended(text, end)
            self.holder = self._holder(value)
            if self.holder is None:
                yield start, end, value
            else:
                self._default = self._shared(value) if self.holder == "tests" else {}
                at = next(at for name, at in _members(text, start) if name == self.holder)
                yield from _elements(text, at, whole=False)
        elif start < len(text):
            raise JsonFault("expecting an array of objects", start)

    def _ended(self, text: str, end: int) -> None:
        after = spaces_end(text, end)
        if after < len(text):
            lines = text[after : after + 1] == "{"
            told = "several objects, as in a .jsonl file" if lines else "something follows its end"
            raise JsonFault(told, after)

    def _holder(self, value: dict[str, Any]) -> str | None:
        """The name of the array of rows in ``value``, None where it is a row itself."""
        arrays = [name for name, held in value.items() if isinstance(held, list)]
        found = [name for name in arrays if name.lower() in HOLDERS]
        if any(spelt(name) in TALKING for name in value):
            return None
        found = found or [name for name in arrays if value[name] and _all_objects(value[name])]
        if len(found) == 1:
            return found[0]
        told = f"several: {', '.join(found)}" if found else f"none in {', '.join(value) or '{}'}"
        raise CaseError(f"{self.name}: expected one array of objects, got {told}")

    def _shared(self, value: dict[str, Any]) -> dict[str, Any]:
        """The variables of every test in a configuration of promptfoo."""
        default = value.get("defaultTest")
        if isinstance(default, str):
            advice = "is a file, which is not read: write what it has in its place"
            raise CaseError(f"{self.name}: defaultTest: {default!r:.60} {advice}")
        given = default.get("vars") if isinstance(default, dict) else None
        return given if isinstance(given, dict) else {}

    def _refusal(self, text: str, fault: JsonFault) -> CaseError:
        line = "" if fault.at is None else f":{text.count(chr(10), 0, fault.at) + 1}"
        told = "" if fault.of_content else "expected JSON: "
        return CaseError(f"{self.name}{line}: {told}{fault}")


def _all_objects(values: list[Any]) -> bool:
    return all(isinstance(value, dict) for value in values)


def _decoded(text: str, start: int) -> tuple[Any, int]:
    """The value at ``start``, and where it ends; a fault is there where it has no other place."""
    try:
        return decoded(text, start)
    except JsonFault as fault:
        fault.at = start if fault.at is None else fault.at
        raise


def _elements(text: str, start: int, whole: bool = True) -> Iterator[tuple[int, int, Any]]:
    """The elements of the array at ``start``; where it is the ``whole`` text, nothing follows."""
    at = spaces_end(text, start + 1)
    closed = text[at : at + 1] == "]"
    while not closed:
        value, end = _decoded(text, at)
        yield at, end, value
        at = spaces_end(text, end)
        closed = text[at : at + 1] == "]"
        if not closed:
            if text[at : at + 1] != ",":
                raise JsonFault("expecting ',' or ']'", at)
            at = spaces_end(text, at + 1)
    after = spaces_end(text, at + 1)
    if whole and after < len(text):
        raise JsonFault("something follows its end", after)


def _members(text: str, start: int) -> Iterator[tuple[str, int]]:
    """The names in the object at ``start``, which was read before, and where their values begin."""
    at = spaces_end(text, start + 1)
    while text[at] != "}":
        name, end = decoded(text, at)
        at = spaces_end(text, spaces_end(text, end) + 1)
        yield name, at
        at = spaces_end(text, decoded(text, at)[1])
        if text[at] == ",":
            at = spaces_end(text, at + 1)
