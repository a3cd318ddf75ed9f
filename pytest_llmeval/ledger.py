"""The ledger: every record, notice and judge of the run, as the test reports bring them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .records.assessment import Assessment
from .records.judged_case import JudgedCase
from .records.plain import plain
from .records.record import Record
from .records.tests import TestRow, Weight
from .results import total


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


class Ledger:
    """The records of the run by test. Of a test that is run again only the last run counts.

    ``answers`` holds the seconds that each answer of the app took, ``unclaimed`` what was asked
    ahead in vain, ``weights`` what trials weigh within cases that may end early, ``tests``,
    filled when the run ends, what became of each test. ``used`` takes by test the keys of all
    verdicts that it used, in whichever of its runs, where somebody wants them: a replay runs it as
    often. It begins with ``made``, of a run that is over.
    """

    def __init__(self, made: Made | None = None) -> None:
        self._by_test: dict[tuple[str, str], dict[str, Made]] = {}
        if made is not None:
            self._by_test["", ""] = {"": made}
        self.used: dict[str, set[str]] | None = None
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
            if self.used is not None:
                self.used.setdefault(record.test, set()).update(record.keys)
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
