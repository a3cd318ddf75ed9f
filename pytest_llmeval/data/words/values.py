"""Values: what stands in a row for a field that a case takes in another form, and in text."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ...errors import CaseError, CaseTypeError
from ..files.json_text import JsonFault, value_of
from .naming import spelt
from .vocabulary import LISTS, NESTING, OBJECTS, field_of


def guidelines_of(value: object) -> Any:
    """Guidelines, of which a named set may be one rule."""
    if not isinstance(value, Mapping):
        return value
    return {name: [rules] if isinstance(rules, str) else rules for name, rules in value.items()}


def only_one(value: object) -> Any:
    """The one reference answer of a list that is to hold one."""
    if not isinstance(value, list):
        return value
    if len(value) != 1:
        raise CaseError(f"expected one reference answer, got {len(value)}")
    return value[0]


def seconds_of(value: object) -> Any:
    """What was measured, of which the seconds are known."""
    if isinstance(value, str | int) and not isinstance(value, bool):
        try:
            value = float(value)
        except (ValueError, OverflowError):
            raise CaseTypeError(f"expected seconds, got {value!r:.40}") from None
    return {"seconds": value}


def opened(values: dict[str, Any]) -> dict[str, Any]:
    """``values`` of a row of a flat file, with the lists and objects that are told as text.

    Only those are read for which a field takes a list or an object; others stay text, also where
    they look like JSON. Raises ``CaseError`` where a field takes nothing else.
    """
    return {
        name: _opened(name, value.strip(), value) if isinstance(value, str) else value
        for name, value in values.items()
    }


def _opened(name: str, text: str, value: str) -> Any:
    known = spelt(name)
    field = field_of(known)
    takes = known in _ALSO or field in LISTS or field in OBJECTS or field in ("context", "trace")
    if not takes:
        return value
    held = _literal(text) if text[:1] in ("[", "{") else None
    if known in _EITHER or field == "context":
        return value if held is None or not _of_objects(held, field == "context") else held
    if held is None and field in LISTS | OBJECTS:
        form = "a list" if field in LISTS else "an object"
        raise CaseTypeError(f"{name}: expected {form}, as JSON in its cell; got {text[:40]!r}")
    return value if held is None else held


_EITHER = frozenset(("request", "user_input", "ground_truths"))
_ALSO = (
    _EITHER | NESTING.keys() | frozenset(("retrieved_context_ids", "reference_contexts", "assert"))
)


def _of_objects(held: object, or_texts: bool) -> bool:
    """Whether ``held`` is what JSON is written for, and no text that happens to be some."""
    if isinstance(held, list):
        return all(isinstance(item, dict) or (or_texts and isinstance(item, str)) for item in held)
    return isinstance(held, dict)


def _literal(text: str) -> Any:
    """The list or object that ``text`` is in JSON, or as Python (and so pandas) writes it."""
    try:
        return value_of(text)
    except JsonFault:
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
