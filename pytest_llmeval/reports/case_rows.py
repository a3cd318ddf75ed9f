"""Rows: the checks of a run by case, for formats that have a row for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from ..rates.aggregates import is_counted
from ..records.assessment import Assessment
from ..records.judged_case import JudgedCase
from ..records.record import Record
from .run import Run


class _Which(NamedTuple):
    """Which case a check is of: its id, if it has one of its own, and the digest of what it is."""

    id: str | None
    digest: str | None


@dataclass(slots=True)
class CaseRow:
    """One case with its checks by ``slot``, and the suite on it, if there was one.

    ``id`` is the case's own, else a digest of what it asks or the place of its check. ``case`` is
    None where no case could be made.
    """

    id: str | None
    case: JudgedCase | None
    checks: dict[str, Record] = field(default_factory=dict)
    assessment: Assessment | None = None


def case_rows(run: Run, slot_of: Callable[[Record], str]) -> list[CaseRow]:
    """The checks of ``run`` by case, as ``slot_of`` names their columns, in the order of the run.

    A case is told by its id and by what it is, so that two answers to one question are two rows.
    A second check in a slot that is taken goes into a further row of its case: none is lost, and a
    mean over rows is the mean over checks. What no aggregate counts is left out.
    """
    cases = {case.digest: case for case in run.cases}
    rows: dict[tuple[_Which, int], CaseRow] = {}
    taken: Counter[tuple[_Which, str]] = Counter()

    def row_of(which: _Which, slot: str, called: str | None) -> CaseRow:
        number = taken[which, slot]
        taken[which, slot] += 1
        return rows.setdefault(
            (which, number), CaseRow(called, cases.get(which.digest or ""), {}, None)
        )

    for record in filter(is_counted, run.records):
        slot = slot_of(record)
        row_of(_which(record, record.metric), slot, record.case_id).checks[slot] = record
    for assessment in run.assessments:
        if not assessment.xfailed:
            row_of(_which(assessment, ""), "", assessment.case_id).assessment = assessment
    return [*rows.values()]


def _which(made: Record | Assessment, metric: str) -> _Which:
    """The case of ``made``; one without an id is named by its place, another for each metric."""
    placed = metric and (made.case_id or "").startswith(f"{made.nodeid}:{metric}:")
    if made.judged is None:
        return _Which(made.case_id, None)
    return _Which(None if placed else made.case_id, made.judged)
