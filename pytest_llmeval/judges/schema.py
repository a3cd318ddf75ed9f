"""The schema of a reply: as prompts, keys and strict structured output want it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ..errors import UsageError

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
