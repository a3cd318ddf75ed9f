"""Rows and aggregates as the reference writes them, read back under the names that we give."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import UsageError

_RENAMED = {"relevant_to_query": "relevance_to_query"}
_PRECISION = "chunk-relevance-precision"
_ON_RESPONSE = ("correctness", "groundedness", "relevance_to_query", "safety")
"""Metrics on the response whose error messages the reference prints under ``retrieval``."""


def canonical(column: str) -> str:
    """The name that we give ``column``, as the reference or an older version of it calls it."""
    column = column.removesuffix("[]").replace(_PRECISION, "chunk_relevance/precision")
    names = [_RENAMED.get(each, each) for each in column.split("/")]
    if names[0] == "chunk_relevance":
        names = ["retrieval", "llm_judged", *names]
    if names in [["retrieval", "llm_judged", each, "error_message"] for each in _ON_RESPONSE]:
        names[0] = "response"
    return "/".join(names)


def read_rows(path: Path | str) -> list[dict[str, Any]]:
    """The rows of a JSONL file of evaluation results, by the names that we give the columns.

    Raises ``UsageError`` with file and line for what is no row, and for a row that has a column
    under two names with two values.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    return [_row(line, f"{path}:{n}") for n, line in enumerate(lines, 1) if line.strip()]


def _row(line: str, where: str) -> dict[str, Any]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: this is no JSON: {error}") from None
    if not isinstance(given, Mapping):
        raise UsageError(f"{where}: expected an object, a row; got {type(given).__name__}")
    row: dict[str, Any] = {}
    for column, value in given.items():
        name = canonical(column)
        if row.get(name) is not None and value is not None and row[name] != value:
            raise UsageError(f"{where}: two columns are {name}, and their values differ")
        row[name] = row.get(name) if value is None else value
    return row
