"""Any metric by name: asserted, evaluated, or all that a marker names; a question of one's own."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, overload

from ..data.cases import Case
from ..deferral import block, together
from ..errors import UsageError
from ..metrics.ask import Ask
from ..metrics.base import Metric
from ..metrics.own.question import own_question
from ..metrics.pass_rules import threshold_of
from ..raising import raise_if_failed
from ..results import Result, Verdict
from ..scales import FRACTION
from .asserting import asserted_of, session_here
from .called import called, suite_in
from .suites import evaluate_suite

if TYPE_CHECKING:
    from ..judges.base import BaseJudge, ReplyT
    from ..suites.result import SuiteResult
    from ..suites.suite import Suite


@overload
def assert_metric(
    case: Case,
    metric: Metric | str,
    *,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    judge: BaseJudge | str | None = None,
    **options: Any,
) -> Result: ...


@overload
def assert_metric(
    metric: Metric | str,
    /,
    *,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    judge: BaseJudge | str | None = None,
    **fields: Any,
) -> Result: ...


def assert_metric(  # type: ignore[misc]  # no field of a case is called case or metric
    case: Any = None,
    metric: Metric | str | None = None,
    *,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    judge: BaseJudge | str | None = None,
    **named: Any,
) -> Result:
    """Assert ``metric``, by name or as itself, of ``case``, held to its default or to a bound.

    A bound is a number, or a word of the metric's scale (``at_least="warm"``).
    Takes a case, or the fields of one, as ``evaluate`` does. Returns the ``Result``; raises
    ``CheckFailed`` where it is off the mark, an ``EvalError`` when no verdict can be had, and
    ``UsageError`` for a metric, option or bound that can't be, or where neither the metric nor the
    call sets a mark.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, at_most)
    meant = called(session_here(), case, metric, named)
    return asserted_of(meant.case, meant.metric, judge, rule, meant.options)


def assert_metrics(case: Case) -> dict[str, Result]:
    """Assert the metrics that the test's ``llm_cases`` marker names, all at the same time.

    ``case`` is the test's case, with its response. Returns the results by metric; raises as
    ``together()`` does: one ``CheckFailed`` with every metric that failed. Raises ``UsageError``
    where the marker names no metric.
    """
    __tracebackhide__ = True
    session = session_here()
    planned = session.plan.metrics if session.plan else ()
    if not planned:
        raise UsageError(
            "assert_metrics asserts what the test's marker names: "
            "@pytest.mark.llm_cases(file, metrics=['groundedness'])"
        )
    results: dict[str, Result] = {}
    outer = block(session)
    with together() if outer is None else nullcontext(outer) as around:
        for each in planned:
            rule = threshold_of(each.at_least, each.at_most)
            check = session.start(
                case,
                each.metric,
                judge=each.judge,
                threshold=rule,
                options=each.options,
                decided=True,
            )
            results[session.names.metric(each.metric).row] = around.add(check)
    return results


@overload
def evaluate(case: Case, metric: Suite, *, judge: BaseJudge | str | None = None) -> SuiteResult: ...


@overload
def evaluate(
    suite: Suite, /, *, judge: BaseJudge | str | None = None, **fields: Any
) -> SuiteResult: ...


@overload
def evaluate(
    case: Case | None = None,
    *,
    suite: Suite | str,
    judge: BaseJudge | str | None = None,
    **fields: Any,
) -> SuiteResult: ...


@overload
def evaluate(
    case: Case,
    metric: Metric | str,
    *,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    judge: BaseJudge | str | None = None,
    **options: Any,
) -> Result: ...


@overload
def evaluate(
    metric: Metric | str,
    /,
    *,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    judge: BaseJudge | str | None = None,
    **fields: Any,
) -> Result: ...


def evaluate(  # type: ignore[misc]  # as above
    case: Any = None,
    metric: Metric | Suite | str | None = None,
    *,
    suite: Suite | str | None = None,
    at_least: float | str | None = None,
    at_most: float | str | None = None,
    judge: BaseJudge | str | None = None,
    **named: Any,
) -> Result | SuiteResult:
    """The ``Result`` of ``metric`` on ``case``, without asserting.

    ``evaluate(case, "relevance")`` takes a case, ``evaluate("relevance", query=…, response=…)``
    its fields, also under the names of other tools (``request``, ``retrieved_context``, …; see
    ``data/aliases.py``). Further keywords are options of the metric (``claims="sentences"``), which
    win over a field of the same name. Where no verdict could be had the result's outcome is
    ``error``, its ``error`` says why, and its ``passed`` raises it. Raises ``UsageError`` for a
    metric, option, field or threshold that can't be, and for a field that is given twice.

    ``evaluate(case, my_suite)`` and ``evaluate(case, suite="databricks")`` give the ``SuiteResult``
    of a suite in the same way.
    """
    __tracebackhide__ = True
    rule = threshold_of(at_least, at_most)
    if (asked := suite_in(case, metric, suite, rule)) is not None:
        return evaluate_suite(asked.case, asked.suite, judge, named)
    session = session_here()
    meant = called(session, case, metric, named)
    check = session.start(
        meant.case, meant.metric, judge=judge, threshold=rule, options=meant.options
    )
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
    raise_if_failed(session_here().start(Case(), asked, judge=judge).result())
    return replies[0]
