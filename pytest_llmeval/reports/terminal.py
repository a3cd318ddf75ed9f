"""The header and the summary that a run prints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from ..errors import NoJudge
from ..gates.case_values import weights_of
from ..gates.gate import GateResult
from ..gates.pass_rate import metric_rows
from ..gates.suite_rate import SuiteRow, suite_rows
from ..judges.base import BaseJudge
from ..ledger import Ledger
from ..records import Assessment, Record
from ..results import Outcome, total
from ..settings import Settings
from ..text.shown import shown
from .gates import gate_lines
from .notices import told_once
from .table import level_lines, table
from .trials import trial_lines

if TYPE_CHECKING:
    from .comparison import BaselineComparison

_TRIED = re.compile(r" \(tried [^()]*\)$")
"""What makes the same error read differently each time."""

ERRORS_SHOWN = 10
"""How many kinds of errors the summary lists; the rest are counted."""


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
    """The lines of the summary section; ``compared`` is the run beside its baseline."""
    beside: Mapping[str, str] = {}
    since: Iterable[str] = ()
    if compared is not None:
        from . import versus

        beside, since = versus.columns(compared), versus.lines(compared)
    weights = weights_of(ledger.tests.values())
    made = summary_lines([*ledger], show_all, ledger.assessments, beside, weights)
    lines = [*made, *since, *_ahead(ledger), *told_once(ledger.notices)]
    if ledger.lacked_a_judge:
        lines += ["no judge is set; set one of:", *(f"  {line}" for line in NoJudge.ADVICE)]
    return [*lines, *gate_lines(gates)]


def _ahead(ledger: Ledger) -> Iterable[str]:
    """What was done before a test came for it."""
    if ledger.answers:
        count = len(ledger.answers)
        middle = f"median {median(ledger.answers):.2f} s, longest {max(ledger.answers):.2f} s"
        yield f"answers of the app: {count}, {middle}"
    if ledger.unclaimed.count:
        spent = price(ledger.unclaimed.tokens, ledger.unclaimed.cost)
        yield f"asked ahead, and asserted by no test: {ledger.unclaimed.count} · {spent}"


def judge_line(judge: str | None, is_llm: bool) -> str:
    """Who judges, and plainly so where it is no LLM."""
    if judge is None:
        return "no judge set"
    return f"judge {judge}" + ("" if is_llm else " (no LLM judges here: words are weighed)")


def summary_lines(
    records: Sequence[Record],
    show_all: bool,
    assessments: Sequence[Assessment] = (),
    beside: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
) -> list[str]:
    """The summary of ``records``: who judged and at what cost, the metrics, what went wrong.

    ``beside`` is what is to stand in the column for the baseline, by metric; ``weights`` are what
    trials weigh within their case, by node id, where that is not 1.
    """
    if not records and not assessments:
        return ["no check was made"]
    suites = suite_rows(assessments, weights)
    judges = (f"{who} · {spent}" for who, spent in judges_told(records))
    metrics = metric_rows(records, weights)
    rows = table(metrics, suites, beside or {})
    tried = trial_lines([*metrics, *suites])
    levels = (f"{metric}: {told}" for metric, told in level_lines(metrics))
    lines = [*judges, *rows, *levels, *tried, *_causes(suites), *_errors(records, assessments)]
    if show_all:
        lines += ["every check:", *(f"  {_line(record)}" for record in records)]
    return lines


def judges_told(records: Sequence[Record]) -> Iterable[tuple[str, str]]:
    """Each judge that judged, and what it was asked at what cost."""
    for judge in sorted({record.judge for record in records}, key=str):
        group = [record for record in records if record.judge == judge]
        if judge is not None:
            who = f"{judge_line(judge, group[0].is_llm)}{_resolved(judge, group)}"
            yield who, _spent(group)


def _resolved(judge: str, group: Sequence[Record]) -> str:
    names = Counter(each.resolved_model for each in group if each.resolved_model)
    if len(names) > 1:
        said = ", ".join(f"{name} ({count})" for name, count in names.most_common())
        return f" RESOLVED TO SEVERAL MODELS: {said}"
    name = next(iter(names), "")
    return f" ({name})" if name and not judge.endswith(name) else ""


def _spent(group: Sequence[Record]) -> str:
    asked = [each for each in group if each.usage.asked]
    given = [each for each in group if each.outcome is not Outcome.ERROR]
    anew = sum(1 for each in given if each.usage.asked)
    stored = sum(1 for each in given if each.usage.stored and not each.usage.asked)
    verdicts = _counted(anew + stored, "verdict")
    parts = [f"{verdicts}: {stored} stored, {anew} asked" if anew + stored else "no verdict"]
    if asked and group[0].is_llm:
        tokens = total(each.usage.spent_tokens for each in asked)
        cost = total(each.usage.spent_cost for each in asked)
        parts += [price(tokens, cost), f"{sum(each.usage.seconds for each in asked):.1f} s"]
    return " · ".join(parts)


def price(tokens: int | None, cost: float | None) -> str:
    """Tokens and US dollars as people read them."""
    counted = "tokens unknown" if tokens is None else f"{_thousands(tokens)} tokens"
    return f"{counted} · " + ("cost unknown" if cost is None else f"${cost:.4f}")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + "s" * (count != 1)


def _thousands(count: int) -> str:
    return str(count) if count < 1000 else f"{count / 1000:.1f}k"


def _causes(rows: Sequence[SuiteRow]) -> Iterable[str]:
    """The root causes of each suite that failed on a case, the most frequent first."""
    for row in rows:
        if row.causes:
            of = f" ({row.suite})" if len(rows) > 1 else ""
            told = [f"{cause} {count}" for cause, count in row.causes.items()]
            told += [f"{row.uncertain} uncertain"] if row.uncertain else []
            yield f"root causes{of}: {' · '.join(told)}"


def _errors(records: Sequence[Record], assessments: Sequence[Assessment]) -> Iterable[str]:
    errors = error_counts(records, assessments)
    if errors:
        yield f"errors: {sum(errors.values())}, each a check without a verdict"
    for (metric, message), count in [*errors.items()][:ERRORS_SHOWN]:
        yield f"  {count} × {metric}: {shown(message, 200)}"
    if len(errors) > ERRORS_SHOWN:
        yield f"  and {_counted(len(errors) - ERRORS_SHOWN, 'more kind')}"


def error_counts(
    records: Sequence[Record], assessments: Sequence[Assessment]
) -> dict[tuple[str, str], int]:
    """How many errors of each kind there are, by metric and message, the most frequent first.

    Of a suite only those where it could not be asked at all: its checks tell the others.
    """
    every: list[tuple[str, Record | Assessment]] = [(each.metric, each) for each in records]
    every += [(f"quality ({each.suite})", each) for each in assessments if not each.errors]
    errors = Counter(
        (name, _TRIED.sub("", each.message))
        for name, each in every
        if each.outcome is Outcome.ERROR
    )
    return dict(sorted(errors.items(), key=lambda each: (-each[1], each[0])))


def _line(record: Record) -> str:
    what = record.message if record.outcome is Outcome.ERROR else record.reason
    score = "" if record.score is None else f" {record.label or f'{record.score:.3g}'}"
    outcome = str(record.outcome).replace("_", " ")
    return f"{record.nodeid} {record.metric}{score} {outcome}: {shown(what, 200)}"
