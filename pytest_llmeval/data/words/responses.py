"""Responses: what an app answered, its text and the tool calls that are told with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import CaseError
from ..literals import literal
from .calls import calls_in
from .chat import is_list, is_message, messages_of, text_in

CALLS = "tools_called in the response"
"""Under this key stand the calls that a response tells of; ``tools_called`` goes before them."""

_ON_THE_WAY = ("_call", "_call_output")
_SAYING = frozenset(("content", "tool_calls", "function_call", "data", "kwargs"))


def answer_of(value: object) -> dict[str, Any]:
    """The text of what an app answered, and what it says of the way there, where it does.

    That is what it said before in the same turn, and the tool calls.
    """
    calls, (before, response) = calls_in(value), _turn_of(value)
    answer = {"response": response, **({"said_before": before} if before else {})}
    return {**answer, CALLS: calls} if calls else answer


def response_of(value: object) -> object:
    """The text of what an app answered: text, a chat completion, messages; else ``value``."""
    return _turn_of(value)[1]


def told_in(text: str) -> object:
    """The messages that ``text`` is, as JSON or as Python prints them, or what holds these.

    Everything else is what an app said, also where it is a list or an object: ``text`` itself.
    """
    if text.lstrip()[:1] not in ("[", "{") or not any(name in text for name in ("role", "type")):
        return text
    try:
        held = literal(text.strip())
    except CaseError:
        return text
    items = _messages_in(held)
    spoken = any(map(is_message, items)) and _is_talk(items) and all(map(_says, items))
    return held if spoken else text


def _messages_in(held: object) -> Sequence[Any]:
    """What may be messages in ``held``: its items, those of a chat completion or of a response."""
    if is_list(held):
        return held
    if not isinstance(held, Mapping):
        return []
    if is_list(choices := held.get("choices")):
        return [each.get("message") for each in choices[:1] if isinstance(each, Mapping)]
    found = held.get("messages", held.get("output"))
    return found if is_list(found) else []


def _turn_of(value: object) -> tuple[list[str], object]:
    """The answer as ``response_of`` gives it, behind what was said before it in the same turn."""
    if is_list(value):
        said = [item for item in value if is_message(item)]
        return _last_turn(messages_of(said)) if _is_talk(value) else ([], value)
    if not isinstance(value, Mapping):
        return [], value
    choices = value.get("choices")
    if is_list(choices) and choices and isinstance(choices[0], Mapping):
        return _turn_of(choices[0].get("message"))
    for name in ("messages", "output"):
        if is_list(held := value.get(name)):
            return _last_turn(messages_of([item for item in held if is_message(item)]))
    return [], text_in(value["content"]) if "content" in value else value


def _is_talk(items: Sequence[Any]) -> bool:
    """Whether ``items`` are messages or calls, perhaps with what OpenAI tells between them."""
    spoken = any(is_message(item) or calls_in([item]) for item in items)
    return spoken and all(is_message(item) or _is_on_the_way(item) for item in items)


def _is_on_the_way(item: object) -> bool:
    """Whether ``item`` tells what went on between messages, as OpenAI's Responses have it."""
    kind = item.get("type") if isinstance(item, Mapping) else None
    return isinstance(kind, str) and (kind == "reasoning" or kind.endswith(_ON_THE_WAY))


def _says(item: Mapping[str, Any]) -> bool:
    """Whether ``item`` has what a message says or calls, and no role alone."""
    return not _SAYING.isdisjoint(item) or _is_on_the_way(item)


def _last_turn(messages: Iterable[Any]) -> tuple[list[str], str | None]:
    """What the assistant said in the last turn in which it spoke, and last of all.

    As in a conversation that is judged, what it said before the first question belongs to that
    turn, and a message that only calls tools says nothing.
    """
    said: list[str | None] = []
    met = answered = ended = False
    for each in messages:
        if each["role"] == "user":
            met, ended = True, answered
        elif each["role"] == "assistant" and (each["content"] or not each.get("tool_calls")):
            said = [*([] if ended else said), each["content"]]
            answered, ended = met, False
    return [text for text in said[:-1] if text], said[-1] if said else None
