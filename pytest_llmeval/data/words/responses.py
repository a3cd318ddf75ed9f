"""Responses: what an app answered, its text and the tool calls that are told with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .calls import calls_in
from .chat import is_list, is_message, messages_of, text_in

CALLS = "tools_called in the response"
"""Under this key stand the calls that a response tells of; ``tools_called`` goes before them."""


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


def _turn_of(value: object) -> tuple[list[str], object]:
    """The answer as ``response_of`` gives it, behind what was said before it in the same turn."""
    if is_list(value):
        is_talk = value and all(map(is_message, value))
        return _last_turn(messages_of(value)) if is_talk else ([], value)
    if not isinstance(value, Mapping):
        return [], value
    choices = value.get("choices")
    if is_list(choices) and choices and isinstance(choices[0], Mapping):
        return _turn_of(choices[0].get("message"))
    for name in ("messages", "output"):
        if is_list(held := value.get(name)):
            return _last_turn(messages_of([item for item in held if is_message(item)]))
    return [], text_in(value["content"]) if "content" in value else value


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
