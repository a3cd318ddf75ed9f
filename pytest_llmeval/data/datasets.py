"""Datasets: cases from files."""

from __future__ import annotations

from pathlib import Path

from ..errors import CaseError
from .cases import Case
from .row_files import row_file
from .shapes import case_of


def load_cases(path: Path) -> list[Case]:
    """The cases of a file, of whatever form and in whatever tool's words.

    Raises ``CaseError`` naming file and line: for what is no row, a misspelt field, a value of the
    wrong type, a name or an id given twice, and for a file without cases.
    """
    first: dict[str, str] = {}
    cases = []
    for _, row in row_file(path, Path()):
        case = case_of(row)
        if case.id is not None and (earlier := first.setdefault(case.id, row.where)) != row.where:
            line = earlier.rpartition(":")[2]
            raise CaseError(f"{row.where}: id {case.id!r} was given in line {line} already")
        cases.append(case)
    if not cases:
        raise CaseError(f"{path}: found no case")
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
