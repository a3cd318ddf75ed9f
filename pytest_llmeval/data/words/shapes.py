"""Shapes: from a row, in whatever words its tool has, to the case that it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import CaseError, CaseTypeError
from ..cases import Case
from ..rows import Row
from .cells import opened, with_request
from .gathering import gathered
from .naming import spelt
from .reading import Reading, reading_of
from .tools import tool_of
from .vocabulary import NESTING

_readings: dict[tuple[Any, ...], Reading] = {}


def case_of(row: Row) -> Case:
    """The case of ``row``. Raises ``CaseError`` naming the row's place, and what can't be."""
    return made_of(fields_of(row)[0], row.where)


def made_of(fields: Mapping[str, Any], where: str) -> Case:
    """The case of ``fields``, which ``fields_of`` read at ``where``; it raises as ``case_of``."""
    try:
        return Case.model_validate(fields)
    except CaseError as error:
        raise type(error)(f"{where}: {error}") from None
    except RecursionError:
        raise CaseError(f"{where}: it is nested too deeply") from None


def fields_of(row: Row) -> tuple[dict[str, Any], Reading]:
    """What ``row`` holds by the fields of a case, before their types are looked at, and how it is
    read.

    Raises ``CaseError`` as ``case_of`` does, for its names and for what can't be read as its field.
    """
    try:
        values, reading = _understood(row)
        return gathered(values, reading), reading
    except CaseError as error:
        raise type(error)(f"{row.where}: {error}") from None
    except RecursionError:
        raise CaseError(f"{row.where}: it is nested too deeply") from None


def _understood(row: Row) -> tuple[dict[str, Any], Reading]:
    """The values of ``row``, with what is told as text, and how they are read.

    What the user says of its names is taken before they are recognised; of what they have in
    common with a tool's words all of them tell, but for those without a value.
    """
    given = frozenset(
        [spelt(_name(name)) for name, value in row.values.items() if _is_there(value)]
    )
    tool = tool_of(given)
    values, told = row.values, dict[str, str | None]()
    if row.names:
        said, rest = row.names.taken(values)
        told = {name: row.names.of_name(name) for name in said}
        values = {**rest, **said}
    values = opened(values, told, tool.delimiter) if row.flat else with_request(values, told)
    nested = tuple(
        (name, tuple(each for each in value if value[each] is not None))
        for name, value in values.items()
        if type(value) is dict and (name in told or spelt(name) in NESTING)
    )
    key = (tuple(values), nested, given, tuple(told.items()))
    reading = _readings.get(key)
    if reading is None:
        inner = dict(nested)
        names = [(name, inner.get(name)) for name in values]
        reading = reading_of(tool, names, told, given)
        if len(_readings) > 1000:
            _readings.clear()
        _readings[key] = reading
    return values, reading


def _is_there(value: object) -> bool:
    """Whether ``value`` says anything: an object of nulls, as columns have it, does not."""
    if type(value) is dict and value:
        return any(held is not None for held in value.values())
    return value is not None


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise CaseTypeError(f"a name is text, got {name!r}")
    return name
