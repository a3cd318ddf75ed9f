"""Shapes: from a row, in whatever words its tool has, to the case that it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import CaseError, CaseTypeError
from ..cases import Case
from ..files.rows import Row
from .documents import with_ids
from .naming import spelt
from .reading import Reading, reading_of
from .steps import CONTEXT_IDS, Path, Step
from .values import opened
from .vocabulary import NESTING

_SPRING = frozenset(("data_list", "dataList"))
_readings: dict[tuple[Any, ...], Reading] = {}


def case_of(row: Row) -> Case:
    """The case of ``row``. Raises ``CaseError`` naming the row's place, and what can't be."""
    return made_of(fields_of(row), row.where)


def made_of(fields: Mapping[str, Any], where: str) -> Case:
    """The case of ``fields``, which ``fields_of`` read at ``where``; it raises as ``case_of``."""
    try:
        return Case.model_validate(fields)
    except CaseError as error:
        raise type(error)(f"{where}: {error}") from None
    except RecursionError:
        raise CaseError(f"{where}: it is nested too deeply") from None


def fields_of(row: Row) -> dict[str, Any]:
    """What ``row`` holds by the fields of a case, before their types are looked at.

    Raises ``CaseError`` as ``case_of`` does, for its names and for what can't be read as its field.
    """
    try:
        values = opened(row.values) if row.flat else row.values
        return _fields(values, _reading(values))
    except CaseError as error:
        raise type(error)(f"{row.where}: {error}") from None
    except RecursionError:
        raise CaseError(f"{row.where}: it is nested too deeply") from None


def reading_for(row: Row) -> Reading:
    """How ``row`` is read. Raises ``CaseError`` as ``case_of`` does, for its names."""
    try:
        return _reading(opened(row.values) if row.flat else row.values)
    except CaseError as error:
        raise type(error)(f"{row.where}: {error}") from None


def _reading(values: Mapping[str, Any]) -> Reading:
    """How a row of ``values`` is read, found once for the names in it."""
    nested = tuple(
        (name, () if role == "metadata" else tuple(value))
        for name, value in values.items()
        if type(value) is dict and (role := NESTING.get(spelt(name)))
    )
    key = (tuple(values), nested)
    reading = _readings.get(key)
    if reading is None:
        inner = dict(nested)
        reading = reading_of([(_name(name), inner.get(name)) for name in values])
        if len(_readings) > 1000:
            _readings.clear()
        _readings[key] = reading
    return reading


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise CaseTypeError(f"a name is text, got {name!r}")
    return name


def _fields(values: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    names: dict[str, str] = {}
    for step in reading.steps:
        value = _at(values, step.path)
        if value is None:
            continue
        for field, held in _read(step, value):
            if held is None:
                continue
            if field in fields and fields[field] != held:
                told = f"as {names[field]!r} and as {step.name!r}"
                raise CaseError(f"{field} is given twice, with different values: {told}")
            fields[field], names[field] = held, step.name
    if reading.tool.name:
        _finish(fields, names, values, reading)
    if not fields and not reading.merged:
        raise CaseError("it has no value but null")
    metadata = _metadata(fields, values, reading)
    if metadata:
        fields["metadata"] = metadata
    return fields


def _read(step: Step, value: Any) -> Iterator[tuple[str, Any]]:
    """What ``value`` gives: the fields, and what is in them."""
    read = value
    if step.read is not None and not (type(value) is str and step.field in _TEXTS):
        try:
            read = step.read(value)
        except CaseError as error:
            raise type(error)(f"{step.name}: {error}") from None
    for field, held in read.items() if step.field is None else ((step.field, read),):
        if field in _TEXTS and step.name != field and not isinstance(held, str | None):
            raise CaseTypeError(f"{step.name}: expected text, got {type(held).__name__}")
        yield field, held


_TEXTS = frozenset(("id", "group", "query", "response", "ground_truth"))


def _at(values: Mapping[str, Any], path: Path) -> Any:
    value = values[path[0]]
    return value if len(path) == 1 else value[path[1]]


def _finish(
    fields: dict[str, Any], names: dict[str, str], values: Mapping[str, Any], reading: Reading
) -> None:
    """What a tool says by several names together."""
    if CONTEXT_IDS in fields:
        fields["context"] = with_ids(fields.get("context"), fields.pop(CONTEXT_IDS))
    if reading.tool.keeps_trace:
        fields.setdefault("trace", dict(values))
    if fields.get("context") == [] and names.get("context") in _SPRING and "query" in fields:
        # Spring's fact check: no documents, so the user's text is the document of the claim.
        fields["context"] = fields.pop("query")


def _metadata(
    fields: Mapping[str, Any], values: Mapping[str, Any], reading: Reading
) -> dict[str, Any]:
    kept = {name: value for path, name in reading.left if (value := _at(values, path)) is not None}
    if not isinstance(fields.get("metadata", {}), dict):
        kind = type(fields["metadata"]).__name__
        raise CaseTypeError(f"metadata: expected an object, got {kind}")
    for name in reading.merged:
        for key, value in (values[name] or {}).items():
            if key in kept and kept[key] != value:
                raise CaseError(f"metadata {key!r} is given twice, with different values")
            kept[key] = value
    return kept
