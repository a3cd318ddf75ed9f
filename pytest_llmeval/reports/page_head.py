"""The first lines of a page: how the run ended, how many checks came to what, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..records.record import Record
from ..results import Outcome
from ..text.plural import first_few, many
from .consequence import Consequence, Consequences
from .ended import status_of
from .markup import code
from .run import Run

NAMED = 3
"""How many tests a line names; the rest are counted."""

_STATUS = {
    0: "passed",
    2: "interrupted",
    3: "an internal error",
    4: "a usage error",
    5: "no tests",
}
"""What pytest's exit statuses mean, but for 1."""


def heading(run: Run) -> str:
    """How the run ended, in a word or two."""
    return f"LLM evals: {_STATUS.get(status_of(run), 'failed')}"


def counts(run: Run) -> str:
    """How many checks came to what, by what else the run failed, and what is missing of it."""
    follows = Consequences(run.tests, run.gates)
    told = [_checks(run.records, follows), *_otherwise(run, follows)]
    if missing := run.extent.missing:
        told.append(f"This is not the whole suite: {code(missing)}.")
    return " ".join(told)


def _checks(records: Iterable[Record], follows: Consequences) -> str:
    records = [*records]
    if not records:
        return "No check was made."
    made = [record for record in records if not record.xfailed]
    outcomes = Counter(record.outcome for record in made)
    failed = Counter(follows.of(each.nodeid) for each in made if each.outcome is Outcome.FAILED)
    came = {
        "passed": outcomes[Outcome.PASSED],
        **{each.value: failed[each] for each in Consequence},
        "without a verdict": outcomes[Outcome.ERROR],
        "not applicable": outcomes[Outcome.NOT_APPLICABLE],
        "measured": outcomes[Outcome.MEASURED],
        "in xfailed tests": len(records) - len(made),
    }
    told = ", ".join(f"{count} {what}" for what, count in came.items() if count)
    return f"{many(len(records), 'check')}: {told}."


def _otherwise(run: Run, follows: Consequences) -> Iterable[str]:
    """The tests that failed by something else than a check, or that there must be such."""
    by_checks = {
        each.nodeid for each in run.records if each.outcome in (Outcome.FAILED, Outcome.ERROR)
    }
    failed = [row.nodeid for row in run.tests if row.state in ("failed", "error")]
    if others := [each for each in failed if each not in by_checks]:
        names = ", ".join(first_few([*map(code, others)], NAMED))
        yield f"{many(len(others), 'test')} failed by something else than a check: {names}."
    elif run.exit_status == 1 and not failed and not _fails_by_checks(run, follows):
        yield "The run failed by something else than a check."


def _fails_by_checks(run: Run, follows: Consequences) -> bool:
    failing = any(
        each.outcome is Outcome.ERROR
        or (each.outcome is Outcome.FAILED and follows.of(each.nodeid) is Consequence.FAILED)
        for each in run.records
    )
    return failing or any(gate.fails(in_ci=True) for gate in run.gates)
