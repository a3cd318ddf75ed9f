"""What users call: assertions, evaluation without asserting, a question of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Literal

from .data.cases import Case
from .deferral import block, together
from .errors import CaseTypeError, UsageError
from .metrics.base import Ask, Metric, threshold_of
from .metrics.own_question import own_question
from .outside import current
from .raising import raise_if_failed
from .results import FRACTION, Result, Threshold, Verdict
from .session import Session
from .stack import Off

if TYPE_CHECKING:
    from .judges.base import BaseJudge, ReplyT


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
    return _asserted("groundedness", response, {"context": context, "query": query}, judge, rule)


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
    return _asserted("relevance", response, {"context": context, "query": query}, judge, rule)


def assert_fact_checked(
    response: Case | str,
    *,
    context: object = None,
    claims: Literal["response", "sentences"] = "response",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response, taken as one claim, is supported by the context (``fact_check``).

    With ``claims="sentences"`` every sentence is checked as a claim of its own. Takes, returns
    and raises what ``assert_grounded`` does.
    """
    __tracebackhide__ = True
    return _asserted("fact_check", response, {"context": context}, judge, None, claims=claims)


def assert_not_fact_checked(
    response: Case | str,
    *,
    context: object = None,
    claims: Literal["response", "sentences"] = "response",
    judge: BaseJudge | str | None = None,
) -> Result:
    """Assert that the response is *not* supported by the context (row ``fact_check[no]``).

    The opposite of ``assert_fact_checked``, for claims that a checker ought to catch.
    """
    __tracebackhide__ = True
    rule = Threshold("at_most", 0)
    return _asserted("fact_check", response, {"context": context}, judge, rule, claims=claims)


def assert_metrics(case: Case) -> dict[str, Result]:
    """Assert the metrics that the test's ``llm_cases`` marker names, all at the same time.

    ``case`` is the test's case, with its response. Returns the results by metric; raises as
    ``together()`` does: one ``CheckFailed`` with every metric that failed. Raises ``UsageError``
    where the marker names no metric.
    """
    __tracebackhide__ = True
    session = _session()
    planned = session.plan.metrics if session.plan else ()
    if not planned:
        raise UsageError(
            "assert_metrics asserts what the test's marker names: "
            "@pytest.mark.llm_cases(path, metrics=['groundedness'])"
        )
    results: dict[str, Result] = {}
    outer = block(session)
    with together() if outer is None else nullcontext(outer) as around:
        for each in planned:
            rule = threshold_of(each.at_least, each.at_most)
            check = session.start(
                case, each.metric, judge=each.judge, threshold=rule, options=each.options
            )
            results[session.metric(each.metric).name] = around.add(check)
    return results


def evaluate(
    case: Case,
    metric: Metric | str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    judge: BaseJudge | str | None = None,
    **options: Any,
) -> Result:
    """The ``Result`` of ``metric`` on ``case``, without asserting.

    ``options`` are those of the metric (``claims="sentences"``). Where no verdict could be had the
    result's outcome is ``error``, its ``error`` says why, and its ``passed`` raises it. Raises
    ``UsageError`` for a metric, option or threshold that can't be.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, at_most)
    session = _session()
    check = session.start(case, metric, judge=judge, threshold=rule, options=options)
    around = block(session)
    return check.result() if around is None else around.add(check, asserted=False)


def ask_judge(
    prompt: str,
    reply: type[ReplyT],
    /,
    *,
    judge: BaseJudge | str | None = None,
    **values: str,
) -> ReplyT:
    """What the judge replies to a question of one's own, as an instance of ``reply``.

    ``prompt`` is a template; each of its placeholders (``{{ response }}``) is filled, fenced, with
    the value of that name, which is text; any name will do but ``judge``, which says who is asked.
    ``reply`` is a pydantic model, its fields in the order in which the judge should answer (the
    reason first), each with a description. The judge has to give every field, also one that has a
    default. The reply is kept in the store and counted in the summary.

    Raises an ``EvalError`` where no valid reply could be had, of which ``UsageError`` tells that
    prompt, reply or values can't be.
    """
    __tracebackhide__ = True
    replies: list[ReplyT] = []

    async def llm_judge(case: Case, ask: Ask) -> Verdict:
        replies.append(await ask(own_question(prompt, reply, values, ask)))
        return Verdict(None, "")

    asked = Metric("llm_judge", llm_judge, (), FRACTION, None)
    raise_if_failed(_session().start(Case(), asked, judge=judge).result())
    return replies[0]


def _session() -> Session:
    """The session that checks belong to; where checks are off, the test is skipped here."""
    __tracebackhide__ = True
    run = current()
    if isinstance(run, Off):
        import pytest

        pytest.skip(run.advice, allow_module_level=True)
    return run


def _asserted(
    metric: str,
    response: Case | str,
    pieces: Mapping[str, object],
    judge: BaseJudge | str | None,
    threshold: Threshold | None,
    **options: Any,
) -> Result:
    __tracebackhide__ = True
    session = _session()
    check = session.start(
        lambda: _case(response, pieces), metric, judge=judge, threshold=threshold, options=options
    )
    if (around := block(session)) is not None:
        return around.add(check)
    raise_if_failed(result := check.result())
    return result


def _case(response: Case | str, pieces: Mapping[str, object]) -> Case:
    given = {name: value for name, value in pieces.items() if value is not None}
    if isinstance(response, Case):
        if given:
            raise CaseTypeError(
                f"a whole Case was given, and {', '.join(given)} beside it: put it into the case"
            )
        return response
    if not isinstance(response, str):
        raise CaseTypeError(
            f"response: expected text or a Case, got {type(response).__name__}; "
            "take the text out of the object first"
        )
    return Case.model_validate({"response": response, **given})
