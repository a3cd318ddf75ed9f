"""The ledger: every record, notice and judge of the run, as the test reports bring them in."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from sys import intern
from typing import Any

from .results import Evidence, Outcome, Part, Result, Usage, total


@dataclass(frozen=True, slots=True)
class Record:
    """A result as the session keeps it: plain values only, so that it crosses processes as JSON."""

    metric: str
    outcome: Outcome
    scale: str
    higher_is_better: bool
    label: str | None
    bound: str | None
    threshold: float | None
    score: float | None
    reason: str
    evidence: tuple[Evidence, ...]
    parts: tuple[Part, ...]
    error: str | None
    message: str
    judge: str | None
    is_llm: bool
    resolved_model: str | None
    usage: Usage
    keys: tuple[str, ...]
    prompts: tuple[str, ...]
    case_id: str | None
    nodeid: str = ""
    xfailed: bool = False

    @classmethod
    def of(cls, result: Result, nodeid: str = "") -> Record:
        """The record of ``result``, made in the test ``nodeid``."""
        rule = result.threshold
        return cls(
            metric=result.metric,
            outcome=result.outcome,
            scale=result.scale.name,
            higher_is_better=result.scale.higher_is_better,
            label=None if result.graded is None else result.scale.label_of(result.graded),
            bound=rule.bound if rule else None,
            threshold=float(rule.value) if rule else None,
            score=None if result.graded is None else float(result.graded),
            reason=result.reason,
            evidence=result.evidence,
            parts=result.parts,
            error=None if result.error is None else type(result.error).__name__,
            message="" if result.error is None else str(result.error),
            judge=result.judge,
            is_llm=result.is_llm,
            resolved_model=result.resolved_model,
            usage=result.usage,
            keys=result.keys,
            prompts=result.prompts,
            case_id=result.case_id,
            nodeid=nodeid,
        )

    def plain(self) -> dict[str, Any]:
        """This record as JSON values; text that UTF-8 cannot carry is replaced."""
        values: dict[str, Any] = {name: _plain(getattr(self, name)) for name in self.__slots__}
        return values

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Record:
        """The record that ``plain`` made ``values`` of."""
        return cls(
            **{
                **values,
                **{name: intern(values[name]) for name in _SHARED if values[name] is not None},
                "outcome": Outcome(values["outcome"]),
                "evidence": tuple(Evidence(**row) for row in values["evidence"]),
                "parts": tuple(Part(**row) for row in values["parts"]),
                "usage": Usage(**values["usage"]),
                "keys": tuple(values["keys"]),
                "prompts": tuple(values["prompts"]),
            }
        )


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


class Unreported:
    """The records that no report has taken yet, by test and phase, in the order of the checks."""

    def __init__(self) -> None:
        self._at: dict[Place, list[tuple[int, Record]]] = {}
        self._order = itertools.count()
        self._lock = threading.Lock()

    def open(self, place: Place) -> None:
        """Keep records for the report of ``place`` from now on, until it takes them."""
        with self._lock:
            self._at[place] = []

    def keeper(self, place: Place) -> Callable[[Result], None]:
        """What records the result of a check that is made now, whenever it is there."""
        order = next(self._order)

        def keep(result: Result) -> None:
            record = Record.of(result, place[0])
            with self._lock:
                kept = self._at.setdefault(place if place in self._at else NOWHERE, [])
                kept.append((order, record))

        return keep

    def take(self, place: Place) -> list[Record]:
        """The records of ``place``, and those that have no report of their own: of checks made
        between tests, or by a thread that outlived its test."""
        with self._lock:
            kept = [*self._at.pop(NOWHERE, ()), *self._at.pop(place, ())]
        return [record for _, record in sorted(kept, key=itemgetter(0))]


class Ledger:
    """The records of the run by test. Of a test that is run again only the last run counts.

    ``answers`` holds the seconds that each answer of the app took, ``unclaimed`` what was asked
    ahead in vain.
    """

    def __init__(self) -> None:
        self._by_test: dict[tuple[str, str], dict[str, list[Record]]] = {}
        self.notices: dict[str, None] = {}
        self.answers: list[float] = []
        self.unclaimed = Unclaimed()
        self.judges: list[dict[str, Any]] = []

    def __iter__(self) -> Iterator[Record]:
        for phases in self._by_test.values():
            for records in phases.values():
                yield from records

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
        phase = self._by_test.setdefault(test, {}).setdefault(when, [])
        for record in map(Record.from_plain, news["records"]):
            phase.append(replace(record, xfailed=True) if xfailed else record)
        self.notices.update(dict.fromkeys(news["notices"]))
        self.answers += news["answers"]
        self.judges += [judge for judge in news["judges"] if judge not in self.judges]

    def _run_again(self, test: tuple[str, str], news: Mapping[str, Any] | None) -> None:
        """Forget the last run of ``test``, but for what fixtures made that are not set up again."""
        setup = self._by_test[test].get("setup", [])
        again = bool(news and news["records"])
        self._by_test[test] = {} if again else {"setup": setup}

    @property
    def lacked_a_judge(self) -> bool:
        """Whether a check needed a judge and none was set."""
        return any(record.error == "NoJudge" for record in self)


_SHARED = ("metric", "scale", "bound", "judge", "resolved_model")
"""Fields that many records have in common, kept once."""


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        if type(value) is str and value.isascii():
            return value
        return str(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Evidence | Part | Usage):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(value)
    return value
