"""One case beside itself: its checks in the baseline and in the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..records.record import Record
from ..results import Outcome
from .rows import Place, Row, asked_in, change_of_judge, maker_of, mark_told

_UNMARKED = {Outcome.MEASURED: "none"}
"""The mark of what was only measured."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One case: its checks in the baseline, and those in the run that came to something.

    ``unknown`` trials got no verdict, or were not run; ``unselected`` ones were left out by the
    user's selection.
    """

    place: Place
    before: Sequence[Row]
    now: Sequence[Record]
    unknown: int = 0
    unselected: int = 0

    def open(self, selected_only: bool = False) -> int:
        """How many trials might have come to anything; only those that were to run, if asked so."""
        return self.unknown + (0 if selected_only else self.unselected)

    @property
    def has_come(self) -> bool:
        """Whether a trial of the run came to something that can be compared."""
        return bool(self.now)

    @property
    def judge_change(self) -> str | None:
        """What changed about who judged; None where nothing did."""
        makers = {(row.maker, maker_of(record)) for row in self.before for record in self.now}
        changes = [change_of_judge(*each) for each in sorted(makers, key=repr)]
        return next((each for each in changes if each is not None), None)

    @property
    def mark_change(self) -> str | None:
        """What another pass mark the checks are held to now, in words; None where it is the same,
        or nobody knows the former one."""
        if not self.now:
            return None
        known = (row.maker.mark or _UNMARKED.get(row.outcome) for row in self.before)
        old = {mark for mark in known if mark is not None}
        new = {mark_told(record.rule) or "none" for record in self.now}
        changed = old and old != new
        return f"{', '.join(sorted(old))} → {', '.join(sorted(new))}" if changed else None

    @property
    def is_reworded(self) -> bool:
        """Whether the case is known to ask or expect something else than in the baseline."""
        old = {row.asked for row in self.before if row.asked is not None}
        return bool(old and self.now) and old.isdisjoint(asked_in(each) for each in self.now)

    def passed_before(self) -> list[bool]:
        """Whether each trial of the baseline passes, by the pass rule of today where there is one.

        A mark that was set anew is then no change of the app.
        """
        rule = self.now[0].rule if self.now else None
        return [
            row.outcome is Outcome.PASSED
            if rule is None
            else row.score is not None and rule.holds(row.score)
            for row in self.before
        ]

    def passed_now(self) -> list[bool]:
        """Whether each trial of the run passed."""
        return [record.outcome is Outcome.PASSED for record in self.now]


def judge_change_in(cases: Sequence[Beside]) -> str | None:
    """What changed about who judges a metric, in its ``cases``: the first that tells of another
    judge, else all of them together."""
    changes = (each.judge_change for each in cases)
    return next(filter(None, changes), None) or _judge_come_or_gone(cases)


def _judge_come_or_gone(cases: Sequence[Beside]) -> str | None:
    """What changed about who judges a metric where one run asked somebody and the other nobody.

    Known where a check came to something good with nobody asked: what fails so, as blank responses
    do, fails with any judge.
    """
    sides = (
        [(row.maker.judge, row.outcome) for each in cases for row in each.before],
        [(record.judge, record.outcome) for each in cases for record in each.now],
    )
    asked = [sorted({judge for judge, _ in side if judge is not None}) for side in sides]
    if all(asked) or not any(asked):
        return None
    unasked = sides[0 if asked[1] else 1]
    if all(outcome is Outcome.FAILED for _, outcome in unasked):
        return None
    return " → ".join(", ".join(names) or "none" for names in asked)
