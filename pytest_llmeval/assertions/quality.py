"""Assertions on judged quality, on a scale from 1 to 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..data.cases import Case
from ..data.messages import Message
from ..data.turns import JudgedTurns
from ..metrics.pass_rules import threshold_of
from ..results import Result
from .asserting import asserted

if TYPE_CHECKING:
    from ..judges.base import BaseJudge

Turns = Sequence[Message | Mapping[str, Any]]
"""A conversation, oldest turn first: each a ``Message``, or a mapping with role and content."""


def assert_grounded(
    response: Case | str,
    *,
    context: object = None,
    query: str | None = None,
    scale: Literal["1-5", "yes_no"] = "1-5",
    at_least: float | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response's claims follow from the context (``groundedness``, 1–5).

    Passes at ``at_least`` (default 4). ``response`` is a whole ``Case``, or the text with
    ``context`` (text, or a list of texts, documents or mappings) and, if it helps to understand
    the response, ``query`` beside it. ``judge`` overrides the configured judge.

    ``scale="yes_no"`` asks whether all or nearly all of the response is supported, passes at yes,
    needs the query, and counts in a row of its own, ``groundedness[yes_no]``. With
    ``turns="each"`` each turn of a conversation is judged instead of the last one, and all have to
    pass; row ``groundedness[each_turn]``.

    Returns the ``Result``; raises ``CheckFailed`` (an ``AssertionError``) when the judge decides
    against it, and an ``EvalError`` when no verdict can be had.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    pieces = {"context": context, "query": query}
    return asserted("groundedness", response, pieces, judge, rule, scale=scale, turns=turns)


def assert_relevant(
    response: Case | str,
    *,
    query: str | None = None,
    context: object = None,
    ground_truth: str | None = None,
    messages: Turns | None = None,
    form: Literal["auto", "a", "b", "c"] = "auto",
    at_least: float | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response addresses the main aspects of the query (``relevance``, 1–5).

    Passes at ``at_least`` (default 4). Needs the query, or ``messages`` that end on it: the
    response is then the last turn of that conversation. A single turn is judged by itself (form
    ``a``); the last turn of a conversation against ``ground_truth`` (``c``) or, where there is
    none, against an answer that the judge first builds from ``context`` and the earlier turns
    (``b``). ``form`` overrides this. Takes, returns and raises what ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    pieces = {
        "query": query,
        "context": context,
        "ground_truth": ground_truth,
        "messages": messages,
    }
    return asserted("relevance", response, pieces, judge, rule, form=form, turns=turns)


def assert_coherent(
    response: Case | str,
    *,
    query: str | None = None,
    at_least: float | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response's sentences fit together and read naturally (``coherence``, 1–5).

    Passes at ``at_least`` (default 4). Needs the query. Takes, returns and raises what
    ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    return asserted("coherence", response, {"query": query}, judge, rule, turns=turns)


def assert_fluent(
    response: Case | str,
    *,
    query: str | None = None,
    at_least: float | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response's single sentences are well written (``fluency``, 1–5).

    Passes at ``at_least`` (default 4). Needs no query. Takes, returns and raises what
    ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    return asserted("fluency", response, {"query": query}, judge, rule, turns=turns)


def assert_similar(
    response: Case | str,
    *,
    query: str | None = None,
    ground_truth: str | None = None,
    at_least: float | None = None,
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response gives the ground truth's information (``similarity``, 1–5).

    Passes at ``at_least`` (default 4). Needs query and ``ground_truth``, the reference answer.
    Takes, returns and raises what ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    pieces = {"query": query, "ground_truth": ground_truth}
    return asserted("similarity", response, pieces, judge, rule)


def assert_retrieved(
    query: Case | str,
    *,
    context: object = None,
    messages: Turns | None = None,
    at_least: float | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the documents are suited to answer the query (``retrieval``, 1.0–5.0).

    Passes at ``at_least`` (default 4), which is three of four intents of the query. ``query`` is a
    whole ``Case``, or the text with ``context``, the documents that were retrieved, and perhaps
    ``messages``, what was said before, beside it. Returns and raises what ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, None)
    pieces = {"context": context, "messages": messages}
    return asserted("retrieval", query, pieces, judge, rule, text_is="query", turns=turns)
