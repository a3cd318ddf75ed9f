"""Messages as apps keep them: their roles checked, their content as text where it is in parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import CaseError, CaseTypeError
from ..text.shown import shown

ROLES = ("system", "user", "assistant", "tool")
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
