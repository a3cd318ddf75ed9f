"""Entries on their way out of a store and into another: JSONL, sorted, each line checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    NonNegativeFloat,
    NonNegativeInt,
    ValidationError,
)

from ..errors import UsageError
from .heard import entry_key
from .store import Store


class _Entry(BaseModel):
    """What an entry holds, its key apart."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    task: str
    judge: dict[str, JsonValue]
    messages: list[tuple[Literal["system", "user", "assistant"], str]]
    form: dict[str, JsonValue] | None = Field(alias="schema")  # BaseModel has a schema itself
    said: str
    resolved_model: str | None
    input_tokens: NonNegativeInt | None
    output_tokens: NonNegativeInt | None
    cost: NonNegativeFloat | None
    seconds: NonNegativeFloat
    heard: NonNegativeInt | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """How many entries an import brought: not there before, the same as there, other than there."""

    new: int
    equal: int
    replaced: int


def exported(store: Store) -> Iterator[str]:
    """A line of JSON for each entry of ``store``, sorted by key; the key stands first.

    The same entries give the same bytes. An entry that is not under the key of its own content
    (one of an early version, or tampered with) is left out, since no import would take it.
    """
    for key, entry in store:
        if entry_fault(key, entry) is None:
            yield written({"key": key, **dict(sorted(entry.items()))}) + "\n"


def import_lines(store: Store, lines: Iterable[str], source: str) -> Imported:
    """Take the entries that ``exported`` wrote into ``store``, where they replace what they differ
    from.

    Raises ``UsageError`` that names ``source`` and the line, with nothing imported, for what is no
    entry, for one whose key is not that of its content, and for two that contradict each other;
    and where the store can't be used.
    """
    entries: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            key, entry = _read(line, f"{source}:{number}")
            if entries.setdefault(key, entry) != entry:
                raise UsageError(f"{source}:{number}: an earlier line has another entry for {key}")
    found: Counter[str] = Counter()
    for key, entry in entries.items():
        before = store.get(key)
        found["equal" if before == entry else "new" if before is None else "replaced"] += 1
        if before != entry:
            store.put(key, entry)
        if store.trouble is not None:
            raise UsageError(store.trouble)
    return Imported(found["new"], found["equal"], found["replaced"])


def _read(line: str, where: str) -> tuple[str, dict[str, Any]]:
    try:
        row = json.loads(line, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: expected a JSON object: {error}") from None
    if not isinstance(row, dict) or not isinstance(row.get("key"), str):
        raise UsageError(f"{where}: expected an entry as the export writes it, with its key")
    key = row.pop("key")
    if (fault := entry_fault(key, row)) is not None:
        raise UsageError(f"{where}: {fault}")
    return key, row


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value")


def entry_fault(key: str, entry: dict[str, Any], redacted: bool = False) -> str | None:
    """What is wrong with ``entry`` under ``key``; None where nothing is.

    Of an entry that is ``redacted`` the key is not looked at: it is that of what stood there.
    """
    try:
        # Lone surrogates may stand in an entry, and say nothing of its shape.
        text = json.dumps(entry, ensure_ascii=False)
        _Entry.model_validate_json(text.encode("utf-8", "replace"))
        made = entry_key(entry)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        return f"this is no entry: {name}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    except (UsageError, RecursionError, TypeError, ValueError) as error:
        return f"this is no entry: {error}"
    if made != key and not redacted:
        return f"the key is not that of the entry's own question, which is {made}"
    return None


def written(row: Mapping[str, Any]) -> str:
    """``row`` as one line of JSON, in its own order, all mappings inside it sorted by name."""
    text = json.dumps(_sorted(row), ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(_sorted(row))  # a lone surrogate has no UTF-8
    return text


def _sorted(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: json.loads(json.dumps(value, sort_keys=True)) for name, value in row.items()}
