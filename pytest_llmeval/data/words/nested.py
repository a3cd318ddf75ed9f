"""Nested values: what they are in the objects of a row, by whose they are."""

from __future__ import annotations

from collections.abc import Iterator

from ..aliases import ALIASES
from .chat import request_of
from .naming import spelt
from .responses import answer_of, response_of
from .steps import READ, Path, Step, refuse_misspelt
from .tools import Tool
from .values import expected_guidelines_of
from .vocabulary import ANSWER_NAMES, FIELDS, KNOWN, NESTING, Role, field_of


def role_of(tool: Tool, outer: str) -> Role:
    """What the object ``outer`` holds, in the words of ``tool``."""
    role = NESTING[outer]
    return "expected" if role == "answered" and tool.expects else role


def whole(name: str, role: Role) -> Step:
    """What an object that fields are nested in is where it comes as text, or a list."""
    if role == "asked":
        return Step((name,), name, "query", request_of, several=True)
    if role == "answered":
        return Step((name,), name, "response", answer_of, several=True)
    return Step((name,), name, "ground_truth", response_of)


def nested(outer: str, names: dict[Path, str], role: Role, part: bool = False) -> Iterator[Step]:
    """What the ``names`` are in the object ``outer``, each by where it stands.

    Where they are ``part`` of it, and the user said what others are, none counts for being alone.
    """
    choices = next((path for path, name in names.items() if name == "choices"), ())
    if role != "asked" and len(choices) == 2:  # a chat completion
        yield whole(choices[0], role)
        return
    alone = len(names) == 1 and not part
    named = part or any(
        field_of(spelt(name)) in ("response", "ground_truth") for name in names.values()
    )
    for path, name in names.items():
        if role == "metadata":
            yield Step(path, name, None)
            continue
        field = _inner_field(role, spelt(name), alone, named)
        if field is None and spelt(name) not in KNOWN:
            refuse_misspelt(name)
        yield _inner(path, f"{outer}.{name}", name, field, role)


def _inner(path: Path, told: str, name: str, field: str | None, role: Role) -> Step:
    if field is None:
        return Step(path, told, None)
    if role == "asked" and name == "messages":
        return Step(path, told, "query", request_of, several=True)
    if role == "answered" and field == "response":
        return Step(path, told, field, answer_of, several=True)
    if field == "guidelines":
        return Step(path, told, field, expected_guidelines_of)
    return Step(path, told, field, response_of if field == "response" else READ.get(field))


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
    taken = ("said_before", "context", "tools_called") if role == "answered" else ("ground_truth",)
    return field if field in taken else None


_EXPECTED = FIELDS & {*ALIASES.values(), "expected_facts", "guidelines", "guidelines_context"} - {
    *("query", "response", "said_before", "context", "id", "messages", "tools_called"),
}
