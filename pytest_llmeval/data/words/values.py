"""Values: what stands in a row for a field that a case takes in another form."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

from ...errors import CaseError, CaseTypeError


def guidelines_of(value: object) -> Any:
    """Guidelines, of which a named set may be one rule."""
    if not isinstance(value, Mapping):
        return value
    return {name: [rules] if isinstance(rules, str) else rules for name, rules in value.items()}


def expected_guidelines_of(value: object) -> Any:
    """Guidelines among MLflow's expectations, which may be one rule."""
    return [value] if isinstance(value, str) else guidelines_of(value)


def only_one(value: object) -> Any:
    """The one reference answer of a list that is to hold one."""
    if not isinstance(value, list):
        return value
    if len(value) != 1:
        raise CaseError(f"expected one reference answer, got {len(value)}")
    return value[0]


def number_of(value: object) -> Any:
    """A number of what was measured, which a cell has as text."""
    if not isinstance(value, str):
        return value
    try:
        return float(value) if set(value) & set(".eE") else int(value)
    except (ValueError, OverflowError):
        raise CaseTypeError(f"expected a number, got {value!r:.40}") from None


def measured_of(value: object) -> Any:
    """What was measured: a count that came as 10.0 is 10, and NaN is absent."""
    if not isinstance(value, Mapping):
        return value
    return {name: _count(name, held) for name, held in value.items()}


def _count(name: object, held: object) -> object:
    if not isinstance(held, float):
        return held
    if isnan(held):
        return None
    return int(held) if name != "seconds" and held.is_integer() else held


def name_of(value: object) -> Any:
    """An id, which may be given as an integer."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
