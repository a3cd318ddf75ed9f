"""Datasets: cases from files."""

from __future__ import annotations

from pathlib import Path

from ..errors import CaseError
from .cases import Case
from .jsonl import JsonLines
from .shapes import case_of


def load_cases(path: Path) -> list[Case]:
    """The cases of a JSONL file, one JSON object a line; a BOM and blank lines are passed over.

    Raises ``CaseError`` naming file and line: for what is no JSON object, an unknown or misspelt
    field, a value of the wrong type, a name or an id given twice, and for a file without cases.
    """
    first: dict[str, str] = {}
    cases = []
    for _, row in JsonLines(path):
        case = case_of(row)
        if case.id is not None and (earlier := first.setdefault(case.id, row.where)) != row.where:
            line = earlier.rpartition(":")[2]
            raise CaseError(f"{row.where}: id {case.id!r} was given in line {line} already")
        cases.append(case)
    if not cases:
        raise CaseError(f"{path}: expected one JSON object a line, found no case")
    return cases


def case_ids(cases: list[Case]) -> list[str]:
    """A readable id for each of ``cases``, the same whatever stands beside it; repeats numbered."""
    seen: dict[str, int] = {}
    ids = []
    for case in cases:
        name = case.identity or "case"
        seen[name] = seen.get(name, 0) + 1
        ids.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return ids
