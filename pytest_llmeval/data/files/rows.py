"""Rows: what a file of cases holds, as it holds it, and where each one stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the file has it. ``where`` is how messages name its place: ``q.jsonl:3``.

    ``flat`` says that the file has columns, so that lists and objects may stand in it as text.
    """

    where: str
    values: dict[str, Any]
    flat: bool = False


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
