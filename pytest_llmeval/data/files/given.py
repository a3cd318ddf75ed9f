"""Rows that are given in Python: a sequence of cases and mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import CaseError
from ..cases import Case
from ..rows import Row
from .plain import plain_row


class GivenRows:
    """The rows of a sequence of cases and mappings; a place is a row's number, from 1."""

    holder = None

    def __init__(self, rows: Sequence[Case | Mapping[str, Any]], name: str = "the given cases"):
        self.name = name
        self._rows = rows

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        number = 0
        rows = iter(self._rows)
        while True:
            number += 1
            try:
                item = next(rows)
            except StopIteration:
                return
            except Exception as error:
                raise self._unread(number, error) from error
            yield number, self._row(number, item)

    def row(self, place: int) -> Row:
        try:
            item = self._rows[place - 1]
        except Exception as error:
            raise self._unread(place, error) from error
        return self._row(place, item)

    def _unread(self, number: int, error: Exception) -> CaseError:
        told = f"{type(error).__name__}: {error}".partition("\n")[0]
        return CaseError(f"{self.name}:row {number}: to read it raised {told}")

    def _row(self, number: int, item: object) -> Row:
        where = f"{self.name}:row {number}"
        if isinstance(item, Case):
            return Row(where, {name: getattr(item, name) for name in item.model_fields_set})
        if not isinstance(item, Mapping):
            raise CaseError(f"{where}: expected a Case or a mapping, got {type(item).__name__}")
        return Row(where, plain_row(item, where))
