"""A baseline renewed: what a run came to, and of the former rows those that it says nothing of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..records.record import Record
from ..results import Outcome
from ..text.plural import many
from .gate import FailOn, blindness
from .rows import Row, placed, rows_of
from .standing import Roll, Standing
from .versus import versus

_NOT_REACHED = "their tests raised, or got no verdict"
_WHY = {
    Standing.LEFT_OUT: "their tests were skipped, or expected to fail",
    Standing.STOPPED: _NOT_REACHED,
    Standing.ELSEWHERE: "their files were not collected",
}
"""Why a row stays that the run made no check for, by the standing of its test."""


@dataclass(frozen=True, slots=True)
class Renewed:
    """The rows of a baseline: ``made`` by the run, and those ``kept``, by why they are.

    ``lacking`` counts checks that got no verdict, and had none before.
    """

    made: Sequence[Row]
    kept: dict[str, list[Row]]
    lacking: int

    @property
    def rows(self) -> list[Row]:
        """All of them."""
        return [*self.made, *(row for rows in self.kept.values() for row in rows)]


def renewed(rows: Sequence[Row], records: Sequence[Record], roll: Roll) -> Renewed:
    """The baseline ``rows`` as a run with ``records`` leaves them.

    A row without its check goes only where the run would have made that: where its test is gone,
    came to its end without it, or found nothing to judge.
    """
    made = rows_of(records)
    there = {(row.place, row.trial) for row in made}
    undecided = {
        (place, trial)
        for place, trial, record in placed(records)
        if record.outcome is Outcome.ERROR
    }
    kept: dict[str, list[Row]] = {}
    for row in rows:
        if (row.place, row.trial) in there:
            continue
        standing = roll.of_trial(row.place.test, row.trial)
        lost = (row.place, row.trial) in undecided  # settings may have errors reported as skipped
        why = _NOT_REACHED if lost else _WHY.get(standing)
        if why is not None:
            kept.setdefault(why, []).append(row)
    return Renewed(made, kept, len(undecided - {(row.place, row.trial) for row in rows}))


def counted(rows: Iterable[Row]) -> str:
    """How many checks ``rows`` are; the trials of one are one check, as where they are compared."""
    rows = [*rows]
    checks = len({row.place for row in rows})
    told = many(checks, "check")
    return told if checks == len(rows) else f"{told} in {len(rows)} trials"


def told(made: Renewed, records: Sequence[Record], roll: Roll, fail_on: FailOn) -> list[str]:
    """What there is to say of a baseline that was just written, beside how many checks it has."""
    said = [f"  {counted(rows)} kept as before: {why}" for why, rows in sorted(made.kept.items())]
    if made.lacking:
        said.append(f"checks without a verdict, which are not in the baseline: {made.lacking}")
    if fail_on == "regression" and (blind := blindness(versus(made.rows, records, roll))):
        said.append(f"against this baseline {blind}")
    return said
