"""Assertions on what was retrieved: is it relevant, is it enough, can it be trusted?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..data.cases import Case
from ..data.turns import JudgedTurns
from ..metrics.pass_rules import threshold_of
from ..results import Result
from .asserting import asserted

if TYPE_CHECKING:
    from ..judges.base import BaseJudge


def assert_chunks_relevant(
    query: Case | str,
    *,
    context: object = None,
    at_least: float | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that retrieval found something relevant to the query (``chunk_relevance``, 0–1).

    Each document is asked about by itself. Passes with one relevant document, or where the
    relevant ones are ``at_least`` that share of all. ``query`` is a whole ``Case``, or the text
    with ``context`` (as ``assert_grounded`` takes it) beside it. Returns the ``Result``, whose
    ``parts`` are the ratings; raises what ``assert_grounded`` does, and ``PartlyJudged`` where a
    document got no rating.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    return asserted(
        "chunk_relevance", query, {"context": context}, judge, rule, text_is="query", turns=turns
    )


def assert_context_sufficient(
    query: Case | str,
    *,
    context: object = None,
    ground_truth: str | None = None,
    expected_facts: Sequence[str] | None = None,
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the context holds what the expected answer needs (``context_sufficiency``).

    Yes or no. The expected answer is ``ground_truth``, ``expected_facts``, or both. ``query`` is a
    whole ``Case``, or the text with the others beside it. Returns and raises what
    ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    pieces = {"context": context, "ground_truth": ground_truth, "expected_facts": expected_facts}
    return asserted("context_sufficiency", query, pieces, judge, None, text_is="query")


def assert_sources_reliable(
    context: object,
    *,
    query: str | None = None,
    response: str | None = None,
    at_least: float | None = None,
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that every document is a trustworthy source (``source_reliability``, 0–1).

    Each is asked about by itself. ``at_least`` asks for a smaller share than all. ``context`` is a
    whole ``Case``, or documents as ``assert_grounded`` takes them, with ``query`` and
    ``response``, if there are any, to show what they are used for. Returns and raises what
    ``assert_chunks_relevant`` does.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    pieces = {"query": query, "response": response}
    return asserted("source_reliability", context, pieces, judge, rule, text_is="context")
