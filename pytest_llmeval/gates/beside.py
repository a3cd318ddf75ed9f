"""One case beside itself: its checks in the baseline and in the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..records.record import Record
from ..results import Outcome
from .baseline import Place, Row, change_of_judge, maker_of


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
    def judge_change(self) -> str | None:
        """What changed about who judged; None where nothing did."""
        makers = {(row.maker, maker_of(record)) for row in self.before for record in self.now}
        changes = [change_of_judge(*each) for each in sorted(makers, key=repr)]
        return next((each for each in changes if each is not None), None)

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
