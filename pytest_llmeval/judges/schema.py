"""The schema of a reply: as prompts, keys and strict structured output want it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ..errors import UsageError

Schema = Mapping[str, Any]

FREE_TEXT = "free_text"
"""What marks text in a schema that decides nothing: no provider is sent it, no key made of it."""


@lru_cache(maxsize=256)
def schema_of(reply: type[BaseModel]) -> Mapping[str, Any]:
    """The JSON Schema of ``reply``, made once; not to be changed."""
    return reply.model_json_schema()


@lru_cache(maxsize=256)
def shown_schema(reply: type[BaseModel]) -> Mapping[str, Any]:
    """The schema without the docstrings of its classes, which no judge is shown."""
    schema: dict[str, Any] = deepcopy({**schema_of(reply)})
    for each in (schema, *schema.get("$defs", {}).values()):
        each.pop("description", None)
    return schema


def unmarked(schema: Any) -> Any:
    """``schema`` without the marks of free text."""
    if isinstance(schema, list):
        return [unmarked(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {name: each for name, each in schema.items() if name != FREE_TEXT or each is not True}
    return {name: unmarked(each) for name, each in kept.items()}


def _as_it_is(text: str, schemas: Sequence[Schema]) -> str:
    return text


def asked_for(
    value: Any,
    schema: Schema,
    definitions: Schema,
    told: Callable[[str, Sequence[Schema]], str] = _as_it_is,
) -> Any:
    """``value`` (JSON values) without what ``schema`` has no name for, and its model passes over.

    Each text in it becomes what ``told`` makes of it and of the schemas that it may be of. What
    may be of several models is left as it is.
    """
    several = _fitting(value, schema, definitions)
    if isinstance(value, str):
        return told(value, several)
    if len(several) != 1:
        return value
    (one,) = several
    if isinstance(value, list):
        return [asked_for(each, one.get("items", {}), definitions, told) for each in value]
    parts, others = one.get("properties", {}), one.get("additionalProperties", False)
    read = {name: parts.get(name, others) for name in value}
    return {
        name: asked_for(value[name], part if isinstance(part, Mapping) else {}, definitions, told)
        for name, part in read.items()
        if part is not False
    }


def _fitting(value: object, schema: Schema, definitions: Schema) -> list[Schema]:
    """Of the alternatives that ``schema`` has, those for text, lists or objects as ``value`` is."""
    schema = _resolved(schema, definitions)
    kind = next((name for of, name in _KINDS if isinstance(value, of)), None)
    choices = [_resolved(each, definitions) for each in schema.get("anyOf", (schema,))]
    return [each for each in choices if kind is not None and each.get("type") == kind]


_KINDS = ((dict, "object"), (list, "array"), (str, "string"))


def _resolved(schema: Schema, definitions: Schema) -> Schema:
    reference = schema.get("$ref")
    return schema if reference is None else definitions[reference.rpartition("/")[2]]


def schema_form(reply: type[BaseModel]) -> dict[str, Any]:
    """``reply`` as strict structured output wants it (OpenAI, "Structured Outputs")."""
    # A copy for each request: LiteLLM changes what it is given.
    form = {"name": "reply", "strict": True, "schema": json.loads(_schema_text(reply))}
    return {"type": "json_schema", "json_schema": form}


@lru_cache(maxsize=256)
def _schema_text(reply: type[BaseModel]) -> str:
    schema = unmarked(schema_of(reply))
    return json.dumps(_strict(_undescribed(schema), schema.get("$defs", {}), ()))


def _undescribed(model: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a class without its docstring, which is for people who read the code."""
    return {key: value for key, value in model.items() if key != "description"}


def _strict(schema: Any, definitions: Mapping[str, Any], within: tuple[str, ...]) -> Any:
    """``schema`` with every property required, none added, no defaults, references resolved."""
    if isinstance(schema, list):
        return [_strict(each, definitions, within) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        if name in within:
            raise UsageError(f"a reply may not hold itself: {name} does")
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        resolved = {**_undescribed(definitions[name]), **beside}
        return _strict(resolved, definitions, (*within, name))
    strict = {
        key: {name: _strict(each, definitions, within) for name, each in value.items()}
        if key == "properties"
        else _strict(value, definitions, within)
        for key, value in schema.items()
        if key not in ("default", "title", "$defs")
    }
    if "properties" in strict:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict
