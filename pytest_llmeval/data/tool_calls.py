"""Tool calls: which tools an agent called, with what, and the shapes in which that is written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue, StrictStr, field_validator

from ..errors import CaseError, CaseTypeError
from .aliases import closest
from .blank import is_blank
from .piece import Piece


class ToolCall(Piece):
    """One call of a tool: ``ToolCall("book", {"id": 3})``.

    ``arguments`` is None where they are not known or, of an expected call, do not matter.
    ``result`` and ``error`` are what came of it, where that is known.
    """

    name: StrictStr
    arguments: dict[str, JsonValue] | None = None
    result: JsonValue = None
    error: StrictStr | None = None

    @field_validator("name")
    @classmethod
    def _named(cls, name: str) -> str:
        if is_blank(name):
            raise ValueError("a tool call needs the name of a tool")
        return name

    def __init__(
        self, name: str, arguments: Mapping[str, Any] | None = None, **outcome: Any
    ) -> None:
        fields: dict[str, Any] = {"name": name, "arguments": arguments, **outcome}
        super().__init__(**fields)


if TYPE_CHECKING:
    ToolCalls = Sequence[str | ToolCall | Mapping[str, Any]]
    """The shapes in which tool calls may be given."""


def as_tool_calls(given: object) -> tuple[ToolCall, ...]:
    """``given``, a list of tool calls in any of their shapes, as ``ToolCall``.

    A call is a ``ToolCall``, the name of a tool, or a mapping: ``name`` and ``arguments``
    (DeepEval's ``input_parameters``, LangChain's ``args``), also in camel case, or OpenAI's with
    ``function``, whose arguments may be JSON text. Raises ``CaseTypeError`` for another shape, and
    ``CaseError`` for a call without a name or with an unknown field.
    """
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence):
        raise CaseTypeError(f"tool calls: expected a list of them, got {type(given).__name__}")
    return tuple(map(_as_tool_call, given))


_NAMES = {
    "input_parameters": "arguments",
    "inputParameters": "arguments",
    "args": "arguments",
    "input": "arguments",
    "output": "result",
}
"""What DeepEval, LangChain and Anthropic call these fields."""

_BESIDE = {
    *("id", "type", "index", "description", "reasoning", "call_id", "tool_call_id", "status"),
}
"""What stands beside a call in their shapes, and says nothing of which call it is."""


def _as_tool_call(given: object) -> ToolCall:
    if isinstance(given, ToolCall):
        return given
    if isinstance(given, str):
        return ToolCall(given)
    if not isinstance(given, Mapping) and callable(dump := getattr(given, "model_dump", None)):
        given = dump()
    if not isinstance(given, Mapping):
        shapes = "expected a ToolCall, the name of a tool, or a mapping with 'name'"
        raise CaseTypeError(f"tool calls: {shapes}, got a list with {type(given).__name__}")
    named = given
    for name in ("tool_call", "function"):  # as Azure AI has it, and as OpenAI does
        named = inner if isinstance(inner := named.get(name), Mapping) else named
    spelt = {_snake(name): value for name, value in named.items() if value is not None}
    fields = {_NAMES.get(name, name): value for name, value in spelt.items()}
    known = {name: value for name, value in fields.items() if name not in _BESIDE}
    if unknown := next((name for name in known if name not in ToolCall.model_fields), None):
        raise CaseError(f"a tool call has no {unknown!r}{closest(unknown, ToolCall.model_fields)}")
    if "name" not in known:
        raise CaseError("a tool call needs 'name'")
    if isinstance(known.get("arguments"), str):
        known["arguments"] = _object_in(known["arguments"], known["name"])
    return ToolCall.model_validate(known)


def _snake(name: str) -> str:
    """``name`` in snake case, as DeepEval writes ``inputParameters`` into its files."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _object_in(text: str, name: object) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise CaseError(f"the arguments of the tool call {name!r} are no JSON object")
    return value
