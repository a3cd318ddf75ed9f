"""Datasets: cases from files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import CaseError
from .cases import Case


def load_cases(path: Path) -> list[Case]:
    """The cases of a JSONL file, one JSON object a line; a BOM and blank lines are passed over.

    Raises ``CaseError`` naming file and line: for what is no JSON object, an unknown or misspelt
    field, a value of the wrong type, a name or an id given twice, and for a file without cases.
    """
    first_line: dict[str, int] = {}
    cases = []
    for number, line in _lines(path):
        where = f"{path}:{number}"
        case = _case(line, where)
        if case.id is not None and (earlier := first_line.setdefault(case.id, number)) != number:
            raise CaseError(f"{where}: id {case.id!r} was given in line {earlier} already")
        cases.append(case)
    if not cases:
        raise CaseError(f"{path}: expected one JSON object a line, found no case")
    return cases


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path}: cannot be read: {error}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def _case(line: str, where: str) -> Case:
    try:
        row = json.loads(line, object_pairs_hook=partial(_object, where))
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{where}: expected a JSON object: {error}") from None
    if not isinstance(row, dict):
        raise CaseError(f"{where}: expected a JSON object, got {type(row).__name__}")
    try:
        return Case.model_validate(row)
    except CaseError as error:
        raise type(error)(f"{where}: {error}") from None


def _object(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise CaseError(f"{where}: {twice!r} is given twice in one object")
    return values


def case_ids(cases: list[Case]) -> list[str]:
    """A readable id for each of ``cases``, the same whatever stands beside it; repeats numbered."""
    seen: dict[str, int] = {}
    ids = []
    for case in cases:
        name = case.identity or "case"
        seen[name] = seen.get(name, 0) + 1
        ids.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return ids
