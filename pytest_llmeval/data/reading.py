"""Reading: what the names of a row say, found once for all rows that have the same names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import CaseError
from .aliases import ALIASES
from .chat import messages_of, request_of, response_of, user_input_of
from .documents import documents_of, ids_of
from .naming import meant, spelt
from .tools import Tool, tool_of
from .values import guidelines_of, only_one, seconds_of
from .vocabulary import ANSWER_NAMES, FIELDS, KNOWN, NESTING, TOOLS_OWN, Role, field_of

Path = tuple[str, ...]
"""Where a value stands: a name of the row, and one in the object that it holds."""


@dataclass(frozen=True, slots=True)
class Step:
    """One value of a row, and what it is: of ``field``, read by ``read``.

    ``field`` is None where ``read`` gives several fields by their names.
    """

    path: Path
    name: str
    field: str | None
    read: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows of one set of names are read. ``left`` are the values that are metadata."""

    tool: Tool
    steps: tuple[Step, ...]
    left: tuple[tuple[Path, str], ...]
    merged: tuple[str, ...]

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """Each name with the field that it is, where that is not its name."""
        pairs = ((step.name, step.field or "query") for step in self.steps)
        return tuple((name, field) for name, field in pairs if name != field)


_READ: dict[str, Callable[[Any], Any]] = {
    "response": response_of,
    "ground_truth": response_of,
    "context": documents_of,
    "expected_context": ids_of,
    "messages": messages_of,
    "guidelines": guidelines_of,
}
"""By the field: how its value is read, whatever its name."""

_READ_BY_NAME: dict[str, Callable[[Any], Any]] = {"ground_truths": only_one}
_SEVERAL: dict[str, Callable[[Any], Any]] = {
    "request": request_of,
    "query": request_of,
    "user_input": user_input_of,
}
"""By the name: how several fields are read of one value."""

CONTEXT_IDS = "retrieved_context_ids"


Names = Sequence[tuple[str, tuple[str, ...] | None]]
"""The names of a row, each with those in the object that it holds, None where it is no object."""


def reading_of(names: Names) -> Reading:
    """How a row of ``names`` is read.

    Raises ``CaseError`` for a name that is a misspelling, and for names that say nothing of a case.
    """
    tool = tool_of({spelt(name) for name, _ in names})
    merged = tuple(name for name, inner in names if inner is not None and _is_metadata(name))
    steps = list(_steps(tool, [pair for pair in names if pair[0] not in merged]))
    known = tuple(step for step in steps if step.field is not None or step.read is not None)
    if not known and not merged:
        told = ", ".join(name for name, _ in names)
        raise CaseError(f"none of its names is one of a case: {told}" if told else "it is empty")
    left = () if tool.keeps_trace else tuple(step for step in steps if step not in known)
    return Reading(tool, known, tuple((step.path, step.name) for step in left), merged)


def _is_metadata(name: str) -> bool:
    return NESTING.get(spelt(name)) == "metadata"


def _steps(tool: Tool, names: Names) -> Iterator[Step]:
    """What each value is, those in objects by themselves; of no field where it is metadata."""
    for name, inner in names:
        outer, dot, _ = spelt(name).partition(".")
        if inner is not None and outer in NESTING and not dot:
            yield from _nested(tool, outer, {(name, each): each for each in inner})
        elif dot and outer in NESTING:
            columns: dict[Path, str] = {
                (each,): each.partition(".")[2] for each, _ in names if _within(each, outer)
            }
            yield from (step for step in _nested(tool, outer, columns) if step.path == (name,))
        else:
            yield _top(tool, name)


def fields_from(name: str, value: Any) -> dict[str, Any]:
    """What ``value`` gives under ``name``, a field's or another tool's for it: fields by our names.

    Raises ``CaseError`` for what is no value of it.
    """
    step = _step((name,), name, name, field_of(name))
    read = value if step.read is None else step.read(value)
    return dict(read) if step.field is None else {step.field: read}


def _within(name: str, outer: str) -> bool:
    return spelt(name).partition(".")[0] == outer and "." in name


def _top(tool: Tool, name: str) -> Step:
    known = spelt(name)
    if known in tool.meant:
        field = tool.meant[known]
        return Step((name,), name, field, seconds_of if field == "measured" else None)
    if known in NESTING and NESTING[known] != "metadata":  # and no object
        return _whole(tool, name, NESTING[known])
    if known == CONTEXT_IDS:
        return Step((name,), name, CONTEXT_IDS)
    field = field_of(known)
    if field is not None or known in TOOLS_OWN or known in NESTING:
        return _step((name,), name, known, field)
    _refuse_misspelt(name)
    return Step((name,), name, None)


def _refuse_misspelt(name: str) -> None:
    if not name.strip():
        raise CaseError(f"a name is blank: {name!r}")
    if (right := meant(name, sorted(KNOWN | TOOLS_OWN))) is not None:
        raise CaseError(f"Case has no field {name!r}: did you mean {right!r}?")


def _step(path: Path, name: str, known: str, field: str | None) -> Step:
    if known in _SEVERAL:
        return Step(path, name, None, _SEVERAL[known])
    if field is None:
        return Step(path, name, None)
    return Step(path, name, field, _READ_BY_NAME.get(known, _READ.get(field)))


def _whole(tool: Tool, name: str, role: Role) -> Step:
    """What an object that fields are nested in is where it comes as text, or a list."""
    if role == "asked":
        return Step((name,), name, None, request_of)
    expected = role != "answered" or tool.expects
    return Step((name,), name, "ground_truth" if expected else "response", response_of)


def _nested(tool: Tool, outer: str, names: dict[Path, str]) -> Iterator[Step]:
    """What the ``names`` are in the object ``outer``, each by where it stands."""
    role = NESTING[outer]
    if role == "answered" and tool.expects:
        role = "expected"
    choices = next((path for path, name in names.items() if name == "choices"), ())
    if role != "asked" and len(choices) == 2:  # a chat completion
        yield _whole(tool, choices[0], NESTING[outer])
        return
    alone = len(names) == 1
    for path, name in names.items():
        field = _inner_field(role, spelt(name), alone)
        told = f"{outer}.{name}"
        if field is None:
            if role == "expectations":
                _refuse_misspelt(name)
            yield Step(path, told, None)
        elif role == "asked" and name == "messages":
            yield Step(path, told, None, request_of)
        else:
            yield Step(path, told, field, _READ.get(field))


def _inner_field(role: Role, name: str, alone: bool) -> str | None:
    field = field_of(name)
    if role == "asked":
        field = None if field in ("id", "metadata", "trace", "measured") else field
        return "query" if field is None and alone else field
    if role == "expectations":
        return field if field in _EXPECTED else None
    if name in ANSWER_NAMES or field in ("response", "messages") or (alone and field is None):
        return "response" if role == "answered" else "ground_truth"
    return field if field in ("context" if role == "answered" else "ground_truth",) else None


_EXPECTED = FIELDS & {*ALIASES.values(), "expected_facts", "guidelines", "guidelines_context"} - {
    "query",
    "response",
    "context",
    "id",
    "messages",
}
