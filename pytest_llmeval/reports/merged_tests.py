"""The tests of several runs of parts of a suite, and its gates, decided over all of them."""

from __future__ import annotations

from collections.abc import Sequence

from ..gates.attended import Attended
from ..gates.every_gate import decide_all
from ..gates.gate import GateResult
from ..gates.group import groups_of
from ..records import TestRow
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


def merged_gates(first: Run, attended: Attended) -> tuple[GateResult, ...]:
    """The gates of runs that were set alike, as ``first`` was, decided on ``attended``."""
    rules = [gate.rule for gate in first.gates if gate.rule is not None]
    lines = first.settings.get("group") or []
    named = groups_of(map(str, lines)) if isinstance(lines, list) else ()
    return tuple(decide_all(rules, named, attended))
