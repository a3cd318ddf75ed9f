"""Parquet, by pyarrow, a row group at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

from ...errors import CaseError, UsageError
from ..rows import Row
from .frames import map_columns, with_maps
from .plain import plain_row

ADVICE = "to read Parquet files: pip install 'pytest-llm-evaluation[parquet]'"


class ParquetRows:
    """The rows of the Parquet file ``path``; a place is a row's number, from 1.

    The row group that was read last is kept.
    """

    holder = None

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = str(path) if name is None else name
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._ends: list[int] = []
        self._maps: frozenset[str] = frozenset()
        self._group: tuple[int, Any] | None = None

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        self._stamp, self._group = None, None
        with self._opened() as file, self._readable():
            names = file.schema_arrow.names
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise CaseError(f"{self.name}: there are two columns {twice!r}")
            number = 0
            for batch in file.iter_batches(batch_size=1000):
                for values in batch.to_pylist():
                    number += 1
                    yield number, self._row(number, values)

    def row(self, place: int) -> Row:
        with self._opened() as file, self._readable():
            group = bisect_right(self._ends, place - 1)
            kept = self._group
            if kept is None or kept[0] != group:
                kept = self._group = group, file.read_row_group(group)
            start = self._ends[group - 1] if group else 0
            return self._row(place, kept[1].slice(place - 1 - start, 1).to_pylist()[0])

    def _row(self, number: int, values: dict[str, Any]) -> Row:
        where = f"{self.name}:row {number}"
        return Row(where, plain_row(with_maps(values, self._maps), where), flat=True)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """What pyarrow finds damaged as it reads is told as a ``CaseError``."""
        from pyarrow import ArrowException

        try:
            yield
        except (ArrowException, OSError, ValueError, OverflowError) as error:
            raise CaseError(f"{self.name}: cannot be read: {_first_line(error)}") from None

    def _opened(self) -> Any:
        """The file, which is the one that was opened first. Raises ``CaseError``."""
        try:
            from pyarrow import ArrowException
            from pyarrow.parquet import ParquetFile
        except ImportError:
            raise UsageError(f"{self.name}: {ADVICE}") from None
        try:
            status = self._path.stat()
            file = ParquetFile(self._path)
        except OSError as error:
            told = error.strerror or _first_line(error)
            raise CaseError(f"{self.name}: cannot be read: {told}") from None
        except (ArrowException, ValueError) as error:
            raise CaseError(f"{self.name}: expected Parquet: {_first_line(error)}") from None
        stamp = status.st_size, status.st_mtime_ns
        if self._stamp is None:
            self._stamp = stamp
            sizes = (file.metadata.row_group(at).num_rows for at in range(file.num_row_groups))
            self._ends = list(accumulate(sizes))
            self._maps = map_columns(file.schema_arrow)
        elif stamp != self._stamp:
            file.close()
            raise CaseError(f"{self.name}: the file has changed since its rows were counted")
        return file


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
