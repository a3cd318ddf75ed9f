"""The tests of several runs of parts of a suite."""

from __future__ import annotations

from collections.abc import Sequence

from ..records.tests import TestRow
from .run import Run


def merged_tests(runs: Sequence[Run], complete: bool) -> tuple[TestRow, ...]:
    """Every test of ``runs`` once, by node id: as it was in the part that ran it, if one did.

    Where the whole is ``complete`` a test that ran in no part that tells of it ran in another, in
    which no such test of its file made a check.
    """
    tests: dict[str, TestRow] = {}
    for row in (row for run in runs for row in run.tests):
        known = tests.setdefault(row.nodeid, row)
        if known.state == "not_run" and (row.state != "not_run" or known.unselected):
            tests[row.nodeid] = row
    there = (row for row in tests.values() if row.marked or not complete or row.state != "not_run")
    return tuple(sorted(there, key=lambda row: row.nodeid))
