"""Nested values: what they are in the objects of a row, by whose they are."""

from __future__ import annotations

from collections.abc import Iterator

from ..aliases import ALIASES
from .chat import request_of, response_of
from .naming import spelt
from .steps import READ, Path, Step, refuse_misspelt
from .tools import Tool
from .vocabulary import ANSWER_NAMES, FIELDS, NESTING, Role, field_of


def whole(tool: Tool, name: str, role: Role) -> Step:
    """What an object that fields are nested in is where it comes as text, or a list."""
    if role == "asked":
        return Step((name,), name, None, request_of)
    expected = role != "answered" or tool.expects
    return Step((name,), name, "ground_truth" if expected else "response", response_of)


def nested(tool: Tool, outer: str, names: dict[Path, str]) -> Iterator[Step]:
    """What the ``names`` are in the object ``outer``, each by where it stands."""
    role = NESTING[outer]
    if role == "answered" and tool.expects:
        role = "expected"
    choices = next((path for path, name in names.items() if name == "choices"), ())
    if role != "asked" and len(choices) == 2:  # a chat completion
        yield whole(tool, choices[0], NESTING[outer])
        return
    alone = len(names) == 1
    named = any(field_of(spelt(name)) in ("response", "ground_truth") for name in names.values())
    for path, name in names.items():
        if role == "metadata":
            yield Step(path, name, None)
            continue
        field = _inner_field(role, spelt(name), alone, named)
        told = f"{outer}.{name}"
        if field is None:
            if role == "expectations":
                refuse_misspelt(name)
            yield Step(path, told, None)
        elif role == "asked" and name == "messages":
            yield Step(path, told, None, request_of)
        else:
            yield Step(path, told, field, READ.get(field))


def _inner_field(role: Role, name: str, alone: bool, named: bool) -> str | None:
    """The field of ``name``, which may be ``alone``, or beside an answer that is ``named`` one."""
    field = field_of(name)
    if role == "asked":
        field = None if field in ("id", "group", "metadata", "trace", "measured") else field
        return "query" if field is None and alone else field
    if role == "expectations":
        return field if field in _EXPECTED else None
    maybe = name in ANSWER_NAMES or field == "messages" or (alone and field is None)
    if field == "response" or (maybe and not named):
        return "response" if role == "answered" else "ground_truth"
    return field if field in ("context" if role == "answered" else "ground_truth",) else None


_EXPECTED = FIELDS & {*ALIASES.values(), "expected_facts", "guidelines", "guidelines_context"} - {
    "query",
    "response",
    "context",
    "id",
    "messages",
}
