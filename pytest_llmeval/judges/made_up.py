"""A valid reply that nobody gave: made of its schema, to see what is asked after it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from .base import ReplyT
from .schema import schema_of

TEXT = "(made up)"


def made_up(reply: type[ReplyT]) -> ReplyT | None:
    """A reply that is valid: of what it may choose from the first that fits, of lists nothing.

    None where none can be made so: of a reply with rules of its own.
    """
    schema = schema_of(reply)
    for listed, place in product((0, 1), (0, -1)):
        try:
            return reply.model_validate(_value(schema, schema.get("$defs", {}), listed, place))
        except Exception:  # whatever a rule of its own, or a schema of its own, comes to
            continue
    return None


def _value(
    detail: Mapping[str, Any], definitions: Mapping[str, Any], listed: int, place: int
) -> Any:
    def of(part: Mapping[str, Any]) -> Any:
        return _value(part, definitions, listed, place)

    for several in ("anyOf", "oneOf", "allOf"):
        if several in detail:
            return of(detail[several][place])
    match detail:
        case {"$ref": str(reference)}:
            return of(definitions[reference.rpartition("/")[2]])
        case {"const": value}:
            return value
        case {"enum": values}:
            return values[place]
        case {"type": "object"}:
            return {name: of(part) for name, part in detail.get("properties", {}).items()}
        case {"type": "array"}:
            count = max(listed, detail.get("minItems", 0))
            return [of(detail["items"]) for _ in range(count)]
        case {"type": "boolean"}:
            return place == 0
        case {"type": "integer" | "number"}:
            return detail.get("maximum", detail.get("minimum", 1))
        case {"type": "string"}:
            return TEXT.ljust(detail.get("minLength", 0), "…")[: detail.get("maxLength")]
    return None
