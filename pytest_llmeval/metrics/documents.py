"""Documents found against documents expected, by their ids: recall and precision."""

from __future__ import annotations

from ..data.cases import Case
from ..results import Evidence, Verdict
from ..scales import FRACTION
from .ask import Ask
from .built_in import built_in


@built_in(
    needs=("expected_context", "context"),
    scale=FRACTION,
    judged=False,
    takes_empty=("context",),
)
async def document_recall(case: Case, ask: Ask) -> Verdict:
    """The share of the expected documents that were found, 0–1, 1 = all of them.

    Ids are compared exactly and count once, however often they occur (chunks of one document).
    The evidence is the ids that were not found. Where nothing was retrieved (a context that is
    given and empty) it is 0. Source: Databricks Agent Evaluation.
    """
    expected, found, _ = _ids(case)
    missing = [name for name in expected if name not in found]
    had = len(expected) - len(missing)
    reason = f"{had} of {len(expected)} expected documents were found{_without_ids(case)}"
    return Verdict(
        had / len(expected), reason, tuple(Evidence("not found", name) for name in missing)
    )


@built_in(needs=("expected_context", "context"), scale=FRACTION, judged=False)
async def document_precision(case: Case, ask: Ask) -> Verdict:
    """The share of the found documents that are expected, 0–1, 1 = all of them.

    Ids count as in ``document_recall``; a document without an id is found and never expected.
    The evidence is what was found and not expected. Of nothing found there is no share: that is an
    error. Source: Databricks Agent Evaluation.
    """
    expected, found, nameless = _ids(case)
    extra = [name for name in found if name not in expected] + nameless
    every = len(found) + len(nameless)
    reason = f"{every - len(extra)} of {every} found documents are expected{_without_ids(case)}"
    return Verdict(
        1 - len(extra) / every, reason, tuple(Evidence("not expected", name) for name in extra)
    )


def _ids(case: Case) -> tuple[dict[str, None], dict[str, None], list[str]]:
    """The ids expected and those found, each once, and names for documents without an id."""
    expected = dict.fromkeys(case.expected_context)
    found = dict.fromkeys(each.id for each in case.context if each.id is not None)
    nameless = [
        f"document {number}, which has no id"
        for number, each in enumerate(case.context, 1)
        if each.id is None
    ]
    return expected, found, nameless


def _without_ids(case: Case) -> str:
    if not case.context:
        return "; nothing was retrieved"
    return "" if any(each.id is not None for each in case.context) else "; none found has an id"
