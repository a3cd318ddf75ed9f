"""A case completed from its trace: what it lacks, and the trace tells."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..errors import CaseError
from .cases import Case
from .conversation import as_judged
from .measured import Measured

if TYPE_CHECKING:
    from .traces.trace import Trace


def completed(case: Case) -> Case:
    """``case`` with what it lacks and its trace tells; ``case`` itself where that is nothing.

    These are query, response, said_before, context, tools_called, and each field of measured. What
    the case says itself stands, also by its conversation, and also that nothing was retrieved: the
    trace is asked for the turn that is judged.
    Raises ``CaseError`` for a trace that can't be read.
    """
    told = case.told
    if told is None:
        return case
    own = as_judged(case)
    found: dict[str, Any] = {
        name: getattr(told, name)
        for name in ("query", "response")
        if getattr(own, name) is None and getattr(told, name) is not None
    }
    by_messages = case.response is None and own.response is not None
    if case.said_before is None and told.said_before and not by_messages:
        found["said_before"] = told.said_before
    if not own.gives("context") and told.documents is not None:
        found["context"] = told.documents
    if own.tools_called is None:
        found["tools_called"] = told.tool_calls
    measured = _measured(case.measured or Measured(), told)
    if measured != (case.measured or Measured()):
        found["measured"] = measured
    return case.model_copy(update=found) if found else case


def with_its_query(case: Case) -> Case:
    """``case`` as an app is asked it: with its query, also where only the trace tells that."""
    with suppress(CaseError):
        query = as_judged(case).query if case.trace is not None else case.query
        if query is None and case.told is not None and case.told.query is not None:
            return case.model_copy(update={"query": case.told.query})
    return case


_TOLD = ("query", "response", "said_before", "context", "tools_called", "measured")


def is_told_by_traces(name: str) -> bool:
    """Whether traces may tell the field ``name`` of a case, ``measured.seconds`` and the like."""
    return name.partition(".")[0] in _TOLD


def _measured(own: Measured, told: Trace) -> Measured:
    missing = {
        name: getattr(told, name)
        for name in Measured.model_fields
        if getattr(own, name) is None and getattr(told, name) is not None
    }
    return own.model_copy(update=missing)
