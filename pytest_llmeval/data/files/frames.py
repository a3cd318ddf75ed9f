"""Frames: tables of pandas, polars and Arrow, and datasets of Hugging Face, known by their ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import CaseError, UsageError
from ..rows import Row
from .plain import plain_row


@dataclass(frozen=True)
class Table:
    """How a table is read: ``through`` gives every row, ``row_at`` one, from 0."""

    name: str
    columns: Sequence[Any]
    through: Callable[[], Iterable[Mapping[Any, Any]]]
    row_at: Callable[[int], Mapping[Any, Any]]


class FrameRows:
    """The rows of a ``table``; a place is a row's number, from 1."""

    holder = None

    def __init__(self, table: Table) -> None:
        columns = [*table.columns]
        twice = next((each for each in columns if columns.count(each) > 1), None)
        if twice is not None:
            raise CaseError(f"{table.name}: there are two columns {twice!r}")
        self.name = table.name
        self._table = table

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        for number, values in enumerate(self._table.through(), start=1):
            yield number, self._row(number, values)

    def row(self, place: int) -> Row:
        return self._row(place, self._table.row_at(place - 1))

    def _row(self, number: int, values: Mapping[Any, Any]) -> Row:
        where = f"{self.name}:row {number}"
        return Row(where, plain_row(values, where), flat=True)


def frame_rows(source: Any) -> FrameRows | None:
    """The rows of ``source``, None where it is no table.

    Raises ``UsageError`` for one that is not computed yet, for several splits, and for a stream.
    """
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return FrameRows(_of_pandas(source))
    if hasattr(source, "collect_schema") and hasattr(source, "lazy"):
        return FrameRows(_of_polars(source))
    if hasattr(source, "to_pylist") and hasattr(source, "column_names"):
        return FrameRows(_of_arrow(source))
    return FrameRows(_of_dataset(source)) if hasattr(source, "column_names") else None


_FRAME = "the given frame"


def _of_pandas(frame: Any) -> Table:
    names = [*frame.columns]

    def rows(part: Any) -> Iterator[dict[Any, Any]]:
        for values in part.itertuples(index=False, name=None):
            yield dict(zip(names, values, strict=True))

    def row_at(at: int) -> dict[Any, Any]:
        return next(rows(frame.iloc[at : at + 1]))

    return Table(_FRAME, names, lambda: rows(frame), row_at)


def _of_polars(frame: Any) -> Table:
    if not hasattr(frame, "iter_rows"):
        raise UsageError("a lazy frame has no rows yet; give frame.collect()")

    def row_at(at: int) -> Mapping[Any, Any]:
        found: Mapping[Any, Any] = frame.row(at, named=True)
        return found

    return Table(_FRAME, frame.columns, lambda: frame.iter_rows(named=True), row_at)


def _of_arrow(table: Any) -> Table:
    maps = map_columns(table.schema)

    def through() -> Iterator[dict[str, Any]]:
        for batch in table.to_batches(max_chunksize=1000):
            for values in batch.to_pylist():
                yield with_maps(values, maps)

    def row_at(at: int) -> dict[str, Any]:
        return with_maps(table.slice(at, 1).to_pylist()[0], maps)

    return Table("the given table", table.column_names, through, row_at)


def map_columns(schema: Any) -> frozenset[str]:
    """The columns of ``schema`` that hold maps."""
    return frozenset(field.name for field in schema if str(field.type).startswith("map<"))


def with_maps(values: dict[str, Any], maps: frozenset[str]) -> dict[str, Any]:
    """``values`` with an object for a map that is empty, which else would be a list."""
    return {name: {} if held == [] and name in maps else held for name, held in values.items()}


def _of_dataset(dataset: Any) -> Table:
    if isinstance(dataset.column_names, Mapping):
        splits = ", ".join(map(str, dataset.column_names))
        one = next(iter(dataset.column_names), "test")
        raise UsageError(f"choose a split, as in dataset[{one!r}]; it has {splits}")
    if not (hasattr(dataset, "__len__") and hasattr(dataset, "__getitem__")):
        raise UsageError("a dataset that is a stream can't be counted; load it without one")
    told = getattr(getattr(dataset, "info", None), "dataset_name", None)
    form = getattr(dataset, "format", None) or {}
    if form.get("type") not in (None, "custom"):  # numpy, torch, pandas: a row of Python's values
        dataset = dataset.with_format(None, columns=form.get("columns"))
    labels = _labels(getattr(dataset, "features", None) or {})

    def named(values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: labels[name](held) if name in labels and held is not None else held
            for name, held in values.items()
        }

    return Table(
        str(told or type(dataset).__name__),
        dataset.column_names,
        lambda: map(named, dataset),
        lambda at: named(dataset[at]),
    )


def _labels(features: Mapping[str, Any]) -> dict[str, Callable[[Any], Any]]:
    """How the numbers of columns that are labels become their names."""
    found: dict[str, Callable[[Any], Any]] = {}
    for name, feature in features.items():
        inner = getattr(feature, "feature", feature)  # of a list
        if callable(named := getattr(inner, "int2str", None)):
            found[name] = named
    return found
