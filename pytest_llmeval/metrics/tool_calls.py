"""Tool calls: did the agent call the tools that it ought to call, with what it ought to give?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import AfterValidator

from ..data.call_match import Comparison, Match, Order, match
from ..data.cases import Case
from ..data.tool_calls import ToolCall, as_tool_calls
from ..errors import CaseError, UsageError
from ..results import Evidence, Verdict
from ..scales import FRACTION, Threshold
from ..text.shown import shown
from .ask import Ask
from .built_in import built_in


def _can_be(expected: Any) -> Any:
    try:
        return None if expected is None else as_tool_calls(expected)
    except CaseError as error:
        raise ValueError(str(error)) from None


Expected = Annotated[Any, AfterValidator(_can_be)]


@built_in(
    needs=("tools_called", "expected_tools"),
    scale=FRACTION,
    rule=Threshold("at_least", 1),
    judged=False,
)
async def tool_calls(
    case: Case,
    ask: Ask,
    expected_tools: Expected = None,
    order: Order = "any",
    arguments: Comparison = "equal",
    allow_others: bool = False,
) -> Verdict:
    """The share of tool calls that are as expected, 0–1, 1 = these calls and no others.

    Each expected call, of the case or of ``expected_tools``, needs a call of its own: of that name
    and, where it names arguments, with these. ``arguments`` are the same (``"equal"``), among
    those given (``"subset"``), or not compared (``"ignore"``). With ``order="same"`` they come as
    expected, one after the other. Other calls count against it unless ``allow_others`` is set.

    The score is expected calls made / (expected calls + others that count). The evidence is each
    call that was missing, altered, out of order or unexpected. Raises ``UsageError`` where nothing
    is expected and others are allowed, since nothing could fail then.
    """
    given = expected_tools if expected_tools is not None else case.expected_tools
    expected, called = as_tool_calls(given), case.tools_called or ()
    if allow_others and not expected:
        raise UsageError("no call is expected and others are allowed, so nothing could fail")
    found = match(expected, called, order, arguments)
    others = () if allow_others else found.unexpected
    every = len(expected) + len(others)
    score = len(found.made) / every if every else 1.0
    return Verdict(
        score,
        _reason(found, len(expected), len(called), len(others)),
        tuple(_evidence(found, expected, called, others)),
    )


def _reason(found: Match, expected: int, called: int, others: int) -> str:
    if not expected:
        return f"no call was expected, {_calls(called)} made" if called else "no tool was called"
    faults = {
        "missing": len(found.missing),
        "with other arguments": len(found.altered),
        "out of order": len(found.misplaced),
        "unexpected": others,
    }
    told = ", ".join(f"{number} {what}" for what, number in faults.items() if number)
    begin = f"{len(found.made)} of {_calls(expected)} made as expected"
    return f"{begin}: {told}" if told else begin


def _calls(number: int) -> str:
    return "1 call was" if number == 1 else f"{number} calls were"


def _evidence(
    found: Match,
    expected: tuple[ToolCall, ...],
    called: tuple[ToolCall, ...],
    others: tuple[int, ...],
) -> Iterator[Evidence]:
    for place in found.missing:
        yield Evidence("missing", _written(expected[place]), "it was not called")
    for place, made in sorted(found.altered.items()):
        yield Evidence("altered", _written(expected[place]), f"called {_written(called[made])}")
    for place, made in sorted(found.misplaced.items()):
        why = f"it came as call {made + 1} of {len(called)}"
        yield Evidence("out of order", _written(expected[place]), why)
    for made in others:
        failed = called[made].error
        why = f"it failed: {shown(failed, 80)}" if failed else ""
        yield Evidence("unexpected", _written(called[made]), why)


def _written(call: ToolCall) -> str:
    """``call`` as code writes it: ``book(id=3, name="Ann")``."""
    given = call.arguments or {}
    pairs = (f"{name}={json.dumps(each, ensure_ascii=False)}" for name, each in given.items())
    return shown(f"{call.name}({', '.join(pairs)})" if given else call.name, 120)
