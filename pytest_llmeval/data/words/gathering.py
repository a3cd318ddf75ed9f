"""Gathering: the fields of a case, from the values of a row and how these are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import CaseError, CaseTypeError
from .documents import with_ids
from .reading import Reading
from .responses import CALLS
from .steps import CONTEXT_IDS, Path, Step
from .values import measured_of

_TEXTS = frozenset(("id", "group", "query", "response", "ground_truth"))
_MEASURED = "measured."
_FILE = "file://"


def gathered(values: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """What ``values`` hold by the fields of a case, and by ``metadata`` what no field is for.

    Raises ``CaseError`` for what can't be read as its field, and for a field that is given twice
    with different values.
    """
    if reading.tool.name:
        _refuse(values, reading)
    fields: dict[str, Any] = {}
    names: dict[str, str] = {}
    for step in reading.steps:
        value = _at(values, step.path)
        if value is None:
            continue
        for field, held in _read(step, value):
            if held is None:
                continue
            said = step.name in reading.told and not fields.get(field)  # over an empty list
            if field in fields and fields[field] != held and not said:
                told = f"as {names[field]!r} and as {step.name!r}"
                advice = f'; leave one out by fields={{"{step.name}": None}}'
                raise CaseError(f"{field} is given twice, with different values: {told}{advice}")
            fields[field], names[field] = held, step.name
    _finish(fields, values, reading)
    if not fields and not reading.merged:
        raise CaseError("it has no value but null")
    metadata = _metadata(fields, values, reading)
    if metadata:
        fields["metadata"] = metadata
    return fields


def _refuse(values: Mapping[str, Any], reading: Reading) -> None:
    """Raise ``CaseError`` for what a tool means by a value, and can't be had here."""
    if reading.tool.keeps_trace and values.get("parent_run_id") is not None:
        told = "one row is a whole run: its root, with the others in child_runs"
        raise CaseError(f"it is a run within another (it has a parent_run_id): {told}")
    if not reading.tool.refers_to_files:
        return
    paths = ((step.path, step.name) for step in reading.steps)
    for path, name in (*paths, *reading.left):
        value = _at(values, path)
        if isinstance(value, str) and value.startswith(_FILE):
            raise CaseError(
                f"{name}: {value!r:.60} is a file, which is not read: write what it has"
            )


def _read(step: Step, value: Any) -> Iterator[tuple[str, Any]]:
    """What ``value`` gives: the fields, and what is in them."""
    if type(value) is str and step.field in _TEXTS:
        yield str(step.field), value
        return
    read = value
    if step.read is not None:
        try:
            read = step.read(value)
        except CaseError as error:
            raise type(error)(f"{step.name}: {error}") from None
    for field, held in read.items() if step.several else ((str(step.field), read),):
        if field in _TEXTS and step.name != field and not isinstance(held, str | None):
            raise CaseTypeError(f"{step.name}: expected text, got {type(held).__name__}")
        yield field, held


def _at(values: Mapping[str, Any], path: Path) -> Any:
    value = values[path[0]]
    return value if len(path) == 1 else value[path[1]]


def _finish(fields: dict[str, Any], values: Mapping[str, Any], reading: Reading) -> None:
    """What a row says by several names together."""
    if CONTEXT_IDS in fields:
        fields["context"] = with_ids(fields.get("context"), fields.pop(CONTEXT_IDS))
    if (calls := fields.pop(CALLS, None)) is not None and not reading.tool.keeps_trace:
        fields.setdefault("tools_called", calls)
    if reading.tool.keeps_trace:
        fields.setdefault("trace", dict(values))
    for name in [name for name in fields if name.startswith(_MEASURED)]:
        inner, held = name.removeprefix(_MEASURED), fields.pop(name)
        measured = fields.get("measured", {})
        if not isinstance(measured, dict) or measured.get(inner, held) != held:
            raise CaseError(f"{name} is given twice, with different values")
        fields["measured"] = measured_of({**measured, inner: held})


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
