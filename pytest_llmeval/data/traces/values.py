"""Values as traces write them: JSON within text, counts as text, times in several units."""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ..blank import is_blank


def decoded(value: Any) -> Any:
    """``value``, or what it says where it is a JSON object or list as text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return json_or_text(value)
    return value


def json_or_text(value: Any) -> Any:
    """What ``value`` says where it is JSON text, else ``value`` itself."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def mapping(value: Any) -> Mapping[str, Any]:
    """``value`` where it is an object, also one as JSON text; else an empty one."""
    value = decoded(value)
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> list[Any]:
    """``value`` where it is a list, also one as JSON text; else an empty one."""
    value = decoded(value)
    return [*value] if isinstance(value, list | tuple) else []


def count(value: Any) -> int | None:
    """``value`` as a count of tokens, None where it is none: also 64-bit integers as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        return int(value)
    if not _is_number(value):
        return None
    return int(value) if value >= 0 and value == int(value) else None


def _is_number(value: Any) -> bool:
    """Whether ``value`` is a number that 64 bits hold: a larger one is no count and no time."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63


def first_count(given: Mapping[str, Any], names: Iterable[str]) -> int | None:
    """The first of the fields ``names`` of ``given`` that is a count."""
    return next((found for name in names if (found := count(given.get(name))) is not None), None)


def nanoseconds(value: Any) -> int | None:
    """The moment ``value`` in nanoseconds since the epoch, None where it is none.

    Text is ISO 8601, UTC where it names no zone, or a number. A number is of the unit by which it
    is a date of our days: seconds, milliseconds or microseconds; any other is nanoseconds.
    """
    if isinstance(value, datetime):
        return _of_date(value)
    if isinstance(value, str):
        try:
            return _of_date(datetime.fromisoformat(value))
        except (ValueError, OverflowError):
            pass
        if not (value.isascii() and value.isdigit() and len(value) < 20):
            return None
        value = int(value)
    if not _is_number(value):
        return None
    for power, unit in ((0, 10**9), (3, 10**6), (6, 10**3)):
        if 10 ** (9 + power) <= value < 10 ** (10 + power):
            # Of a fraction, microseconds are all that a float of this size can hold.
            return value * unit if isinstance(value, int) else round(value * unit / 1000) * 1000
    return int(value)


def _of_date(date: datetime) -> int:
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    since = date - datetime(1970, 1, 1, tzinfo=UTC)
    return ((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) * 1000


def arguments_in(value: Any) -> dict[str, Any] | None:
    """The arguments of a tool call that ``value`` says; None where it says none.

    LangChain writes them as Python does, under ``input``.
    """
    value = decoded(value)
    if isinstance(value, Mapping) and [*value] == ["input"]:
        value = decoded(value["input"])
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    if isinstance(value, str):
        return {"input": value} if value else None
    return plain(value) if isinstance(value, Mapping) else None


def tool_name(value: Any) -> str:
    """``value`` as the name of a tool that was called, also where the trace does not tell one."""
    return "(unnamed tool)" if value is None or is_blank(str(value)) else str(value)


def plain(value: Any, depth: int = 60) -> Any:
    """``value`` as JSON values: tuples as lists, names as text, what is no JSON value as none."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if depth == 0:
        return None
    if isinstance(value, Mapping):
        return {str(name): plain(each, depth - 1) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(each, depth - 1) for each in value]
    return None
