"""Reading: what the names of a row say, found once for all rows that have the same names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...errors import CaseError
from .naming import spelt
from .nested import nested, whole
from .steps import CONTEXT_IDS, Path, Step, refuse_misspelt, step_of
from .tools import Tool, tool_of
from .values import seconds_of
from .vocabulary import NESTING, TOOLS_OWN, field_of


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
            yield from nested(tool, outer, {(name, each): each for each in inner})
        elif dot and outer in NESTING:
            columns: dict[Path, str] = {
                (each,): each.partition(".")[2] for each, _ in names if _within(each, outer)
            }
            yield from (step for step in nested(tool, outer, columns) if step.path == (name,))
        else:
            yield _top(tool, name)


def _within(name: str, outer: str) -> bool:
    return spelt(name).partition(".")[0] == outer and "." in name


def _top(tool: Tool, name: str) -> Step:
    known = spelt(name)
    if known in tool.meant:
        field = tool.meant[known]
        return Step((name,), name, field, seconds_of if field == "measured" else None)
    if known in NESTING and NESTING[known] != "metadata":  # and no object
        return whole(tool, name, NESTING[known])
    if known == CONTEXT_IDS:
        return Step((name,), name, CONTEXT_IDS)
    field = field_of(known)
    if field is not None or known in TOOLS_OWN or known in NESTING:
        return step_of((name,), name, known, field)
    refuse_misspelt(name)
    return Step((name,), name, None)
