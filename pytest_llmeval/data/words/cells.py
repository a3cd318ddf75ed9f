"""Cells: the lists and objects that stand as text in the columns of a flat file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...errors import CaseError, CaseTypeError
from ...text.shown import shown
from ..json_text import JsonFault, value_of
from ..literals import AS_JSON, literal
from .naming import spelt
from .responses import told_in
from .vocabulary import LISTS, NESTING, OBJECTS, field_of

_PRINTED = re.compile(
    r"""[\[{(]\s*["']              # a list, an object or a tuple of texts
    | \[\s*[\[{]                    # a list of lists or of objects
    | array\(\s*[\[\]]              # numpy's
    | [\[(]\s*[A-Za-z_][\w.]*\(     # a list of objects by their constructors
    | \[\s*(None|nan|NaN|NaT|<NA>)\s*[,\]]""",
    re.VERBOSE,
)
"""How a list or an object begins that some program printed."""

_EITHER = frozenset(("request", "user_input", "ground_truths"))
_ALSO = (
    _EITHER | NESTING.keys() | frozenset(("retrieved_context_ids", "reference_contexts", "assert"))
)


def opened(
    values: Mapping[str, Any], fields: Mapping[str, str | None], delimiter: str = ""
) -> dict[str, Any]:
    """``values`` of a row of a flat file, with the lists and objects that are told as text.

    Only those are read for which a field takes a list or an object, and of answers those that are
    messages; others stay text, also where they look like JSON. ``fields`` are those that names are
    said to be; a tool's ``delimiter`` joins the documents of a cell. Raises ``CaseError`` where a
    field takes nothing else, and for a list or an object that was printed and can't be read back.
    """
    return {
        name: _opened(name, fields, value, delimiter) if isinstance(value, str) else value
        for name, value in values.items()
    }


def with_request(values: dict[str, Any], fields: Mapping[str, str | None]) -> dict[str, Any]:
    """``values`` of a row of objects, with a request that is told as JSON text."""
    request = values.get("request")
    if not isinstance(request, str) or "request" in fields or request.strip()[:1] not in ("[", "{"):
        return values
    try:
        held = value_of(request)
    except JsonFault:
        return values
    return {**values, "request": held} if _of_objects(held, or_texts=False) else values


def _opened(name: str, fields: Mapping[str, str | None], value: str, delimiter: str) -> Any:
    known = _innermost(spelt(name))
    field = fields[name] if name in fields else field_of(known)
    also = known in _ALSO and (name not in fields or known in NESTING)
    if not also and field in ("response", "ground_truth"):
        return told_in(value)
    if not (also or field in LISTS or field in OBJECTS or field in ("context", "trace")):
        return value
    text = value.strip()
    try:
        held = literal(text) if text[:1] in ("[", "{", "(") else None
    except CaseError as error:
        raise type(error)(f"{name}: {error}") from None
    if isinstance(held, tuple) or (held is None and field != "trace" and _PRINTED.match(text)):
        told = f"a list or an object that was printed, {shown(repr(text), 40)}"
        raise CaseTypeError(f"{name}: {told}, can't be read back: {AS_JSON}")
    if (also and known in _EITHER) or field == "context":
        if delimiter and field == "context" and held is None:
            return value.split(delimiter)
        return _meant(name, value, held, field == "context")
    if held is None and field in LISTS | OBJECTS and not _is_one_rule(name):
        form = "a list" if field in LISTS else "an object"
        raise CaseTypeError(f"{name}: expected {form}, as JSON in its cell; got {text[:40]!r}")
    return value if held is None else held


def _innermost(known: str) -> str:
    """The name that counts: of a column that stands for a value in an object, that value's."""
    outer, dot, inner = known.partition(".")
    return inner if dot and NESTING.get(outer, "metadata") != "metadata" else known


def _is_one_rule(name: str) -> bool:
    """Whether a text may stand for the list, as the only guideline of MLflow's expectations."""
    return spelt(name) == "expectations.guidelines"


def _meant(name: str, value: str, held: object, or_texts: bool) -> object:
    """The list or object ``held`` in the text ``value``, or that text, which happens to be one."""
    if held is None or _of_objects(held, or_texts):
        return value if held is None else held
    if isinstance(held, list):
        kinds = (str, dict) if or_texts else (dict,)
        odd = [item for item in held if not isinstance(item, kinds)]
        if len(odd) < len(held):
            wanted = "a list of texts or of objects" if or_texts else "a list of objects"
            raise CaseTypeError(f"{name}: expected {wanted}, got {odd[0]!r} among them")
    return value


def _of_objects(held: object, or_texts: bool) -> bool:
    """Whether ``held`` is what JSON is written for, and no text that happens to be some."""
    if isinstance(held, list):
        return all(isinstance(item, dict) or (or_texts and isinstance(item, str)) for item in held)
    return isinstance(held, dict)
