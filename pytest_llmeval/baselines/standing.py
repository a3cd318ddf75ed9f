"""Standing: what a run says of a test that the baseline knows, whether or not it was run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ..records.tests import TestRow


class Standing(StrEnum):
    """Why a check of the baseline has none beside it in the run, as far as its test tells."""

    RAN = "ran"
    """The test came to its end: a check that it did not make is gone."""
    STOPPED = "stopped"
    """It failed before its end, or was not run: nobody knows what the check would have been."""
    UNSELECTED = "unselected"
    """The user's selection left it out."""
    LEFT_OUT = "left out"
    """It, or its file, was skipped, or it was expected to fail: it counts for nothing."""
    GONE = "gone"
    """There is no such test."""
    ELSEWHERE = "elsewhere"
    """Its file was not collected."""


_STATES = {
    "passed": Standing.RAN,
    "xpassed": Standing.RAN,
    "skipped": Standing.LEFT_OUT,
    "xfailed": Standing.LEFT_OUT,
}
_ORDER = (Standing.STOPPED, Standing.UNSELECTED, Standing.RAN, Standing.LEFT_OUT)
"""Of several trials of a test the first of these counts."""


def _standing(row: TestRow) -> Standing:
    if row.unselected and row.state == "not_run":
        return Standing.UNSELECTED
    return _STATES.get(row.state, Standing.STOPPED)


@dataclass(frozen=True)
class Roll:
    """The tests of a run, and what of the suite was collected.

    ``tests`` are those of ours and of the baseline by node id; ``files`` those that were collected,
    ``broken`` those that could not be, ``skipped`` those that were skipped as a whole. ``partial``
    tells that tests may have been left out without being named (by node ids, ``--lf``); ``exists``
    whether a file is still there. Trials beyond those set beforehand are none of a baseline.
    """

    tests: Mapping[str, TestRow]
    files: frozenset[str]
    broken: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    partial: bool = False
    exists: Callable[[str], bool] = lambda file: True

    def standings(self) -> dict[str, Standing]:
        """The standing of each test that is there; trials are one test."""
        found: dict[str, Standing] = {}
        for (test, _), own in self._own.items():
            found[test] = min(own, found.get(test, own), key=_ORDER.index)
        return found

    def absent(self, test: str) -> Standing:
        """The standing of ``test``, which is not there."""
        file = file_of(test)
        if file in self.broken:
            return Standing.STOPPED
        if file in self.skipped:
            return Standing.LEFT_OUT
        if not self.exists(file):
            return Standing.GONE
        if self.partial:
            return Standing.UNSELECTED
        return Standing.GONE if file in self.files else Standing.ELSEWHERE

    def of_trial(self, test: str, trial: int | None) -> Standing:
        """The standing of one ``trial`` of ``test``, or of the test if it had none."""
        return self._own.get((test, trial)) or self.absent(test)

    @cached_property
    def _own(self) -> dict[tuple[str, int | None], Standing]:
        rows = (row for row in self.tests.values() if not row.is_extra)
        return {(row.test, row.trial): _standing(row) for row in rows}


def heirs(standings: Mapping[str, Standing], known: Collection[str]) -> Callable[[str], Standing]:
    """What became of the test that one which is gone may be called now: gone, too, without one.

    That is a test with one of ``standings`` that is not ``known``, of the same name in another file
    or with the same parameters, as those of a case are. Where it made its checks, these tell what
    it is; where it did not come to them, nobody knows.
    """
    by_name: dict[str, Standing] = {}
    for test, standing in standings.items():
        for name in () if test in known else _kept_names(test):
            by_name[name] = min(standing, by_name.get(name, standing), key=_ORDER.index)

    def heir(test: str) -> Standing:
        found = [by_name[name] for name in _kept_names(test) if name in by_name]
        return min(found, key=_ORDER.index, default=Standing.GONE)

    return heir


def _kept_names(test: str) -> list[str]:
    """What of the node id of ``test`` outlives that its file, or its function, is renamed."""
    name = test.partition("::")[2]
    _, bracket, parameters = name.partition("[")
    return [name, *([bracket + parameters] if bracket else [])]


def file_of(nodeid: str) -> str:
    """The file of a test, or of what holds tests, as node ids name it."""
    return nodeid.partition("::")[0]
