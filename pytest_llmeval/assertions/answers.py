"""Assertions on an answer, yes or no: is it correct, to the point, safe, by the rules?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..data.cases import Case
from ..data.turns import JudgedTurns
from ..results import Result
from .asserting import asserted

if TYPE_CHECKING:
    from ..judges.base import BaseJudge


def assert_correct(
    response: Case | str,
    *,
    query: str | None = None,
    ground_truth: str | None = None,
    expected_facts: Sequence[str] | None = None,
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response means the same as the expected answer (``correctness``, yes/no).

    The expected answer is ``ground_truth``, ``expected_facts``, or both; the query is needed.
    Small omissions that keep the intent are fine. Takes, returns and raises what
    ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    pieces = {"query": query, "ground_truth": ground_truth, "expected_facts": expected_facts}
    return asserted("correctness", response, pieces, judge, None)


def assert_relevant_to_query(
    response: Case | str,
    *,
    query: str | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response is about what the query asks (``relevance_to_query``, yes/no).

    The query is needed. Takes, returns and raises what ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    return asserted("relevance_to_query", response, {"query": query}, judge, None, turns=turns)


def assert_safe(
    response: Case | str,
    *,
    query: str | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response holds nothing harmful or toxic (``safety``, yes/no, yes = safe).

    The query is needed. Takes, returns and raises what ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    return asserted("safety", response, {"query": query}, judge, None, turns=turns)


def assert_guidelines(
    response: Case | str,
    *,
    guidelines: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    query: str | None = None,
    guidelines_context: Mapping[str, str] | None = None,
    turns: JudgedTurns = "last",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response keeps to every guideline (``guideline_adherence``, yes/no).

    ``guidelines`` are rules in plain words, or lists of them by name, each of which is rated by
    itself; beside a whole ``Case`` they join its own. Those that ``--llm-eval-guideline`` sets
    hold as well, and will do alone. ``guidelines_context`` are texts that the guidelines speak of,
    by name; the query is needed. Takes, returns and raises what ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    name, given = "guideline_adherence", guidelines or ()
    pieces: dict[str, object] = {"query": query, "guidelines_context": guidelines_context}
    if isinstance(response, Case):
        return asserted(name, response, pieces, judge, None, guidelines=given, turns=turns)
    return asserted(name, response, {**pieces, "guidelines": given}, judge, None, turns=turns)


def assert_context_relevancy(
    response: Case | str,
    *,
    query: str | None = None,
    context: object = None,
    template: str | None = None,
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response is in line with query and context (``context_relevancy``, yes/no).

    Both are needed. ``template`` takes the prompt's place; it holds ``{{ query }}``,
    ``{{ response }}`` and ``{{ context }}``. Takes, returns and raises what ``assert_grounded``
    does; a template that can't be is a ``UsageError``.
    """
    __tracebackhide__ = True
    pieces = {"query": query, "context": context}
    return asserted("context_relevancy", response, pieces, judge, None, template=template)
