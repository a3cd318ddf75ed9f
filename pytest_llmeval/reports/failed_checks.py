"""The failing checks of a run in Markdown, worst first, each with what its verdict rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite

from ..records.assessment import Assessment, suite_row
from ..records.judged_case import JudgedCase
from ..records.record import Record
from ..results import Outcome
from ..scales import SCALES, SEVERITY
from .case_name import is_made_up
from .causes import advice
from .consequence import Consequence, Consequences
from .failure import RELATIONS
from .markup import code, named
from .run import Run

EVIDENCE_SHOWN = 3
"""How many pieces of evidence a failing check lists; the rest are counted."""


def failed_checks(run: Run) -> dict[Consequence, list[str]]:
    """By what follows from it, the gravest first, an item for each failing check that no xfailed
    test made.

    Of each kind those of tests that must pass come first, then the worst: what had nothing to
    score, then by how far the score is from one that passes, as a share of its scale.
    """
    page = _Page.of(run)
    failed = [each for each in run.records if each.outcome is Outcome.FAILED and not each.xfailed]
    made: dict[Consequence, list[str]] = {each: [] for each in Consequence}
    for each in sorted(failed, key=lambda each: (not page.must_pass(each), -gap(each))):
        made[page.follows.of(each.nodeid)].append(page.item(each))
    return made


def gap(record: Record) -> float:
    """How far the score of ``record``, which failed, is from one that passes, in [0, 2].

    It is a share of its scale; where that has no end, of the greater of score and pass mark.
    """
    rule, scale = record.rule, SCALES.get(record.scale)
    if record.score is None or rule is None:
        return 2.0
    levels = scale.labels.values() if scale is not None else ()
    passing = [value for value in levels if rule.holds(value)] or [rule.value]
    apart = min(abs(record.score - value) for value in passing)
    span = scale.highest - scale.lowest if scale is not None else inf
    whole = span if isfinite(span) else max(abs(record.score), abs(rule.value))
    return apart / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class _Page:
    """What an item is made of beside its record.

    ``caused`` are the assessments by test, case and the metric that is their root cause; what to
    do about the causes of ``told`` stands above all items.
    """

    cases: Mapping[str, JudgedCase]
    caused: Mapping[tuple[str, str | None, str | None], Assessment]
    told: Mapping[tuple[str, str], str]
    follows: Consequences

    @classmethod
    def of(cls, run: Run) -> _Page:
        causes = [each for each in run.assessments if each.root_cause and not each.xfailed]
        return cls(
            cases={case.digest: case for case in run.cases},
            caused={(each.nodeid, each.judged, each.root_cause): each for each in causes},
            told=advice(run.assessments),
            follows=Consequences(run.tests, run.gates),
        )

    def must_pass(self, record: Record) -> bool:
        return self.follows.must_pass(record.nodeid)

    def item(self, record: Record) -> str:
        suite = self.caused.get((record.nodeid, record.judged, record.metric))
        words = [*_headline(record, suite), *["must pass"] * self.must_pass(record)]
        rows = [*_details(record), *self._fix(suite), *_shown(self.cases.get(record.judged or ""))]
        lines = [" · ".join(words)]
        lines += [f"  - {named(name)}: {code(text)}" for name, text in rows if text.strip()]
        if (more := len(record.evidence) - EVIDENCE_SHOWN) > 0:
            lines.append(f"  - and {more} more of what it rests on")
        return "\n".join(lines)

    def _fix(self, suite: Assessment | None) -> Iterator[tuple[str, str]]:
        if suite is not None and (suite.suite, suite.root_cause) not in self.told:
            yield "fix", suite.fix or ""


def _headline(record: Record, suite: Assessment | None) -> Iterator[str]:
    yield f"- {code(record.metric, 100)} {_came(record)}"
    if record.nodeid:
        yield code(record.nodeid)
    case = record.case_id
    if case and case not in record.nodeid and not is_made_up(case, record.test, record.metric):
        yield f"case {code(case, 100)}"
    if suite is not None:
        yield f"root cause of {code(suite_row(suite.suite), 100)}"


def _came(record: Record) -> str:
    """What it came to, as a failing assertion says it."""
    rule = record.rule
    if record.label is not None and (record.scale != SEVERITY.name or rule is None):
        return f"is {code(record.label, 60)}"
    if record.score is None or rule is None:
        return "failed"
    value = f"{rule.value:.3g}" if record.label is None else SEVERITY.show(rule.value)
    return f"{record.label or f'{record.score:.3g}'} {RELATIONS[rule.bound][1]} {value}"


def _details(record: Record) -> Iterator[tuple[str, str]]:
    yield "reason", record.reason
    for each in record.evidence[:EVIDENCE_SHOWN]:
        yield each.kind, f'"{each.text}"' + f" ({each.why})" * bool(each.why)


def _shown(case: JudgedCase | None) -> Iterator[tuple[str, str]]:
    if case is not None:
        yield "query", case.query or ""
        yield "response", case.response or ""
