"""Reading: what the names of a row say, found once for all rows that have the same names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...errors import CaseError
from .naming import spelt
from .nested import nested, role_of, whole
from .responses import response_of
from .steps import CONTEXT_IDS, Path, Step, refuse_misspelt, step_of
from .tools import Tool
from .unclear import refuse_unclear
from .values import number_of
from .vocabulary import NESTING, TOOLS_OWN, Role, field_of

Names = Sequence[tuple[str, tuple[str, ...] | None]]
"""The names of a row, each with those in the object that it holds, None where it is no object."""

Told = Mapping[str, str | None]
"""Of names that the user says the meaning of: the field, None for metadata."""

_ROLES: Mapping[str, Role] = {
    "query": "asked",
    "response": "answered",
    "ground_truth": "expected",
}
"""What an object holds that is said to be one of these fields."""

_METADATA = "__metadata:"
"""How promptfoo begins the names of columns that are metadata."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How rows of one set of names are read. ``left`` are the values that are metadata.

    ``told`` are the names that the user says the meaning of.
    """

    tool: Tool
    steps: tuple[Step, ...]
    left: tuple[tuple[Path, str], ...]
    merged: tuple[str, ...]
    told: frozenset[str]

    @property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """Each name with the field that it is, where that is not its name."""
        pairs = ((step.name, step.field or "") for step in self.steps)
        return tuple((name, field) for name, field in pairs if name != field)


def reading_of(tool: Tool, names: Names, told: Told, given: frozenset[str]) -> Reading:
    """How a row of ``names`` is read, which is in the words of ``tool``.

    ``told`` is what the user says, ``given`` are the names that have a value, in snake case. Raises
    ``CaseError`` for a name that is a misspelling, for names that say nothing of a case, and for
    one that may mean two things.
    """
    merged = tuple(name for name, inner in names if inner is not None and _merges(name, told))
    within = {name for each, inner in names if spelt(each) == "outputs" for name in inner or ()}
    within |= {each.partition(".")[2] for each in given if each.startswith("outputs.")}
    there = {each.partition(".")[0] for each in given}
    left = there & {spelt(name).partition(".")[0] for name, _ in names if name not in told}
    left -= {outer for outer, role in _led(told).items() if role is not None}
    expected = {field for field in told.values() if field == "ground_truth"}
    refuse_unclear(there | expected, {spelt(each) for each in within}, left, tool.expects)
    steps = list(_steps(tool, [pair for pair in names if pair[0] not in merged], told))
    if not merged and all(step.field is None for step in steps):
        shown = ", ".join(name for name, _ in names)
        if not names:
            raise CaseError("it is empty")
        advice = f'say what they are, as in fields={{"{names[0][0]}": "query"}}'
        raise CaseError(f"none of its names is one of a case: {shown}; {advice}")
    live = [step for step in steps if step.path[0] in told or spelt(step.path[0]) in given]
    left_over = () if tool.keeps_trace else (step for step in live if step.field is None)
    return Reading(
        tool,
        tuple(step for step in live if step.field is not None),
        tuple((step.path, step.name) for step in left_over),
        merged,
        frozenset(told),
    )


def _merges(name: str, told: Told) -> bool:
    return told[name] == "metadata" if name in told else NESTING.get(spelt(name)) == "metadata"


def _steps(tool: Tool, names: Names, told: Told) -> Iterator[Step]:
    """What each value is, those in objects by themselves; of no field where it is metadata."""
    for name, inner in names:
        outer, dot, _ = spelt(name).partition(".")
        if name in told:
            yield from _told(name, inner, told[name])
        elif inner is not None and outer in NESTING and not dot:
            within: dict[Path, str] = {(name, each): each for each in inner}
            yield from _nested(tool, outer, within, told)
        elif dot and outer in NESTING:
            columns: dict[Path, str] = {
                (each,): each.partition(".")[2]
                for each, _ in names
                if _within(each, outer) and each not in told
            }
            found = _nested(tool, outer, columns, told)
            yield from (step for step in found if step.path == (name,))
        else:
            yield _top(tool, name)


def _nested(tool: Tool, outer: str, names: dict[Path, str], told: Told) -> Iterator[Step]:
    """What the ``names`` in ``outer`` are, of which others may be said to be something."""
    led = _led(told)
    role = role_of(tool, outer)
    if role == "answered":
        role = led.get(outer) or role
    return nested(outer, names, role, part=outer in led)


def _led(told: Told) -> dict[str, Role | None]:
    """The objects that ``told`` names lead into, and what these hold, by the answer in them."""
    found: dict[str, Role | None] = {}
    for name, field in told.items():
        outer, dot, _ = spelt(name).partition(".")
        if dot:
            is_answer = field in ("response", "ground_truth")
            role = _ROLES[field] if field is not None and is_answer else None
            found[outer] = role or found.get(outer)
    return found


def _told(name: str, inner: tuple[str, ...] | None, field: str | None) -> Iterator[Step]:
    """What a value is that is said to be of ``field``, also where it is an object of several."""
    if field is None:
        yield Step((name,), name, None)
    elif inner is not None and field in _ROLES:
        yield from nested(name, {(name, each): each for each in inner}, _ROLES[field])
    elif field == "ground_truth":
        yield Step((name,), name, field, response_of)
    else:
        yield step_of((name,), name, field, field)


def _within(name: str, outer: str) -> bool:
    return spelt(name).partition(".")[0] == outer and "." in name


def _top(tool: Tool, name: str) -> Step:
    known = spelt(name)
    if known in tool.meant:
        field = tool.meant[known]
        return Step((name,), name, field, number_of if field else None)
    if known in NESTING and NESTING[known] != "metadata":  # and no object
        return whole(name, role_of(tool, known))
    if known == CONTEXT_IDS:
        return Step((name,), name, CONTEXT_IDS)
    if name.startswith(_METADATA):
        return Step((name,), name.removeprefix(_METADATA), None)
    field = field_of(known)
    if field is not None or known in TOOLS_OWN or known in NESTING:
        return step_of((name,), name, known, field)
    refuse_misspelt(name)
    return Step((name,), name, None)
