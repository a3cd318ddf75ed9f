"""Rows: what a file of cases holds, as it holds it, and where each one stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

from .field_names import UNNAMED, FieldNames


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the file has it. ``where`` is how messages name its place: ``q.jsonl:3``.

    ``flat`` says that the file has columns, so that lists and objects may stand in it as text;
    ``names`` which fields the user says that names are.
    """

    where: str
    values: dict[str, Any]
    flat: bool = False
    names: FieldNames = UNNAMED


class RowFile(Protocol):
    """A file of rows, read from its beginning or at one place."""

    @property
    def name(self) -> str:
        """How messages name the file."""
        ...

    @property
    def holder(self) -> str | None:
        """The name under which the file holds its rows, where it has one; known once it is read."""
        ...

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        """Every row with its place, in order. Raises ``CaseError`` for what is no row."""
        ...

    def row(self, place: int) -> Row:
        """The row at ``place``, as iteration gave it; cheap, however large the file is.

        Raises ``CaseError`` where the file has changed since.
        """
        ...


class NamedRows:
    """The rows of ``rows``, of whose names the user says which fields they are.

    ``unmet`` are the names that no row had so far, ``known`` those that rows have.
    """

    def __init__(self, rows: RowFile, names: FieldNames) -> None:
        self._rows = rows
        self._names = names
        self.unmet = dict(names.pairs)
        self.known: dict[str, None] = {}

    @property
    def name(self) -> str:
        return self._rows.name

    @property
    def holder(self) -> str | None:
        return self._rows.holder

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        for place, row in self._rows:
            if self.unmet:
                self.known.update(dict.fromkeys(map(str, row.values)))
                for name in self._names.met(row.values):
                    self.unmet.pop(name, None)
            yield place, replace(row, names=self._names)

    def row(self, place: int) -> Row:
        return replace(self._rows.row(place), names=self._names)
