"""Messages as apps keep them: their roles checked, their content as text where it is in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import StrictStr, model_validator

from ..errors import CaseError, CaseTypeError
from ..text.shown import shown
from .documents import Context, Document, as_documents
from .piece import Piece
from .tool_calls import ToolCall, as_tool_calls

if TYPE_CHECKING:
    from .tool_calls import ToolCalls

Role = Literal["system", "user", "assistant", "tool"]
ROLES: tuple[str, ...] = get_args(Role)
OTHER_ROLES: Mapping[str, str] = {
    "human": "user",
    "ai": "assistant",
    "agent": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
}
"""What other tools call a role."""

_TEXTS = ("text", "input_text", "output_text")
"""The types of the parts of a content that are text."""


class Message(Piece):
    """One turn of a conversation; ``context`` is what was retrieved for it.

    ``content`` may be given in parts (``[{"type": "text", "text": …}]``), as long as each is text.
    ``tool_calls`` are those that an assistant turn asks for, which then may have no content;
    ``tool_call_id`` says which call a tool's turn answers, and is carried along.
    """

    role: Role
    content: StrictStr
    context: tuple[Document, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: StrictStr | None = None

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            role: Role,
            content: str | Sequence[str | Mapping[str, Any]] | None = None,
            context: Context | None = None,
            tool_calls: ToolCalls | None = None,
            tool_call_id: str | None = None,
        ) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _shaped(cls, values: Any) -> Any:
        given = with_pieces(values)
        if isinstance(given, dict):
            for name, read in (("role", checked_role), ("content", text_of)):
                if name in given:
                    given[name] = read(given[name])
            if given.get("tool_calls"):
                given.setdefault("content", "")
        return given


def with_pieces(values: Any) -> Any:
    """``values`` of a piece without what is None; documents and tool calls in their one shape."""
    if not isinstance(values, Mapping):
        return values
    given = {name: value for name, value in values.items() if value is not None}
    if "context" in given:
        given["context"] = as_documents(given["context"])
    for name in ("tools_called", "expected_tools", "tool_calls"):
        if name in given:
            given[name] = as_tool_calls(given[name])
    return given


def checked_role(role: object) -> object:
    """``role`` as it is, unless it is text that is none of ``ROLES``.

    Raises ``CaseTypeError`` that says which one was meant, or which there are.
    """
    if not isinstance(role, str) or role in ROLES:
        return role
    plain = role.strip().lower()
    meant = plain if plain in ROLES else OTHER_ROLES.get(plain)
    advice = f"did you mean {meant!r}?" if meant else f"known are {', '.join(ROLES)}"
    raise CaseTypeError(f"Message.role: there is no role {shown(repr(role), 40)}: {advice}")


def text_of(content: object) -> object:
    """``content``, as one text where it is a list of text parts, each on a line of its own.

    Raises ``CaseError`` for a part of another kind, and ``CaseTypeError`` for what is no part.
    """
    if not isinstance(content, list | tuple):
        return content
    return "\n".join(_text(number, part) for number, part in enumerate(content, 1))


def _text(number: int, part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or "type" not in part:
        shape = "text, or a mapping with type and text"
        raise CaseTypeError(f"Message.content: part {number} is {shape}; got {type(part).__name__}")
    if part["type"] not in _TEXTS:
        kind = shown(repr(part["type"]), 40)
        advice = "only text can be judged here; leave it out, or put what it shows into words"
        raise CaseError(f"Message.content: part {number} is of type {kind}: {advice}")
    if not isinstance(text := part.get("text"), str):
        came = type(text).__name__
        raise CaseTypeError(f"Message.content: part {number} has no text, got {came}")
    return text
