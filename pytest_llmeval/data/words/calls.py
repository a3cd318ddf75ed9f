"""Calls: the tool calls that a message, or whatever an app answered, tells of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

_LISTS = ("tool_calls", "tools_called")
_ARGUMENTS = ("arguments", "args", "input", "input_parameters", "inputParameters")
_PARTS = ("tool_use", "tool_call", "function_call")


def calls_of(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tool calls of a message: beside its content, or as parts of it.

    Those without a name are passed over.
    """
    given = [each for name in _LISTS if _is_list(item.get(name)) for each in item[name]]
    given += [item["function_call"]] if item.get("function_call") else []
    parts = item.get("content")
    given += [part for part in parts if _is_call(part)] if _is_list(parts) else []
    return [call for call in map(_call, given) if call is not None]


def calls_in(answer: object) -> list[dict[str, Any]]:
    """The tool calls of the last turn in messages, in a chat completion, or in what holds these."""
    found: list[dict[str, Any]] = []
    for item in _messages_in(answer):
        if not isinstance(item, Mapping):
            continue
        inner = item.get("data", item.get("kwargs"))  # as LangChain serializes its messages
        item = {**item, **inner} if isinstance(inner, Mapping) else item
        if item.get("role", item.get("type")) in ("user", "human"):
            found = []
        elif _is_call(item) and (call := _call(item)) is not None:
            found.append(call)
        else:
            found += calls_of(item)
    return found


def _messages_in(answer: object) -> Iterator[object]:
    if _is_list(answer):
        yield from answer
    elif isinstance(answer, Mapping):
        choices = answer.get("choices")
        if _is_list(choices) and choices and isinstance(choices[0], Mapping):
            yield choices[0].get("message")
        for name in ("messages", "output"):
            if _is_list(held := answer.get(name)):
                yield from held
        if "content" in answer:
            yield answer


def _call(given: object) -> dict[str, Any] | None:
    if isinstance(given, str):
        return {"name": given}
    if not isinstance(given, Mapping):
        return None
    for name in ("tool_call", "function"):
        given = inner if isinstance(inner := given.get(name), Mapping) else given
    if not isinstance(given.get("name"), str):
        return None
    arguments = next((given[name] for name in _ARGUMENTS if given.get(name) is not None), None)
    return {"name": given["name"], "arguments": arguments}


def _is_call(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") in _PARTS


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)
