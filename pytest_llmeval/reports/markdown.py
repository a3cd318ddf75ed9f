"""A run as a page of Markdown: fit for a step summary, or a comment on a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..gates.case_values import weights_of
from ..gates.pass_rate import metric_rows
from ..gates.suite_rate import suite_rows
from ..results import Outcome
from .cut import Block, fitted
from .ended import status_of
from .failed_checks import failed_checks
from .markup import code, row
from .run import Run
from .table import Cells, cells_of, level_lines
from .terminal import error_counts, judges_told, price
from .trials import trial_lines
from .versus import columns, lines

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

    It says who judged, the table of metrics and suites, root causes, gates, the baseline, the
    failing checks, worst first, errors apart, and notices. What comes from the run is shown in code
    spans, so that no text under test is taken for Markdown, HTML, a mention or a link. Where it
    would be too long, failing checks are left out first, and counted. Blank where ``limit`` has no
    room at all.
    """
    return fitted([*_blocks(run)], *limit)


def _blocks(run: Run) -> Iterator[Block]:
    yield Block(f"{MARKER}\n## LLM evals: {_STATUS.get(status_of(run), 'failed')}")
    yield Block(f"{_counts(run)}{_extent(run)}\n", tuple(_who(run)), "judge", 1)
    weights, beside = weights_of(run.tests), columns(run.comparison)
    metrics, suites = metric_rows(run.records, weights), suite_rows(run.assessments, weights)
    header, *rows = cells_of(metrics, suites, beside)
    if rows:
        yield _table(header, rows)
    levels = [f"- {code(metric, 100)}: {told}" for metric, told in level_lines(metrics)]
    yield from _listed("Severities", levels, "metric", 1)
    yield from _listed("Trials", [*map(_line, trial_lines([*metrics, *suites]))], "line", 1)
    yield from _listed("Root causes", [*_causes(run)], "suite", 1)
    yield from _listed("Gates", [*_gates(run)], "gate", 1)
    yield from _listed("Baseline", [*map(_line, lines(run.comparison))], "line", 3)
    yield from _listed("Failed checks, worst first", failed_checks(run), "failed check", 4)
    yield from _listed("Without a verdict", [*_errors(run)], "kind of error", 2)
    yield from _listed("Notices", [*map(_line, filter(str.strip, run.notices))], "notice", 2)


_STATUS = {
    0: "passed",
    2: "interrupted",
    3: "an internal error",
    4: "a usage error",
    5: "no tests",
}
"""What pytest's exit statuses mean, but for 1."""


def _counts(run: Run) -> str:
    """How many checks came to what."""
    expected = sum(record.xfailed for record in run.records)
    outcomes = [record.outcome for record in run.records if not record.xfailed]
    counts = {
        "passed": outcomes.count(Outcome.PASSED),
        "failed": outcomes.count(Outcome.FAILED),
        "without a verdict": outcomes.count(Outcome.ERROR),
        "not applicable": outcomes.count(Outcome.NOT_APPLICABLE),
        "measured": outcomes.count(Outcome.MEASURED),
        "in xfailed tests": expected,
    }
    if not run.records:
        return "No check was made."
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f"{len(run.records)} check{'s' * (len(run.records) != 1)}: {told}.{_otherwise(run)}"


def _otherwise(run: Run) -> str:
    """What is said of a run that failed, and not by what is told below."""
    told = any(each.outcome in (Outcome.FAILED, Outcome.ERROR) for each in run.records)
    if run.exit_status != 1 or told or run.gates:
        return ""
    return " The run failed by something else than a check."


def _extent(run: Run) -> str:
    if missing := run.extent.missing:
        return f" This is not the whole suite: {code(missing)}."
    return ""


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


def _causes(run: Run) -> Iterator[str]:
    for suite in suite_rows(run.assessments):
        if suite.causes:
            told = [f"{code(cause, 100)} {count}" for cause, count in suite.causes.items()]
            told += [f"{suite.uncertain} uncertain"] if suite.uncertain else []
            yield f"- {code(suite.suite, 100)}: {' · '.join(told)}"


def _gates(run: Run) -> Iterator[str]:
    for gate in run.gates:
        says = f": {code(gate.says)}" if gate.says else ""
        yield f"- {code(gate.name)} **{gate.state}**{says}"


def _line(text: str) -> str:
    """An item for ``text``, which is not blank: else its hyphen would underline a heading.

    One that is indented belongs to the item before it.
    """
    indent = len(text) - len(text.lstrip(" "))
    return f"{' ' * (indent - indent % 2)}- {code(text, 400)}"


def _errors(run: Run) -> Iterator[str]:
    for (metric, message), count in error_counts(run.records, run.assessments).items():
        yield f"- {count} × {code(metric, 100)}: {code(message)}"
