"""The ledger: every record, notice and judge of the run, as the test reports bring them in."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any

from .records import Assessment, JudgedCase, Record, TestRow, Weight, plain
from .results import Result, total
from .trial import Trial


@dataclass(frozen=True, slots=True)
class Unclaimed:
    """What judges were asked ahead for tests that then did not come for it."""

    count: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0

    def __add__(self, other: Unclaimed) -> Unclaimed:
        return Unclaimed(
            self.count + other.count,
            total((self.tokens, other.tokens)),
            total((self.cost, other.cost)),
        )


Place = tuple[str, str]
"""A test, by its node id, and its phase."""

NOWHERE: Place = ("", "")


@dataclass(slots=True)
class Made:
    """What checks made in one phase of a test: records and assessments, and the cases of both."""

    records: list[Record] = field(default_factory=list)
    assessments: list[Assessment] = field(default_factory=list)
    cases: dict[str, JudgedCase] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """This as JSON values."""
        return {
            "records": [plain(each) for each in self.records],
            "assessments": [plain(each) for each in self.assessments],
            "cases": [plain(each) for each in self.cases.values()],
        }


class Unreported:
    """What no report has taken yet, by test and phase, in the order of the checks."""

    def __init__(self) -> None:
        self._at: dict[Place, list[tuple[int, Record | Assessment, JudgedCase | None]]] = {}
        self._order = itertools.count()
        self._lock = threading.Lock()

    def open(self, place: Place) -> None:
        """Keep what is made for the report of ``place`` from now on, until it takes it."""
        with self._lock:
            self._at[place] = []

    def keeper(
        self, place: Place, trial: Trial | None = None
    ) -> Callable[[Result | Assessment], None]:
        """What records the result of a check or suite begun now, whenever it is there."""
        order = next(self._order)

        def keep(made: Result | Assessment) -> None:
            entry: Record | Assessment
            case = None
            if isinstance(made, Assessment):
                number, trials = (trial.number, trial.fixed) if trial else (None, None)
                entry = replace(made, nodeid=place[0], trial=number, trials=trials)
            else:
                entry = Record.of(made, place[0], trial)
                case = None if made.case is None else JudgedCase.of(made.case)
            with self._lock:
                kept = self._at.setdefault(place if place in self._at else NOWHERE, [])
                kept.append((order, entry, case))

        return keep

    def take(self, place: Place) -> Made:
        """What was made at ``place``, and what has no report of its own: of checks made between
        tests, or by a thread that outlived its test."""
        with self._lock:
            kept = [*self._at.pop(NOWHERE, ()), *self._at.pop(place, ())]
        made = Made()
        for _, entry, case in sorted(kept, key=itemgetter(0)):
            if isinstance(entry, Assessment):
                made.assessments.append(entry)
            else:
                made.records.append(entry)
            if case is not None:
                made.cases[case.digest] = case
        return made


class Ledger:
    """The records of the run by test. Of a test that is run again only the last run counts.

    ``answers`` holds the seconds that each answer of the app took, ``unclaimed`` what was asked
    ahead in vain, ``weights`` what trials weigh within cases that may end early, ``tests``,
    filled when the run ends, what became of each test. It begins with ``made``, of a run that is
    over.
    """

    def __init__(self, made: Made | None = None) -> None:
        self._by_test: dict[tuple[str, str], dict[str, Made]] = {}
        if made is not None:
            self._by_test["", ""] = {"": made}
        self.notices: dict[str, None] = {}
        self.answers: list[float] = []
        self.unclaimed = Unclaimed()
        self.judges: list[dict[str, Any]] = []
        self.weights: dict[str, Weight] = {}
        self.tests: dict[str, TestRow] = {}

    def __iter__(self) -> Iterator[Record]:
        for made in self._made():
            yield from made.records

    @property
    def assessments(self) -> list[Assessment]:
        """Every suite on a case."""
        return [each for made in self._made() for each in made.assessments]

    @property
    def cases(self) -> dict[str, JudgedCase]:
        """What was judged, by its digest."""
        return {digest: case for made in self._made() for digest, case in made.cases.items()}

    def _made(self) -> Iterator[Made]:
        for phases in self._by_test.values():
            yield from phases.values()

    def receive(self, report: Any) -> None:
        """Take in the records that ``report`` (a pytest test report) carries.

        Those of a test that pytest reports as xfailed are marked so.
        """
        test = (report.nodeid, getattr(report, "worker_id", ""))
        news = getattr(report, "llm_eval", None)
        if report.when == "setup" and test in self._by_test:
            self._run_again(test, news)
        if news:
            self.take(news, test, report.when, report.skipped and hasattr(report, "wasxfail"))

    def take(
        self, news: Mapping[str, Any], test: tuple[str, str], when: str, xfailed: bool = False
    ) -> None:
        """Take in ``news``, what the phase ``when`` of ``test`` made."""
        made = self._by_test.setdefault(test, {}).setdefault(when, Made())
        for record in map(Record.from_plain, news["records"]):
            made.records.append(replace(record, xfailed=True) if xfailed else record)
        for assessment in map(Assessment.from_plain, news["assessments"]):
            made.assessments.append(replace(assessment, xfailed=True) if xfailed else assessment)
        for case in map(JudgedCase.from_plain, news["cases"]):
            made.cases[case.digest] = case
        self.notices.update(dict.fromkeys(news["notices"]))
        self.answers += news["answers"]
        self.judges += [judge for judge in news["judges"] if judge not in self.judges]

    def _run_again(self, test: tuple[str, str], news: Mapping[str, Any] | None) -> None:
        """Forget the last run of ``test``, but for what fixtures made that are not set up again."""
        setup = self._by_test[test].get("setup", Made())
        again = bool(news and (news["records"] or news["assessments"]))
        self._by_test[test] = {} if again else {"setup": setup}

    @property
    def lacked_a_judge(self) -> bool:
        """Whether a check needed a judge and none was set."""
        return any(record.error == "NoJudge" for record in self)

    @property
    def met_damage(self) -> bool:
        """Whether a check met a committed verdict that is not as it was recorded."""
        return any(record.error == "DamagedVerdicts" for record in self)
