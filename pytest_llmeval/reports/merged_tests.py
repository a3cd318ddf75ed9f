"""The tests of several runs of parts of a suite."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import TestRow
from .run import Run


def merged_tests(runs: Sequence[Run]) -> tuple[TestRow, ...]:
    """Every test of ``runs`` once, by node id: as it was in the part that ran it, if one did."""
    tests: dict[str, TestRow] = {}
    for row in (row for run in runs for row in run.tests):
        known = tests.setdefault(row.nodeid, row)
        if known.state == "not_run" and (row.state != "not_run" or known.unselected):
            tests[row.nodeid] = row
    return tuple(sorted(tests.values(), key=lambda row: row.nodeid))
