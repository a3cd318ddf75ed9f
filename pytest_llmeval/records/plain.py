"""What a run keeps as JSON values."""

from __future__ import annotations

from typing import Any

from ..results import Evidence, Part, Usage
from .assessment import Assessment
from .judged_case import JudgedCase
from .record import Record
from .tests import Group, TestRow


def plain(kept: Record | JudgedCase | Assessment | TestRow) -> dict[str, Any]:
    """``kept`` as JSON values; text that UTF-8 cannot carry is replaced."""
    return {name: _plain(getattr(kept, name)) for name in kept.__slots__}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        if type(value) is str and value.isascii():
            return value
        return str(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Evidence | Part | Usage | Group):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(value)
    return value
