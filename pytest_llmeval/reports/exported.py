"""Formats: a run as the text or the bytes of a file that other programs read."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from ..errors import UsageError
from .azure import azure_document
from .databricks import Kind, Table, databricks_table
from .run import Run

FORMATS = ("databricks", "azure", "csv", "parquet")

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "'")
"""What a text begins with that a spreadsheet might run, and the mark that keeps it from it."""


def exported(run: Run, form: str) -> str | bytes:
    """``run`` in one of ``FORMATS``: text, for ``parquet`` bytes.

    Raises ``UsageError`` where pyarrow is missing, which parquet needs.
    """
    if form == "azure":
        return json.dumps(azure_document(run), indent=2, ensure_ascii=False) + "\n"
    table = databricks_table(run)
    if form == "csv":
        return _csv(table)
    if form == "parquet":
        return _parquet(table)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.rows)


def _csv(table: Table) -> str:
    """``table`` with a header; a list as JSON, None as an empty cell.

    A text that a spreadsheet might take for a formula gets a ``'`` before it, and so does one that
    begins with ``'``: taking one away gives every text back. Numbers stay as they are.
    """
    file = io.StringIO(newline="")
    writer = csv.writer(file)  # with another end of line carriage returns would stand unquoted
    writer.writerow(map(_cell, table.columns))
    writer.writerows([_cell(value) for value in row.values()] for row in table.rows)
    return file.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value


def _parquet(table: Table) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError(
            "parquet needs pyarrow: pip install pytest-llm-evaluation[parquet], or export csv"
        ) from None
    kinds: dict[Kind, Any] = {
        "text": pa.string(),
        "number": pa.float64(),
        "integer": pa.int64(),
        "texts": pa.list_(pa.string()),
        "documents": pa.list_(pa.struct([("doc_uri", pa.string())])),
    }
    schema = pa.schema([(name, kinds[kind]) for name, kind in table.columns.items()])
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(table.rows, schema=schema), sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written
