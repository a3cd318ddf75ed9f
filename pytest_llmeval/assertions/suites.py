"""Quality: a suite of metrics on one case, asserted or evaluated as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

from ..assessing import SuiteCheck, start_suite
from ..data.cases import Case
from ..deferral import block
from ..raising import raise_if_failed
from ..session import Session
from ..suites.result import SuiteResult
from ..suites.suite import Given, Suite
from .asserting import session_here
from .called import case_of_fields

if TYPE_CHECKING:
    from ..judges.base import BaseJudge

DEFAULT = "databricks"


@overload
def assert_quality(
    case: Case,
    suite: Suite | str | None = None,
    *,
    also: Iterable[Given] = (),
    judge: BaseJudge | str | None = None,
) -> SuiteResult: ...


@overload
def assert_quality(
    *,
    suite: Suite | str | None = None,
    also: Iterable[Given] = (),
    judge: BaseJudge | str | None = None,
    **fields: Any,
) -> SuiteResult: ...


def assert_quality(
    case: Case | None = None,
    suite: Suite | str | None = None,
    *,
    also: Iterable[Given] = (),
    judge: BaseJudge | str | None = None,
    **fields: Any,
) -> SuiteResult:
    """Assert that ``case`` passes every metric of ``suite``, all asked at once.

    ``suite`` is a ``Suite`` or its name (``databricks``, ``azure``, one of your own); without it
    that of the test's ``llm_cases`` marker, else ``databricks``. ``also`` are further members, as
    ``Suite`` takes them: your own metrics, which count as causes in this order after all others.
    In place of a case its fields may be given, also under the names of other tools.

    A metric whose inputs the case lacks is left out; what has no pass mark is only measured.
    Returns the ``SuiteResult``; raises ``CheckFailed``, which tells the root cause first, where a
    metric failed, else an ``EvalError`` where one got no verdict, or nothing could be decided.
    Source: Databricks Agent Evaluation's and Azure AI evaluation's sets of metrics.
    """
    __tracebackhide__ = True
    session = session_here()
    planned = session.plan.suite if session.plan else None
    meant = _with(session, suite if suite is not None else planned or DEFAULT, also)
    check = _started(session, case, meant, judge, fields, decided=True)
    if (around := block(session)) is not None:
        return around.add(check)
    raise_if_failed(result := check.result())
    return result


def evaluate_suite(
    case: Case | None, suite: Suite | str, judge: BaseJudge | str | None, fields: Mapping[str, Any]
) -> SuiteResult:
    """The ``SuiteResult`` of ``suite`` on ``case``, or on that of ``fields``, without asserting."""
    __tracebackhide__ = True
    session = session_here()
    check = _started(
        session, case, session.names.suites.called(suite), judge, fields, decided=False
    )
    around = block(session)
    return check.result() if around is None else around.add(check, asserted=False)


def _with(session: Session, suite: Suite | str, also: Iterable[Given]) -> Suite:
    called = session.names.suites.called(suite)
    more = tuple(also)
    return Suite(called.name, (called, *more), called.stop_at_first) if more else called


def _started(
    session: Session,
    case: Case | None,
    suite: Suite,
    judge: BaseJudge | str | None,
    fields: Mapping[str, Any],
    decided: bool,
) -> SuiteCheck:
    given: Case | Callable[[], Case] = case_of_fields(case, fields, "a suite")
    return start_suite(session, given, suite, judge, decided)
