"""How an assertion is made: which run it belongs to, its case put together, its result raised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..data.cases import Case
from ..deferral import block
from ..errors import CaseTypeError
from ..metrics.base import Metric
from ..outside import current
from ..raising import raise_if_failed
from ..results import Result
from ..scales import Threshold
from ..session import Session
from ..stack import Off

if TYPE_CHECKING:
    from ..judges.base import BaseJudge


def session_here() -> Session:
    """The session that checks belong to; where checks are off, the test is skipped here."""
    __tracebackhide__ = True
    run = current()
    if isinstance(run, Off):
        import pytest

        pytest.skip(run.advice, allow_module_level=True)
    return run


def asserted(
    metric: Metric | str,
    judged: object,
    pieces: Mapping[str, object],
    judge: BaseJudge | str | None,
    threshold: Threshold | None,
    *,
    text_is: str = "response",
    **options: Any,
) -> Result:
    """The result of ``metric`` on ``judged``: a whole case, or text with ``pieces`` beside it.

    ``text_is`` is the field that the text is (``context``: documents in any shape). Raises as
    every assertion does; in a block the result is pending, and nothing is raised here.
    """
    __tracebackhide__ = True
    return asserted_of(lambda: _case(judged, text_is, pieces), metric, judge, threshold, options)


def asserted_of(
    case: Case | Callable[[], Case],
    metric: Metric | str,
    judge: BaseJudge | str | None,
    threshold: Threshold | None,
    options: Mapping[str, Any],
) -> Result:
    """The result of ``metric`` on ``case``, or on what that makes; raises as ``asserted``."""
    __tracebackhide__ = True
    session = session_here()
    check = session.start(
        case, metric, judge=judge, threshold=threshold, options=options, decided=True
    )
    if (around := block(session)) is not None:
        return around.add(check)
    raise_if_failed(result := check.result())
    return result


def _case(judged: object, text_is: str, pieces: Mapping[str, object]) -> Case:
    given = {name: value for name, value in pieces.items() if value is not None}
    if isinstance(judged, Case):
        if given:
            raise CaseTypeError(
                f"a whole Case was given, and {', '.join(given)} beside it: put it into the case"
            )
        return judged
    if not isinstance(judged, str) and text_is != "context":
        raise CaseTypeError(
            f"{text_is}: expected text or a Case, got {type(judged).__name__}; "
            "take the text out of the object first"
        )
    return Case.model_validate({text_is: judged, **given})
