"""What gates are decided on: the checks of a run, its tests, and what is not known of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, Self

from ..records import Assessment, Record, TestRow
from ..results import Outcome
from .case_values import weights_of

Made = Record | Assessment
Why = Literal["errors", "not_run", "unselected"]
"""Why a result is not there, as ``Unknown`` has it."""
_RAISED = ("failed", "error")


@dataclass(frozen=True, slots=True)
class Unknown:
    """How many results might have counted and are not there, by why.

    ``errors`` got no verdict, or the test raised before its check; ``not_run`` did not come to
    run; ``unselected`` were left out by the user's selection.
    """

    errors: int = 0
    not_run: int = 0
    unselected: int = 0

    @classmethod
    def of(cls, each: Iterable[Why]) -> Self:
        """How many there are by why ``each`` is not there."""
        counts = Counter(each)
        return cls(counts["errors"], counts["not_run"], counts["unselected"])

    @property
    def total(self) -> int:
        """All of them."""
        return self.errors + self.not_run + self.unselected

    @property
    def unwanted(self) -> int:
        """Those that are missing for another reason than the user's selection."""
        return self.errors + self.not_run


@dataclass(frozen=True)
class Attended:
    """A run as gates see it.

    ``named`` tells that the user named single tests, so that others of their files were not even
    collected, ``uncollected`` how many files could not be: how many tests are missing is not
    known then.
    """

    records: Sequence[Record]
    assessments: Sequence[Assessment]
    tests: Sequence[TestRow]
    named: bool = False
    uncollected: int = 0
    _made: dict[str, list[Made]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        every: list[Made] = [*self.records, *self.assessments]
        for made in every:
            self._made.setdefault(made.nodeid, []).append(made)

    def made_in(self, test: TestRow) -> Sequence[Made]:
        """The checks and suites that ``test`` recorded."""
        return self._made.get(test.nodeid, ())

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """What trials weigh within their case, by node id, where that is not 1."""
        return weights_of(self.tests)

    def lacking(self, rows: frozenset[str], suite: str = "") -> Iterator[tuple[TestRow, Why]]:
        """The tests that did not make their check of ``rows``, or of ``suite``, and why.

        A test that did not run counts one where its marker names them, or names nothing; one that
        raised also, if it had not come to such a check, or if nothing is named to any. Skipped
        tests and those that pytest reports as xfailed count nothing.
        """
        for test in self.tests:
            if test.state == "not_run":
                if _may_check(test, rows, suite):
                    yield test, "unselected" if test.unselected else "not_run"
            elif test.state in _RAISED and self._missed_check(test, rows, suite):
                yield test, "errors"

    def _missed_check(self, test: TestRow, rows: frozenset[str], suite: str) -> bool:
        """Whether ``test``, which raised, was to make such a check, and did not come to it."""
        return _may_check(test, rows, suite) and not self._came_to_check(test, rows, suite)

    def _came_to_check(self, test: TestRow, rows: frozenset[str], suite: str) -> bool:
        """Whether ``test``, which raised, did so no earlier than at its check."""
        made = self.made_in(test)
        if not test.metrics and test.suite is None:
            return bool(made)
        by_suite = bool(suite) or not rows.isdisjoint(test.of_suite)
        return any(
            each.metric in rows
            if isinstance(each, Record)
            else by_suite and each.suite == test.suite
            for each in made
        )


def _may_check(test: TestRow, rows: frozenset[str], suite: str) -> bool:
    """Whether ``test`` is to check one of ``rows``, or ``suite``, for all that is known."""
    if not test.metrics and test.suite is None:
        return True
    if suite:
        return test.suite == suite
    return not rows.isdisjoint((*test.metrics, *test.of_suite))


def errors_in(made: Iterable[Made]) -> int:
    """How many of ``made`` got no verdict."""
    return sum(each.outcome is Outcome.ERROR for each in made)
