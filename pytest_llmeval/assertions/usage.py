"""Assertions on what the answer of the app under test took: seconds, tokens, calls of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ..data.call_match import Comparison, Order
from ..data.cases import Case
from ..data.measured import Measured
from ..data.measuring import Measurement
from ..errors import UsageError
from ..metrics.pass_rules import threshold_of
from ..results import Result
from .asserting import asserted

if TYPE_CHECKING:
    from ..data.tool_calls import ToolCalls

Took = Case | Measurement | Measured
"""What says what an answer took."""


def assert_latency(case: Took, *, at_most: float | None = None) -> Result:
    """Assert that the answer took ``at_most`` so many seconds (``latency_seconds``).

    ``case`` says what was ``measured``, as cases do whose answers the run made, or has a ``trace``
    that tells; or it is what ``measure()`` gives. The metric has no pass mark of its own: it is
    given here, or by ``--llm-eval-threshold``. Returns the ``Result``; raises ``CheckFailed``
    above it, an ``EvalError`` where nothing was measured, and ``UsageError`` without a mark.
    """
    __tracebackhide__ = True
    return asserted("latency_seconds", _case(case), {}, None, threshold_of(None, at_most))


def assert_tokens(
    case: Took, *, at_most: float | None = None, of: Literal["total", "input", "output"] = "total"
) -> Result:
    """Assert that the answer took ``at_most`` so many tokens (``total_token_count``).

    ``of`` counts input or output tokens alone. Takes, returns and raises what ``assert_latency``
    does.
    """
    __tracebackhide__ = True
    if of not in _COUNTS:
        raise UsageError(f"assert_tokens: of is one of {', '.join(_COUNTS)}; got {of!r}")
    return asserted(_COUNTS[of], _case(case), {}, None, threshold_of(None, at_most))


def assert_tools_called(
    case: Case,
    expected: ToolCalls | None = None,
    *,
    order: Order = "any",
    arguments: Comparison = "equal",
    allow_others: bool = False,
    at_least: float | None = None,
) -> Result:
    """Assert that the agent called the ``expected`` tools and no others (``tool_calls``).

    ``assert_tools_called(case, ["search", ToolCall("book", {"id": 3})])``: a name alone takes any
    arguments, an empty list expects no call. Without ``expected`` the case's ``expected_tools``
    count. What was called is in the case's ``tools_called``, its ``trace``, or the ``tool_calls``
    of its last turn. ``order="same"`` expects them in this order; ``arguments="subset"`` allows
    further arguments, ``"ignore"`` any; ``allow_others`` further calls, also in between.

    Returns the ``Result``; raises ``CheckFailed`` that names each call that was missing, altered,
    out of order or unexpected, an ``EvalError`` where it is not known what was called, and
    ``UsageError`` for an option that can't be.
    """
    __tracebackhide__ = True
    options: dict[str, Any] = {} if expected is None else {"expected_tools": expected}
    return asserted(
        "tool_calls",
        case,
        {},
        None,
        threshold_of(at_least, None),
        order=order,
        arguments=arguments,
        allow_others=allow_others,
        **options,
    )


def _case(given: Took) -> Case:
    return Case(measured=given) if isinstance(given, Measurement | Measured) else given


_COUNTS = {
    "total": "total_token_count",
    "input": "total_input_token_count",
    "output": "total_output_token_count",
}
