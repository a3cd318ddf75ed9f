"""The header and the summary that a run prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from ..errors import NoJudge
from ..gates.gate import GateResult
from ..judges.base import BaseJudge
from ..ledger import Ledger
from ..rates.pass_rate import MetricRow
from ..rates.suite_rate import SuiteRow
from ..records.record import Record
from ..results import Outcome
from ..settings import Settings
from ..text.shown import shown
from .causes import advice, causes_of
from .errors_told import error_lines
from .gates import gate_lines
from .judges_told import judge_line, judges_told, price
from .notices import told_once
from .rated_rows import rated_rows
from .table import level_lines, table
from .trials import trial_lines

if TYPE_CHECKING:
    from .comparison import BaselineComparison


def header(settings: Settings, judge: BaseJudge | None) -> str:
    """The line that pytest prints before the tests."""
    who = judge_line(judge.name if judge else None, judge.is_llm if judge else True)
    return f"llm eval: {who}, mode: {settings.mode}{''.join(_kept(settings, judge))}"


def _kept(settings: Settings, judge: BaseJudge | None) -> Iterable[str]:
    """Where verdicts are looked for, and where they are kept."""
    if judge is not None and judge.identity is None:
        return
    read = settings.verdicts is not None and settings.mode in ("auto", "replay")
    if read or settings.record:
        yield f", verdicts: {settings.verdicts}"
    if settings.mode != "off" and not (read and settings.mode == "replay"):
        yield f", store: {settings.store}"


def summary(
    ledger: Ledger,
    show_all: bool,
    gates: Sequence[GateResult] = (),
    compared: BaselineComparison | None = None,
) -> list[str]:
    """The lines of the summary section; ``compared`` is the run beside its baseline.

    Lists of what went wrong come first, so that at the end, however long they are, stands what the
    run came to: who judged, the table, root causes and gates.
    """
    beside: Mapping[str, str] = {}
    since: Iterable[str] = ()
    if compared is not None:
        from . import versus

        beside, since = versus.columns(compared), versus.lines(compared)
    records, assessments = [*ledger], ledger.assessments
    metrics, suites = rated_rows(records, assessments, ledger.tests.values())
    every = [f"  {_line(record)}" for record in records] if show_all else []
    lines = ["every check:"] * bool(every) + every
    lines += [*error_lines(records, assessments, bool(ledger.answers)), *since]
    if records or assessments:
        lines += _rates(records, metrics, suites, beside)
    else:
        lines.append("no check was made")
    lines += [*_ahead(ledger), *told_once(ledger.notices)]
    if ledger.lacked_a_judge:
        lines += ["no judge is set; set one of:", *(f"  {line}" for line in NoJudge.ADVICE)]
    return [*lines, *_causes(suites, advice(assessments)), *gate_lines(gates)]


def _rates(
    records: Sequence[Record],
    metrics: Sequence[MetricRow],
    suites: Sequence[SuiteRow],
    beside: Mapping[str, str],
) -> Iterable[str]:
    """Who judged at what cost, the table of metrics and suites, and what has no room there."""
    yield from (f"{who} · {spent}" for who, spent in judges_told(records))
    yield from table(metrics, suites, beside)
    yield from (f"{metric}: {told}" for metric, told in level_lines(metrics))
    yield from trial_lines([*metrics, *suites])


def _ahead(ledger: Ledger) -> Iterable[str]:
    """What was done before a test came for it."""
    if ledger.answers:
        count = len(ledger.answers)
        middle = f"median {median(ledger.answers):.2f} s, longest {max(ledger.answers):.2f} s"
        yield f"answers of the app: {count}, {middle}"
    if ledger.unclaimed.count:
        spent = price(ledger.unclaimed.tokens, ledger.unclaimed.cost)
        yield f"asked ahead, and asserted by no test: {ledger.unclaimed.count} · {spent}"


def _causes(rows: Sequence[SuiteRow], fixes: Mapping[tuple[str, str], str]) -> Iterable[str]:
    """The root causes of each suite that failed on a case, the most frequent first, and what to do
    about that one."""
    for row in rows:
        if row.causes:
            of = f" ({row.suite})" if len(rows) > 1 else ""
            yield f"root causes{of}: {causes_of(row)}"
            if fix := fixes.get((row.suite, next(iter(row.causes)))):
                yield f"  fix: {shown(fix, 300)}"


def _line(record: Record) -> str:
    what = record.message if record.outcome is Outcome.ERROR else record.reason
    score = "" if record.score is None else f" {record.label or f'{record.score:.3g}'}"
    outcome = str(record.outcome).replace("_", " ")
    return f"{record.nodeid} {record.metric}{score} {outcome}: {shown(what, 200)}"
