"""What follows from a failing check: whether its test failed by it, and where not, who let it."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from ..gates.gate import GateResult, GateState
from ..gates.group_gate import name_of
from ..gates.group_members import is_called
from ..records.tests import TestRow


class Consequence(StrEnum):
    """What a failing check came to, in the words for how many there are; the gravest first."""

    FAILED = "failed"
    GROUP = "failed in groups that are not held"
    TOLERATED = "tolerated in groups"
    NOTHING = "failed without failing a test"


class Consequences:
    """What follows from the failing checks of ``tests``, given what ``gates`` came to."""

    def __init__(self, tests: Iterable[TestRow], gates: Iterable[GateResult]) -> None:
        self._tests = {row.nodeid: row for row in tests}
        self._not_held = {
            gate.name
            for gate in gates
            if gate.state is not GateState.HELD and gate.reason != "shard"
        }

    def of(self, nodeid: str) -> Consequence:
        """What follows from a failing check of the test ``nodeid``; failed where none is known."""
        row = self._tests.get(nodeid)
        if row is not None and row.state == "tolerated":
            lost = not self._not_held.isdisjoint(map(name_of, row.groups))
            return Consequence.GROUP if lost else Consequence.TOLERATED
        without = row is not None and row.state in ("passed", "xpassed", "skipped")
        return Consequence.NOTHING if without else Consequence.FAILED

    def must_pass(self, nodeid: str) -> bool:
        """Whether a group says that the test ``nodeid`` has to pass."""
        row = self._tests.get(nodeid)
        return row is not None and any(
            is_called(row, name) for group in row.groups for name in group.must_pass
        )
