"""The text of a suite on a case: the root cause first, what to do, then all the rest."""

from __future__ import annotations

from ..records.assessment import suite_row
from ..results import Outcome, Result
from ..suites.choosing import by_reason
from ..suites.result import SuiteResult
from ..text.plural import many
from ..text.shown import shown
from .failure import check_text, headline


def suite_headline(made: SuiteResult) -> str:
    """What was decided, of how many metrics, and the root cause, on one line."""
    name, decided = suite_row(made.suite), many(made.decided, "metric")
    if made.failed:
        failed = f"{len(made.failed)} of {decided}"
        return f"{name} failed: {failed}; root cause {made.root_cause}{_unless(made)}"
    if made.errors:
        none = f"{len(made.errors)} of {decided} got none"
        return f"{name}: no verdict: {none}: {', '.join(made.errors)}"
    if made.error is not None:
        return f"{name}: no verdict: {shown(str(made.error))}"
    outcome = str(made.outcome).replace("_", " ")
    return f"{name} {outcome}: {many(made.decided or len(made.results), 'metric')}"


def suite_text(made: SuiteResult) -> str:
    """The headline, the root cause as its check tells it, the fix, then a part for each other.

    Query and response are shown once.
    """
    results = made.results
    parts = [suite_headline(made)]
    if made.root_cause is not None:
        parts += [check_text(results[made.root_cause]), f"fix: {made.fix}"]
    parts += [_brief(results[row]) for row in made.failed[1:]]
    parts += [_brief(results[row]) for row in made.errors]
    skipped = {
        row: each.reason for row, each in results.items() if each.outcome is Outcome.NOT_APPLICABLE
    }
    parts += [f"not applicable: {by_reason(skipped)}"] if skipped else []
    parts += [f"left out: {by_reason(made.left_out)}"] if made.left_out else []
    return "\n\n".join(parts)


def _brief(result: Result) -> str:
    reason = shown(result.reason) if result.error is None else ""
    return f"{headline(result)}\n  reason {reason}" if reason else headline(result)


def _unless(made: SuiteResult) -> str:
    if not made.uncertain:
        return ""
    return f", unless it is {' or '.join(made.uncertain)}, which got no verdict"
