"""The notebook: what is noted while tests run, until the report of a test's phase takes it."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import itemgetter

from .data.cases import Case
from .ledger import Made
from .records.assessment import Assessment
from .records.judged_case import JudgedCase
from .records.record import Record
from .results import Result
from .trial import Trial, test_of

Place = tuple[str, str]
"""A test, by its node id, and its phase."""

_NOWHERE: Place = ("", "")


@dataclass(frozen=True, slots=True)
class Page:
    """What a report takes: what checks ``made``, notices, and the seconds of the app's answers."""

    made: Made
    notices: tuple[str, ...]
    answers: tuple[float, ...]

    def __bool__(self) -> bool:
        return bool(self.made.records or self.made.assessments or self.notices or self.answers)


class Notebook:
    """What checks came to, by the test and phase that made them, in the order of the checks.

    ``place`` is the test and the phase of it that runs, ``trial`` is which of several runs of it.
    """

    def __init__(self) -> None:
        self.place: Place = _NOWHERE
        self.trial: Trial | None = None
        self.notices: dict[str, None] = {}
        self._answers: list[float] = []
        self._made_here: Counter[str] = Counter()
        self._at: dict[Place, list[tuple[int, Record | Assessment, JudgedCase | None]]] = {}
        self._order = itertools.count()
        self._lock = threading.Lock()

    def enter(self, nodeid: str, phase: str) -> None:
        """Count the checks that follow as made in this ``phase`` of the test ``nodeid``."""
        self.place = (nodeid, phase)
        with self._lock:
            self._at[self.place] = []
        if phase == "setup":
            self._made_here.clear()

    def identity(self, case: Case | None, row: str) -> str:
        """That of ``case``; where it has none, the how manieth check of ``row`` it is here.

        Either is the same in all trials of a test.
        """
        if case is not None and case.identity is not None:
            return case.identity
        self._made_here[row] += 1
        test = test_of(self.place[0], self.trial.number if self.trial else None)
        return ":".join(filter(None, (test, row, str(self._made_here[row]))))

    def keeping(self, suite: str | None = None) -> Callable[[Result | Assessment], None]:
        """What notes the result of a check or suite begun now, whenever it is there.

        ``suite`` is the one that asked for a check.
        """
        place, trial, order = self.place, self.trial, next(self._order)

        def keep(made: Result | Assessment) -> None:
            entry: Record | Assessment
            case = None
            if isinstance(made, Assessment):
                number, trials = (trial.number, trial.fixed) if trial else (None, None)
                entry = replace(made, nodeid=place[0], trial=number, trials=trials)
            else:
                entry = Record.of(made, place[0], trial, suite)
                case = None if made.case is None else JudgedCase.of(made.case)
            with self._lock:
                kept = self._at.setdefault(place if place in self._at else _NOWHERE, [])
                kept.append((order, entry, case))

        return keep

    def notice(self, text: str) -> None:
        """Note ``text``, which the user ought to be told once, for the summary."""
        self.notices[text] = None

    def answered(self, seconds: float) -> None:
        """Note one answer of the app, and what it took."""
        self._answers.append(seconds)

    def take(self, place: Place) -> Page:
        """What was made at ``place``, and what has no report of its own: of checks made between
        tests, or by a thread that outlived its test."""
        with self._lock:
            kept = [*self._at.pop(_NOWHERE, ()), *self._at.pop(place, ())]
        made = Made()
        for _, entry, case in sorted(kept, key=itemgetter(0)):
            if isinstance(entry, Assessment):
                made.assessments.append(entry)
            else:
                made.records.append(entry)
            if case is not None:
                made.cases[case.digest] = case
        notices = [*self.notices]
        for told in notices:  # one by one: other threads may add to them meanwhile
            del self.notices[told]
        answers, self._answers = self._answers, []
        return Page(made, tuple(notices), tuple(answers))
