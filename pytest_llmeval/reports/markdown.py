"""A run as a page of Markdown: fit for a step summary, or a comment on a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..rates.suite_rate import SuiteRow
from .causes import advice, causes_of
from .consequence import Consequence
from .cut import Block, fitted
from .ended import status_of
from .errors_told import error_counts
from .failed_checks import failed_checks
from .gates import word_of
from .judges_told import judges_told, price
from .markup import code, row
from .page_baseline import baseline_blocks
from .page_head import counts, heading
from .rated_rows import rated_rows
from .run import Run
from .table import Cells, cells_of, level_lines
from .trials import trial_lines
from .versus import columns

MARKER = "<!-- llm-eval -->"
"""The first line, which nobody sees: by it a bot finds the comment that it is to update."""


class Limit(NamedTuple):
    """How long a page may be, and how that is counted."""

    size: int
    of: Callable[[str], int]


def utf8(text: str) -> int:
    """The bytes that ``text`` takes in a file."""
    return len(text.encode())


def characters(text: str) -> int:
    """The characters of ``text`` as GitHub counts them: one that is beyond 16 bits is two."""
    return len(text.encode("utf-16-le")) // 2


COMMENT = Limit(65_536, characters)
"""The longest comment that GitHub takes."""
STEP_SUMMARY = Limit(1024 * 1024, utf8)
"""The longest summary of one step that GitHub takes."""


def markdown(run: Run, limit: Limit = COMMENT) -> str:
    """The summary of ``run`` in no more than ``limit``.

    It says how the run ended and who judged, the gates, those that fail it first, the table of
    metrics and suites, trials, root causes, the baseline, the failing checks, worst first and those
    that failed no test apart, errors, and notices. What comes from the run is shown in code spans,
    so that no text under test is taken for Markdown, HTML, a mention or a link. Where it would be
    too long, failing checks are left out first, and counted. Blank where ``limit`` has no room at
    all.
    """
    return fitted([*_blocks(run)], *limit)


def _blocks(run: Run) -> Iterator[Block]:
    yield Block(f"{MARKER}\n## {heading(run)}")
    yield Block(f"{counts(run)}\n", tuple(_who(run)), "judge", 1)
    yield from _listed("Gates", [*_gates(run)], "gate", 1)
    metrics, suites = rated_rows(run.records, run.assessments, run.tests)
    header, *rows = cells_of(metrics, suites, columns(run.comparison))
    if rows:
        yield _table(header, rows)
    levels = [f"- {code(metric, 100)}: {told}" for metric, told in level_lines(metrics)]
    yield from _listed("Severities", levels, "metric", 1)
    tried = [f"- {code(line)}" for line in trial_lines([*metrics, *suites])]
    yield from _listed("Trials", tried, "line", 1)
    causes = [*_causes(suites, advice(run.assessments))]
    yield from _listed("Root causes", causes, "suite", 1)
    yield from baseline_blocks(run.comparison, 3)
    for rank, (follows, items) in enumerate(failed_checks(run).items(), 4):
        yield from _listed(_FAILED[follows], items, "failed check", rank)
    yield from _listed("Without a verdict", [*_errors(run)], "kind of error", 2)
    notices = [f"- {code(notice, 400)}" for notice in run.notices if notice.strip()]
    yield from _listed("Notices", notices, "notice", 2)


_FAILED = {
    Consequence.FAILED: "Failed checks, worst first",
    Consequence.GROUP: "Failed in groups that are not held, worst first",
    Consequence.TOLERATED: "Tolerated in groups, worst first",
    Consequence.NOTHING: "Failed without failing a test, worst first",
}


def _who(run: Run) -> Iterator[str]:
    yield from (f"- {code(who)} · {spent}" for who, spent in judges_told(run.records))
    if any(record.is_llm and record.judge for record in run.records):
        # In code: between two dollar signs GitHub may see a formula.
        now = code(price(run.totals.spent_tokens, run.totals.spent_cost))
        ever = code(price(run.totals.tokens, run.totals.cost))
        yield f"- cost: {now} in this run" + (
            f"; {ever} for all these verdicts, whenever they were asked" if ever != now else ""
        )


def _table(header: Cells, rows: Sequence[Cells]) -> Block:
    head = f"{row(header)}\n{row(['---', *['---:'] * (len(header) - 2), '---'])}"
    lines = tuple(row((code(name, 100), *cells)) for name, *cells in rows)
    return Block(head, lines, "row", 1)


def _listed(title: str, items: Sequence[str], what: str, rank: int) -> Iterator[Block]:
    if items:
        yield Block(f"### {title}\n", tuple(items), what, rank)


def _causes(suites: Sequence[SuiteRow], fixes: Mapping[tuple[str, str], str]) -> Iterator[str]:
    for suite in suites:
        if suite.causes:
            told = causes_of(suite, lambda cause: code(cause, 100))
            lines = [f"- {code(suite.suite, 100)}: {told}"]
            lines += [
                f"  - fix of {code(cause, 100)}: {code(fix)}"
                for cause in suite.causes
                if (fix := fixes.get((suite.suite, cause)))
            ]
            yield "\n".join(lines)


def _gates(run: Run) -> Iterator[str]:
    """Those that fail the run first, and in bold.

    One that is not decided since tests were left out fails in a CI alone: never a run that passed.
    """
    failing = [gate.fails(in_ci=status_of(run) == 1) for gate in run.gates]
    for gate, fails in sorted(zip(run.gates, failing, strict=True), key=lambda each: not each[1]):
        state = f"**{word_of(gate)}**" if fails else word_of(gate)
        says = f": {code(gate.says)}" if gate.says else ""
        yield f"- {code(gate.name)} {state}{says}"


def _errors(run: Run) -> Iterator[str]:
    for (metric, message), count in error_counts(run.records, run.assessments).items():
        yield f"- {count} × {code(metric, 100)}: {code(message)}"
