"""Assertions on judged quality, on a scale from 1 to 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..data.cases import Case
from ..metrics.base import threshold_of
from ..results import Result
from .asserting import asserted

if TYPE_CHECKING:
    from ..judges.base import BaseJudge


def assert_grounded(
    response: Case | str,
    *,
    context: object = None,
    query: str | None = None,
    at_least: float | None = None,
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response's claims follow from the context (``groundedness``, 1–5).

    Passes at ``at_least`` (default 4). ``response`` is a whole ``Case``, or the text with
    ``context`` (text, or a list of texts, documents or mappings) and, if it helps to understand
    the response, ``query`` beside it. ``judge`` overrides the configured judge.

    Returns the ``Result``; raises ``CheckFailed`` (an ``AssertionError``) when the judge decides
    against it, and an ``EvalError`` when no verdict can be had.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    return asserted("groundedness", response, {"context": context, "query": query}, judge, rule)


def assert_relevant(
    response: Case | str,
    *,
    query: str | None = None,
    context: object = None,
    at_least: float | None = None,
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response addresses the main aspects of the query (``relevance``, 1–5).

    Passes at ``at_least`` (default 4). Takes, returns and raises what ``assert_grounded`` does;
    the query is needed, the context is not.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    return asserted("relevance", response, {"context": context, "query": query}, judge, rule)
