"""Recognised: what was understood of a file's rows, in one line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..rows import Row, RowFile
from .naming import spelt
from .reading import Reading


@dataclass(slots=True)
class Recognised:
    """What was understood of the rows of ``source``, as they are added.

    ``shapes`` are the tools in whose words they are, ``renamed`` the names with the fields that
    they are, ``metadata`` the names that no field is for, ``remarks`` what else ought to be said.
    """

    source: RowFile
    count: int = 0
    shapes: dict[str, int] = field(default_factory=dict)
    renamed: dict[tuple[str, str], None] = field(default_factory=dict)
    metadata: dict[str, None] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set, repr=False)

    def add(self, row: Row, reading: Reading) -> None:
        """Take in ``row``, which is read as ``reading`` says."""
        self.count += 1
        name = reading.tool.name
        if reading.tool.when_empty:
            self.remarks.update(dict.fromkeys(_of_empty(row, reading)))
        self.shapes[name] = self.shapes.get(name, 0) + 1
        if id(reading) in self._seen:
            return
        self._seen.add(id(reading))
        self.renamed.update(dict.fromkeys(reading.renamed))
        self.metadata.update(dict.fromkeys(name for _, name in reading.left))
        remarks = reading.tool.remarks
        self.remarks.update((remarks[name], None) for _, name in reading.left if name in remarks)

    def line(self) -> str:
        """This in one line: ``q.jsonl: 12 cases, Databricks evaluation set (request → query)``."""
        cases = "1 case" if self.count == 1 else f"{self.count} cases"
        named = [shape for shape in self.shapes if shape]
        if len(self.shapes) > 1:
            named = [f"{count} {shape or 'in our names'}" for shape, count in self.shapes.items()]
        told = []
        if self.renamed:
            told.append(", ".join(f"{name} → {field}" for name, field in self.renamed))
        if self.metadata:
            told.append(f"kept as metadata: {_few(list(self.metadata))}")
        told += self.remarks
        details = f" ({'; '.join(told)})" if told else ""
        held = f", its {self.source.holder!r}" if self.source.holder else ""
        return f"{self.source.name}{held}: {', '.join([cases, *named])}{details}"


def _of_empty(row: Row, reading: Reading) -> Iterator[str]:
    """What ought to be said of the lists in ``row`` that are empty."""
    for name, value in row.values.items():
        if value in ([], "[]") and spelt(name) in reading.tool.when_empty and not reading.told:
            yield reading.tool.when_empty[spelt(name)]


def _few(names: list[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
