"""What gates are decided on: the checks of a run, its tests, and what is not known of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import Literal, Self

from ..rates.case_values import Weights, weights_of
from ..records.assessment import Assessment
from ..records.record import Record
from ..records.tests import TestRow
from ..results import Outcome

Made = Record | Assessment
Why = Literal["cut_off", "not_run", "unselected"]
"""Why a check was not made, as ``Unknown`` has it."""
_FELL_SHORT = ("failed", "error", "tolerated")
_TO_ITS_END = ("passed", "xpassed")


@dataclass(frozen=True, slots=True)
class Unknown:
    """How many results might have counted and are not there, by why.

    ``errors`` got no verdict; ``cut_off`` are missing since a test ended before it came to them,
    and of a group tests that ended by something else than a check; ``not_run`` did not come to run;
    ``unselected`` were left out by the user's selection.
    """

    errors: int = 0
    cut_off: int = 0
    not_run: int = 0
    unselected: int = 0

    @classmethod
    def of(cls, whys: Iterable[Why]) -> Self:
        """How many checks were not made, by ``whys``."""
        counts = Counter(whys)
        return cls(0, counts["cut_off"], counts["not_run"], counts["unselected"])

    @property
    def total(self) -> int:
        """All of them."""
        return self.unwanted + self.unselected

    @property
    def unwanted(self) -> int:
        """Those that are missing for another reason than the user's selection."""
        return self.errors + self.cut_off + self.not_run


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
    _of_function: dict[str, list[TestRow]] = field(init=False, default_factory=dict)
    _checking: set[str] = field(init=False, default_factory=set)
    _known: set[str] = field(init=False, default_factory=set)
    """Functions of which a test made a check, and those of which such a test came to its end."""

    def __post_init__(self) -> None:
        every: list[Made] = [*self.records, *self.assessments]
        for made in every:
            self._made.setdefault(made.nodeid, []).append(made)
        for test in self.tests:
            self._of_function.setdefault(test.function, []).append(test)
            if self.made_in(test):
                self._checking.add(test.function)
                if test.state in _TO_ITS_END:
                    self._known.add(test.function)

    def made_in(self, test: TestRow) -> Sequence[Made]:
        """The checks and suites that ``test`` recorded."""
        return self._made.get(test.nodeid, ())

    @cached_property
    def weights(self) -> Weights:
        """What trials weigh within their case, by node id, where that is not 1."""
        return weights_of(self.tests)

    def lacking(self, rows: frozenset[str], suite: str = "") -> Iterator[tuple[TestRow, Why]]:
        """The tests that did not make their checks of ``rows``, or of ``suite``, and why.

        A test stands there for each check that it did not make.

        A test that did not run, or ended before its end, misses those that its marker names. Where
        it names nothing: one that did not run may have made them, and so may one that raised before
        its first check, unless tests of its function came to their end without; one that had made
        others misses what tests of its function made. Skipped tests and those that pytest reports
        as xfailed miss nothing.
        """
        usual: dict[str, int] = {}
        for test in self.tests:
            if not (test.state == "not_run" or self._fell_short(test)):
                continue
            if test.function not in usual:
                usual[test.function] = self._usual(test.function, rows, suite)
            due = self._due(test, rows, suite, usual[test.function])
            if test.state == "not_run":
                yield from repeat((test, "unselected" if test.unselected else "not_run"), due)
            else:
                yield from repeat((test, "cut_off"), due - self._count(test, rows, suite))

    def is_eval(self, test: TestRow) -> bool:
        """Whether ``test`` was to check something, for all that is known: it is marked, did not
        run, or tests of its function checked."""
        return test.marked or test.state == "not_run" or test.function in self._checking

    def _due(self, test: TestRow, rows: frozenset[str], suite: str, usual: int) -> int:
        """How many checks ``test`` would have made, where tests of its function make ``usual``."""
        if test.metrics or test.suite is not None:
            named = test.suite == suite if suite else not rows.isdisjoint(_named(test))
            came = not suite and not rows.isdisjoint(test.of_suite) and self._came_to_suite(test)
            return max(1, usual) if named and not came else 0
        may_be = test.state == "not_run" or (
            test.marked and not self.made_in(test) and test.function not in self._known
        )
        return max(int(may_be), usual)

    def _usual(self, function: str, rows: frozenset[str], suite: str) -> int:
        """How many checks of ``rows``, or ``suite``, a test of ``function`` makes if it comes to
        its end: the fewest that one made; one at least where any test made one."""
        tests = self._of_function[function]
        made = {test.nodeid: self._count(test, rows, suite) for test in tests}
        whole = [made[test.nodeid] for test in tests if test.state in _TO_ITS_END]
        return max(1, min(whole, default=1)) if any(made.values()) else 0

    def _count(self, test: TestRow, rows: frozenset[str], suite: str) -> int:
        return sum(
            each.metric in rows if isinstance(each, Record) else each.suite == suite
            for each in self.made_in(test)
        )

    def _came_to_suite(self, test: TestRow) -> bool:
        """Whether ``test`` came to the suite that its marker names, which may leave metrics out."""
        return any(
            isinstance(each, Assessment) and each.suite == test.suite for each in self.made_in(test)
        )

    def _fell_short(self, test: TestRow) -> bool:
        """Whether ``test`` ended before its end; an error may be reported as skipped."""
        if test.state == "skipped":
            return errors_in(self.made_in(test)) > 0
        return test.state in _FELL_SHORT


def _named(test: TestRow) -> tuple[str, ...]:
    return (*test.metrics, *test.of_suite)


def errors_in(made: Iterable[Made]) -> int:
    """How many of ``made`` got no verdict."""
    return sum(each.outcome is Outcome.ERROR for each in made)
