"""Plain values: what numpy, pandas and Arrow hold, as Python's own numbers, texts and lists."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, time
from typing import Any

from ...errors import CaseError

_NOT_THERE = frozenset(("NaTType", "NAType"))
"""The types of pandas' marks for a value that is not there."""

_PLAIN = (str, int, bool, type(None))
INDEX = "__index_level_0__"
"""The column that pandas keeps its row labels in."""


def plain(value: Any) -> Any:
    """``value`` as plain data, also in lists and objects: NaN, NaT and NA are None.

    An array is a list, a number of numpy a number, a date its text in ISO; a list of pairs, as
    Arrow has its maps, is an object. What is none of these stays as it is.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, str):  # numpy's
        return str(value)
    if type(value).__name__ in _NOT_THERE:
        return None
    if isinstance(value, date | time):  # and so what has both
        return value.isoformat()
    if isinstance(value, Mapping):
        return {plain(name): plain(held) for name, held in value.items()}
    if isinstance(value, list) and value and all(type(item) is tuple for item in value):
        return _mapped(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "dtype") and callable(unpacked := getattr(value, "tolist", None)):
        held = unpacked()
        return held if type(held) is type(value) else plain(held)
    return value


def _mapped(pairs: list[tuple[Any, ...]]) -> Any:
    if not all(len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
        return [plain(item) for item in pairs]
    values = {str(name): plain(held) for name, held in pairs}
    if len(values) < len(pairs):
        raise CaseError("a name is given twice in one map")
    return values


def plain_row(values: Mapping[Any, Any], where: str) -> dict[str, Any]:
    """A row as ``plain`` data, without pandas' row labels. Raises ``CaseError`` as ``plain``."""
    try:
        return {name: plain(held) for name, held in values.items() if name != INDEX}
    except CaseError as error:
        raise CaseError(f"{where}: {error}") from None
    except RecursionError:
        raise CaseError(f"{where}: it is nested too deeply") from None
