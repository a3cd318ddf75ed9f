"""The form of a reply in words: its fields in order, and what each of them may hold."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic.errors import PydanticUserError

from ..errors import UsageError
from ..judges.base import ReplyT
from ..judges.schema import schema_of

_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "format": "in the form of a {}",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
}
"""How the limits that a schema sets are said."""

Schema = Mapping[str, Any]


class _Untold(Exception):
    """A field cannot be described to a judge; the message says why, after its name."""


@lru_cache(maxsize=256)
def reply_text(reply: type[ReplyT], reason_language: str) -> str:
    """What a valid reply looks like, in words: its fields in order and their allowed values.

    Raises ``UsageError`` for a reply with a field that can't be described to a judge.
    """
    fields = ",\n".join(_fields(reply))
    return (
        "Reply with one JSON object and nothing else, its fields in this order:\n"
        f"{{\n{fields}\n}}\n"
        f"Write every explanation in {reason_language}; quote text as it stands."
    )


def _fields(reply: type[ReplyT]) -> Iterator[str]:
    try:
        schema = schema_of(reply)
    except (PydanticUserError, RecursionError) as error:
        told = str(error).partition("\n")[0]
        raise UsageError(f"the reply {reply.__name__} has no JSON Schema: {told}") from None
    definitions = schema.get("$defs", {})
    whole, path = _resolved(schema, definitions, ())
    for name, detail in whole["properties"].items():
        try:
            yield f'  "{name}": {_described(detail, definitions, path)}'
        except _Untold as fault:
            raise UsageError(f"the reply {reply.__name__}: {name} {fault}") from None


def _resolved(
    detail: Schema, definitions: Schema, path: tuple[str, ...]
) -> tuple[Schema, tuple[str, ...]]:
    """``detail`` with what it refers to, save docstrings, and the classes that it stands in."""
    if (reference := detail.get("$ref")) is None:
        return detail, path
    name = reference.rpartition("/")[2]
    if name in path:
        raise _Untold(f"holds {name}, which holds itself")
    referred = {key: value for key, value in definitions[name].items() if key != "description"}
    return {**referred, **detail}, (*path, name)


def _described(detail: Schema, definitions: Schema, path: tuple[str, ...]) -> str:
    """What may stand at one place of the reply, and what its description says."""
    detail, path = _resolved(detail, definitions, path)
    note, limits = detail.get("description", ""), _limits(detail)
    kind = detail.get("type")
    if kind in ("string", "integer", "number") and not {"enum", "const"} & detail.keys():
        named = {"string": "", "integer": "a whole number", "number": "a number"}[kind]
        what = " ".join(filter(None, (named, limits)))
        return f"<{': '.join(filter(None, (what, note))) or 'text'}>"
    apart = "; ".join(filter(None, (limits, note)))
    form = _form(detail, definitions, path)
    return f"{form}  ({apart})" if apart else form


def _form(detail: Schema, definitions: Schema, path: tuple[str, ...]) -> str:
    """A value of ``detail`` as JSON, its parts described."""

    def told(part: Schema) -> str:
        return _described(part, definitions, path)

    if "enum" in detail or "const" in detail:
        allowed = detail.get("enum", [detail.get("const")])
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in allowed)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in detail:
            return " or ".join(dict.fromkeys(map(told, detail[several])))
    match detail:
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "null"}:
            return "null"
        case {"type": "array", "items": Mapping() as item} if "prefixItems" not in detail:
            return f"[{told(item)}, ...]"
        case {"type": "object", "properties": parts}:
            fields = (f'"{name}": {told(part)}' for name, part in parts.items())
            return f"{{{', '.join(fields)}}}"
        case {"type": "object", "additionalProperties": Mapping() as part}:
            return f'{{"<name>": {told(part)}, ...}}'
    raise _Untold(
        "has a type that a judge can't be told: let it be text, a number, bool, a Literal, "
        "a model, or a list of such"
    )


def _limits(detail: Schema) -> str:
    if "minimum" in detail and "maximum" in detail:
        return f"from {detail['minimum']} to {detail['maximum']}"
    return ", ".join(said.format(detail[key]) for key, said in _LIMITS.items() if key in detail)
