"""Rows that are given in Python: cases, mappings, or a dataset of Hugging Face."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import CaseError, UsageError
from ..cases import Case
from .rows import Row


class GivenRows:
    """The rows of a sequence of cases and mappings; a place is a row's number, from 1."""

    holder = None

    def __init__(self, rows: Sequence[Case | Mapping[str, Any]], name: str = "the given cases"):
        self.name = name
        self._rows = rows

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        for number, item in enumerate(self._rows, start=1):
            yield number, self._row(number, item)

    def row(self, place: int) -> Row:
        return self._row(place, self._rows[place - 1])

    def _row(self, number: int, item: object) -> Row:
        where = f"{self.name}:row {number}"
        if isinstance(item, Case):
            return Row(where, {name: getattr(item, name) for name in item.model_fields_set})
        if not isinstance(item, Mapping):
            raise CaseError(f"{where}: expected a Case or a mapping, got {type(item).__name__}")
        return Row(where, dict(item))


class DatasetRows:
    """The rows of a ``datasets.Dataset``; a place is a row's number, from 1.

    Raises ``UsageError`` for several splits, and for a dataset that is a stream.
    """

    holder = None

    def __init__(self, dataset: Any) -> None:
        if isinstance(dataset.column_names, Mapping):
            splits = ", ".join(map(str, dataset.column_names))
            one = next(iter(dataset.column_names), "test")
            raise UsageError(f"choose a split, as in dataset[{one!r}]; it has {splits}")
        if not (hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__")):
            raise UsageError("a dataset that is a stream can't be counted; load it without one")
        told = getattr(getattr(dataset, "info", None), "dataset_name", None)
        self.name = str(told or type(dataset).__name__)
        self._dataset = dataset

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        for number, values in enumerate(self._dataset, start=1):
            yield number, self._row(number, values)

    def row(self, place: int) -> Row:
        return self._row(place, self._dataset[place - 1])

    def _row(self, number: int, values: Mapping[str, Any]) -> Row:
        return Row(f"{self.name}:row {number}", dict(values), flat=True)
