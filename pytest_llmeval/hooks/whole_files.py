"""Which test files ran to their end in a run, so that what they did not use is of no use."""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ..baselines.standing import file_of
from ..judges.committed import Verdicts
from ..judges.verdict_files import forsaken
from ..judges.verdict_names import file_name
from .gating import may_be_partial
from .tolerating import PROPERTY

_COLLECTING = (
    *("addopts", "collect_imported_tests", "norecursedirs", "python_classes", "python_files"),
    *("python_functions", "testpaths"),
)
"""The ini values that say what tests there are: overridden, they may be a narrower selection."""


class WholeFiles:
    """What is seen of test files while tests are collected and run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._collected: defaultdict[str, set[str]] = defaultdict(set)
        self._counts: dict[str, int] = {}
        self._ended: defaultdict[str, set[str]] = defaultdict(set)
        self._cut_short: set[str] = set()
        self._collection_failed = False

    def collect(self, item: str) -> None:
        """Know of a test by its node id."""
        self._collected[file_of(item)].add(item)

    def collected(self, report: pytest.CollectReport) -> None:
        """Know of a file that was collected, also where it has no test any more.

        Of one that was skipped as a whole nobody knows the tests: it has one, which never ends.
        """
        self._collection_failed |= report.failed
        if report.skipped:
            self.collect(report.nodeid)
        if report.passed and report.nodeid.endswith(".py"):
            self._collected[report.nodeid]

    @property
    def counts(self) -> dict[str, int]:
        """How many tests were collected here of each file."""
        return {file: len(tests) for file, tests in self._collected.items()}

    def count(self, counts: Mapping[str, int]) -> None:
        """Take what a process collected: every one collects the same tests."""
        self._counts |= counts

    def report(self, report: Any) -> None:
        """See how a phase of a test ended."""
        if _may_have_asked_less(report):
            self._cut_short.add(file_of(report.nodeid))
        if report.when == "teardown":
            self._ended[file_of(report.nodeid)].add(report.nodeid)

    def of_no_more_use(self, verdicts: Verdicts, used: set[str], stopped: bool) -> set[str]:
        """The test files of which verdicts go that are not ``used``, those by their keys.

        Every test of such a file ran to its end; or the file is there no more, within what the run
        was told to collect: then what it had must be used elsewhere, or no test can have it still.
        """
        if _narrowed(self._config) or stopped or self._collection_failed:
            return set()
        unended = {file for file, count in self._counts.items() if len(self._ended[file]) < count}
        whole = self._counts.keys() - unended - self._cut_short
        root, ini = self._config.rootpath, self._config.inipath
        if ini is None or ini.parent != root:
            return whole  # the root follows from the arguments, and the next run may have another
        gone = forsaken(verdicts, root, used)
        if unended or self._cut_short or _ignores(self._config):
            # Tests that have moved may be among those that did not run, or did not ask everything.
            gone = {each for each in gone if _keys(verdicts, each) <= used}
        return whole | {each for each in gone if _within(root / each, self._config)}


def _may_have_asked_less(report: Any) -> bool:
    """Whether a phase ended before all that the test asks, or had a check without a verdict.

    A check that failed is such an end, also where that is tolerated: those after it were not made.
    """
    if report.outcome == "rerun":
        return False  # another run of the test follows
    records = (getattr(report, "llm_eval", None) or {}).get("records", ())
    no_verdict = any(each["outcome"] == "error" for each in records)
    return report.outcome != "passed" or hasattr(report, PROPERTY) or no_verdict


def _narrowed(config: pytest.Config) -> bool:
    """Whether the user asked for less than whole files, or overrode what makes a test."""
    overridden = {each.partition("=")[0].strip() for each in config.getoption("override_ini") or ()}
    return may_be_partial(config) or not overridden.isdisjoint(_COLLECTING)


def _ignores(config: pytest.Config) -> bool:
    """Whether the user, and not the ini, named files to be left out."""
    by_environment = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    given = (*by_environment, *map(str, config.invocation_params.args))
    return any(each.startswith("--ignore") for each in given)


def _within(path: Path, config: pytest.Config) -> bool:
    """Whether ``path`` is in what the run was told to collect: by no argument, all of it."""
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        return True
    here = config.invocation_params.dir
    return any(path.resolve().is_relative_to((here / each).resolve()) for each in config.args)


def _keys(verdicts: Verdicts, file: str) -> set[str]:
    return {*verdicts.in_file(verdicts.folder / file_name(file))}
