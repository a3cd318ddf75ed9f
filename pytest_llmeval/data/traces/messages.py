"""What inputs and outputs of spans say: messages, of OpenAI's, LangChain's or another form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import CaseError
from ..blank import is_blank
from ..tool_calls import ToolCall
from .values import arguments_in, decoded, listed, mapping

_ROLES = {
    "human": "user",
    "HumanMessage": "user",
    "ai": "assistant",
    "model": "assistant",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
}
"""What LangChain and Google call the roles of others."""

_QUERIES = ("query", "question", "input", "user_input", "prompt", "request", "message", "text")
_ANSWERS = ("response", "answer", "output", "output_text", "content", "text", "result", "message")
_ASKING = ("messages", "input", "contents")
_DEPTH = 6
"""How far fields are looked for within fields."""


def asked_in(inputs: Any) -> str | None:
    """What the user asks in ``inputs``: the last user message, a field called ``query`` or alike,
    or the only text that there is."""
    return next(reversed(_texts_in(inputs, "user", _QUERIES, _ASKING, _DEPTH)), None)


def said_in(outputs: Any, inputs: Any = None) -> tuple[str, ...]:
    """What is said in ``outputs``, the answer last: the assistant's texts in the last turn, a field
    called ``response`` or alike, or the only text that there is.

    Before these stands what the assistant had said, by the ``inputs``, since the user asked: on the
    way to its answer a model is given that again, with what its tools returned.
    """
    said = _texts_in(_chosen(outputs), "assistant", _ANSWERS, ("messages", "output"), _DEPTH)
    given = (listed(mapping(inputs).get(name)) for name in _ASKING)
    earlier = _with_roles(listed(inputs) or next(filter(None, given), []))
    return (*_of_last_turn(earlier, "assistant"), *said) if said else ()


def calls_in(outputs: Any) -> tuple[ToolCall, ...]:
    """The tool calls that a model's ``outputs`` ask for."""
    outputs = _chosen(outputs)
    found = listed(outputs) or next(
        (found for name in ("messages", "output") if (found := listed(mapping(outputs).get(name)))),
        [outputs],
    )
    return tuple(call for message in _messages(found) for call in _calls_of(message))


def _chosen(outputs: Any) -> Any:
    """The message of OpenAI's first choice, LangChain's first generation; else ``outputs``."""
    given = mapping(outputs)
    for name in ("choices", "generations"):
        first = given.get(name)
        while isinstance(first, list | tuple) and first:
            first = first[0]
        if isinstance(first, Mapping):
            message = first.get("message") or first
            return _uncovered(message) if isinstance(message, Mapping) else message
    return outputs


def _texts_in(
    value: Any, role: str, names: Sequence[str], lists: Sequence[str], depth: int
) -> tuple[str, ...]:
    value = decoded(value)
    if isinstance(value, str):
        return (value,)
    if depth == 0:
        return ()
    if isinstance(value, list | tuple):
        return _texts_of(role, value)
    if not isinstance(value, Mapping):
        return ()
    if _role(value) is not None:
        return _texts_of(role, [value])
    for name in lists:
        if found := listed(value.get(name)):
            return _texts_of(role, found)
    for name in names:
        if value.get(name) is not None:
            return _texts_in(value[name], role, names, lists, depth - 1)
    texts = [each for each in value.values() if isinstance(each, str)]
    if len(texts) == 1:
        return (texts[0],)
    if len(value) == 1 and (found := listed(*value.values())):
        return _texts_of(role, found)
    inner = [each for each in value.values() if isinstance(each, Mapping)]
    return _texts_in(inner[0], role, names, lists, depth - 1) if len(inner) == 1 else ()


def _texts_of(role: str, messages: Sequence[Any]) -> tuple[str, ...]:
    every = _with_roles(messages)
    said = _of_last_turn(every, role) or [text for whose, text in every if whose == role][-1:]
    if said:
        return tuple(said)
    return tuple(each for each in messages if len(messages) == 1 and isinstance(each, str))


def _with_roles(messages: Sequence[Any]) -> list[tuple[str | None, str]]:
    """Each text of ``messages``, with whose it is."""
    return [(_role(each), text) for each in _messages(messages) if (text := _text_of(each))]


def _of_last_turn(every: Sequence[tuple[str | None, str]], role: str) -> list[str]:
    """The texts of ``role`` from the last question on; to the first turn belongs what is before."""
    whose = [each for each, _ in every]
    asked = [at for at, each in enumerate(whose) if each == "user"]
    begins = asked[-1] if asked and "assistant" in whose[asked[0] : asked[-1]] else 0
    return [text for each, text in every[begins:] if each == role]


def _messages(given: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """The messages of ``given``, out of the lists and covers that LangChain puts them in."""
    for each in given:
        each = decoded(each)
        if isinstance(each, list | tuple):
            yield from (_uncovered(one) for one in each if isinstance(one, Mapping))
        elif isinstance(each, Mapping):
            yield _uncovered(each)


def _uncovered(message: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(kwargs := message.get("kwargs"), Mapping):
        names = listed(message.get("id"))
        return {"type": names[-1] if names else None, **kwargs}
    if isinstance(data := message.get("data"), Mapping):
        return {"type": message.get("type"), **data}
    if isinstance(inner := message.get("message"), Mapping):
        return inner
    return message


def _role(message: Mapping[str, Any]) -> str | None:
    given = message.get("role") or message.get("type")
    if given == "message":  # an item of OpenAI's Responses
        given = "assistant"
    role = _ROLES.get(given, given) if isinstance(given, str) else None
    return role if role in ("user", "assistant", "system", "tool", "developer") else None


def _text_of(message: Mapping[str, Any]) -> str | None:
    """The text of ``message``, of which parts that are no text are left out."""
    content = next(filter(None, map(message.get, ("content", "parts", "contents"))), None)
    if isinstance(content, str):
        return content
    parts = [each for each in listed(content) if isinstance(each, str | Mapping)]
    texts = [each if isinstance(each, str) else _text_of_part(each) for each in parts]
    return "\n".join(text for text in texts if text) or None


def _text_of_part(part: Mapping[str, Any]) -> str | None:
    part = mapping(part.get("message_content", part))  # as OpenInference has it
    if part.get("type", "text") not in ("text", "input_text", "output_text"):
        return None
    text = part.get("text", part.get("content"))
    return text if isinstance(text, str) else None


def _calls_of(message: Mapping[str, Any]) -> Iterator[ToolCall]:
    asked = [*listed(message.get("tool_calls"))]
    extra = message.get("additional_kwargs")
    if not asked and isinstance(extra, Mapping):
        asked = listed(extra.get("tool_calls"))
    asked += [
        part
        for part in [message, *listed(message.get("parts")), *listed(message.get("content"))]
        if isinstance(part, Mapping)
        and part.get("type") in ("tool_call", "tool_use", "function_call")
    ]
    for each in asked:
        if isinstance(each, Mapping) and (call := _call(each)) is not None:
            yield call


def _call(given: Mapping[str, Any]) -> ToolCall | None:
    given = given.get("tool_call", given)
    inner = mapping(given.get("function")) if isinstance(given, Mapping) else {}
    named = inner or mapping(given)
    name = named.get("name")
    if not isinstance(name, str) or is_blank(name):
        return None
    known = (each for each in ("arguments", "args", "input") if each in named)
    value = named.get(next(known, ""))
    arguments = {} if value == "" else arguments_in(value)
    try:
        return ToolCall(name, arguments)
    except CaseError:
        return ToolCall(name)
