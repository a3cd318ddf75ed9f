"""Chat: messages, requests and replies in the words of any tool, as those of a case."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeGuard

from ...errors import CaseError, CaseTypeError
from ..aliases import ALIASES
from ..messages import OTHER_ROLES, ROLES, Message
from .calls import calls_of
from .documents import documents_of
from .naming import meant

_ROLES = {**dict(zip(ROLES, ROLES, strict=True)), **OTHER_ROLES}
_UNSEEN = frozenset(
    [
        *("image", "image_url", "input_image", "audio", "input_audio"),
        *("video", "video_url", "file", "input_file"),
    ]
)
"""The types of parts that say something and are no text."""

_CONTEXT = (
    *("context", "retrieval_context", "retrieved_context", "retrieved_contexts"),
    *("documents", "contexts"),
)


def messages_of(value: object) -> list[Message | dict[str, Any]]:
    """``value`` as the messages of a case: a list of them, or an object that holds ``messages``.

    Roles may be those of other tools (human, ai, bot); content may be parts, of which the text is
    taken. An assistant's message that only calls tools has no content. Raises ``CaseError`` for a
    role that nobody has, for what is no message, and for an image and the like, which can't be
    judged.
    """
    if isinstance(value, Mapping) and "messages" in value:
        value = value["messages"]
    if not is_list(value):
        kind = type(value).__name__
        raise CaseTypeError(f"a conversation is a list of messages, got {kind}")
    numbered = (_numbered(number, item) for number, item in enumerate(value, 1))
    return [message for message in numbered if message is not None]


def request_of(value: object) -> dict[str, Any]:
    """The query and the messages of what an app was asked: text, messages, or query and history.

    A user's message that stands alone is the query.
    """
    if is_list(value):
        return _asked(messages_of(value))
    if not isinstance(value, Mapping):
        return {"query": value}
    if "messages" in value or is_list(value.get("input")):
        return _asked(messages_of(value.get("messages", value.get("input"))))
    names = [name for name in value if name == "query" or ALIASES.get(name) == "query"]
    if not names:
        told = ", ".join(map(str, value)) or "nothing"
        raise CaseTypeError(f"expected text, or 'messages' or 'query' in an object; it has {told}")
    history = value.get("history")
    earlier = {"messages": messages_of(history)} if history else {}
    return {"query": value[names[0]], **earlier}


def user_input_of(value: object) -> dict[str, Any]:
    """The query, or the messages of a conversation of several turns."""
    return {"messages": messages_of(value)} if is_list(value) else {"query": value}


def _asked(messages: list[Message | dict[str, Any]]) -> dict[str, Any]:
    plain = [each if isinstance(each, dict) else each.model_dump() for each in messages]
    if not plain or plain[-1]["role"] != "user":
        return {"messages": messages}
    query = {"query": plain[-1]["content"]}
    return (
        query
        if len(plain) == 1 and not plain[0].get("context")
        else {**query, "messages": messages}
    )


def _numbered(number: int, item: object) -> Message | dict[str, Any] | None:
    try:
        return _message(item)
    except CaseError as error:
        raise type(error)(f"message {number}: {error}") from None


def _message(item: object) -> Message | dict[str, Any] | None:
    if isinstance(item, Message):
        return item
    if not isinstance(item, Mapping):
        raise CaseTypeError(f"a message has 'role' and 'content', got {type(item).__name__}")
    inner = item.get("data", item.get("kwargs"))  # as LangChain serializes its messages
    item = {**item, **inner} if isinstance(inner, Mapping) else item
    for name in item:
        if (right := _misspelt(name)) is not None:
            raise CaseError(f"a message has no {name!r}: did you mean {right!r}?")
    role = _role(item)
    if role is None:
        came = item.get("role", item.get("type"))
        raise CaseError(f"its role is system, user, assistant or tool; got {came!r}")
    content = text_in(item.get("content"))
    calls = calls_of(item)
    if not content and not calls and _calls_tools(item):
        return None
    context = next((item[name] for name in _CONTEXT if item.get(name) is not None), None)
    message = {"role": role, "content": content}
    if calls:
        message["tool_calls"] = calls
    return message if context is None else {**message, "context": documents_of(context)}


@lru_cache(256)
def _misspelt(name: object) -> str | None:
    if not isinstance(name, str) or name in ("role", "content", "type", *_CONTEXT):
        return None
    return meant(name, ("content", *_CONTEXT))


def _calls_tools(item: Mapping[str, Any]) -> bool:
    """Whether a message without text calls tools, in OpenAI's words, Azure's, or LangChain's."""
    return bool(item.get("tool_calls") or item.get("function_call")) or is_list(item.get("content"))


def text_in(content: object) -> Any:
    """The text of ``content``; None where its parts have none."""
    if isinstance(content, Mapping):
        return json.dumps(content, ensure_ascii=False)
    if not is_list(content):
        return content
    texts = [text for text in map(_part, content) if text is not None]
    return "\n".join(texts) if texts else None


def _part(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise CaseTypeError(f"a part of a message is text or an object, got {type(part).__name__}")
    if isinstance(part.get("text"), str):
        return str(part["text"])
    if part.get("type") in _UNSEEN:
        advice = "only text can be judged here; leave it out, or put what it shows into words"
        raise CaseError(f"a part is of type {part['type']!r}: {advice}")
    result = part.get("tool_result")
    if result is None or isinstance(result, str):
        return result
    return json.dumps(result, ensure_ascii=False)


def is_message(item: object) -> bool:
    """Whether ``item`` is an object with the role of a message."""
    return isinstance(item, Mapping) and _role(item) is not None


def _role(item: Mapping[str, Any]) -> str | None:
    """The role of a message, whoever calls it how; None where it is nobody's."""
    role = item.get("role", item.get("type"))
    return _ROLES.get(role.strip().lower()) if isinstance(role, str) else None


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether ``value`` is a list, of whatever kind."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)
