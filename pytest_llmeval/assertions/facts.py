"""Assertions on whether claims are supported, yes or no."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..data.cases import Case
from ..results import Result
from ..scales import Threshold
from .asserting import asserted

if TYPE_CHECKING:
    from ..judges.base import BaseJudge


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
    return asserted("fact_check", response, {"context": context}, judge, None, claims=claims)


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
    return asserted("fact_check", response, {"context": context}, judge, rule, claims=claims)
