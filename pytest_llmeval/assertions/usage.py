"""Assertions on what the answer of the app under test took: seconds and tokens."""

from __future__ import annotations

from typing import Literal

from ..data.cases import Case
from ..errors import UsageError
from ..metrics.pass_rules import threshold_of
from ..results import Result
from .asserting import asserted


def assert_latency(case: Case, *, at_most: float | None = None) -> Result:
    """Assert that the answer took ``at_most`` so many seconds (``latency_seconds``).

    ``case`` says what was ``measured``, as cases do whose answers the run made. The metric has no
    pass mark of its own: it is given here, or by ``--llm-eval-threshold``. Returns the ``Result``;
    raises ``CheckFailed`` above it, an ``EvalError`` where nothing was measured, and
    ``UsageError`` without a mark.
    """
    __tracebackhide__ = True
    return asserted("latency_seconds", case, {}, None, threshold_of(None, at_most))


def assert_tokens(
    case: Case, *, at_most: float | None = None, of: Literal["total", "input", "output"] = "total"
) -> Result:
    """Assert that the answer took ``at_most`` so many tokens (``total_token_count``).

    ``of`` counts input or output tokens alone. Takes, returns and raises what ``assert_latency``
    does.
    """
    __tracebackhide__ = True
    if of not in _COUNTS:
        raise UsageError(f"assert_tokens: of is one of {', '.join(_COUNTS)}; got {of!r}")
    return asserted(_COUNTS[of], case, {}, None, threshold_of(None, at_most))


_COUNTS = {
    "total": "total_token_count",
    "input": "total_input_token_count",
    "output": "total_output_token_count",
}
