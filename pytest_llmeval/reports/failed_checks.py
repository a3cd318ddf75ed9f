"""The failing checks of a run in Markdown, worst first, each with what its verdict rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..records import Assessment, JudgedCase, Record
from ..results import SEVERITY, Outcome
from .case_name import is_made_up
from .failure import RELATIONS
from .markup import code, named
from .run import Run

EVIDENCE_SHOWN = 3
"""How many pieces of evidence a failing check lists; the rest are counted."""

Caused = Mapping[tuple[str, str | None, str], Assessment]
"""The assessments by test, case and the metric that is their root cause."""


def failed_checks(run: Run) -> list[str]:
    """An item for each failing check that no xfailed test made.

    Worst first: what had nothing to score, then by how far the score is from its pass mark, as a
    share of the greater of the two.
    """
    cases = {case.digest: case for case in run.cases}
    caused = {
        (each.nodeid, each.judged, each.root_cause): each
        for each in run.assessments
        if each.root_cause is not None and not each.xfailed
    }
    failed = [each for each in run.records if each.outcome is Outcome.FAILED and not each.xfailed]
    return [_item(each, cases, caused) for each in sorted(failed, key=lambda each: -_gap(each))]


def _gap(record: Record) -> float:
    if record.score is None or record.threshold is None:
        return 2.0
    greater = max(abs(record.score), abs(record.threshold))
    return abs(record.score - record.threshold) / greater if greater else 0.0


def _item(record: Record, cases: Mapping[str, JudgedCase], caused: Caused) -> str:
    suite = caused.get((record.nodeid, record.judged, record.metric))
    lines = [" · ".join(_headline(record, suite))]
    rows = [*_details(record, suite), *_shown(cases.get(record.judged or ""))]
    lines += [f"  - {named(name)}: {code(text)}" for name, text in rows if text.strip()]
    if (more := len(record.evidence) - EVIDENCE_SHOWN) > 0:
        lines.append(f"  - and {more} more of what it rests on")
    return "\n".join(lines)


def _headline(record: Record, suite: Assessment | None) -> Iterator[str]:
    yield f"- {code(record.metric, 100)} {_came(record)}"
    if record.nodeid:
        yield code(record.nodeid)
    case = record.case_id
    if case and case not in record.nodeid and not is_made_up(case, record.test, record.metric):
        yield f"case {code(case, 100)}"
    if suite is not None:
        yield f"root cause of {code(f'quality ({suite.suite})', 100)}"


def _came(record: Record) -> str:
    """What it came to, as a failing assertion says it."""
    rule = record.rule
    if record.label is not None and (record.scale != SEVERITY.name or rule is None):
        return f"is {code(record.label, 60)}"
    if record.score is None or rule is None:
        return "failed"
    scale = SEVERITY if record.scale == SEVERITY.name else None
    score, value = (
        f"{each:.3g}" if scale is None else scale.show(each) for each in (record.score, rule.value)
    )
    return f"{score} {RELATIONS[rule.bound][1]} {value}"


def _details(record: Record, suite: Assessment | None) -> Iterator[tuple[str, str]]:
    yield "reason", record.reason
    for each in record.evidence[:EVIDENCE_SHOWN]:
        yield each.kind, f'"{each.text}"' + f" ({each.why})" * bool(each.why)
    if suite is not None and suite.fix:
        yield "fix", suite.fix


def _shown(case: JudgedCase | None) -> Iterator[tuple[str, str]]:
    if case is not None:
        yield "query", case.query or ""
        yield "response", case.response or ""
