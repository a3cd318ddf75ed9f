"""Replies in which the judge said everything: no default, no flag for a number, no infinity."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from ..text.shown import shown
from .objects import Fault
from .schema import schema_of

ReplyT = TypeVar("ReplyT", bound=BaseModel)
Place = tuple[str | int, ...]
Schema = Mapping[str, Any]


def explicit(value: Any, reply: type[ReplyT]) -> ReplyT:
    """``value`` (JSON values) as a ``reply``, under rules that hold for every model alike.

    Besides what the model itself asks: a field that ``value`` lacks is missing, also where the
    model has a default for it; true and false are no numbers, nor is a number one of them; and a
    number is finite. Raises pydantic's ``ValidationError``.
    """
    schema = schema_of(reply)
    if faults := [*_Reading(schema.get("$defs", {})).faults(value, schema, ())]:
        raise ValidationError.from_exception_data(reply.__name__, faults)
    return reply.model_validate(value)


def valid(value: Any, reply: type[ReplyT]) -> ReplyT:
    """``value`` (JSON values) as a ``reply``, explicit in all. Raises ``Fault`` in words for it."""
    try:
        return explicit(value, reply)
    except ValidationError as error:
        details = error.errors(include_url=False)
    raise Fault("; ".join(map(_told, details[:3])) + ".")


def _told(detail: ErrorDetails) -> str:
    name = ".".join(map(str, detail["loc"])) or "the value"
    if detail["type"] == "missing":
        return f"missing {name!r}"
    wrong = detail["msg"][:1].lower() + detail["msg"][1:]
    if detail["type"] == "literal_error":
        wrong = f"allowed are {detail.get('ctx', {})['expected']}"
    came = json.dumps(detail["input"], ensure_ascii=False, default=str)
    return f"{name!r} was {shown(came, 60)}, {wrong}"


class _Reading:
    """What is wrong with values, by a schema whose ``definitions`` are these."""

    def __init__(self, definitions: Schema) -> None:
        self._definitions = definitions

    def faults(
        self, value: Any, detail: Schema, place: Place, one_of_several: bool = False
    ) -> Iterator[InitErrorDetails]:
        detail = self._resolved(detail)
        if alternatives := detail.get("anyOf") or detail.get("oneOf"):
            fitting = [each for each in alternatives if _fits(value, self._resolved(each))]
            found = [[*self.faults(value, each, place, True)] for each in fitting]
            if all(found):
                yield from min(found, key=len, default=[])
        elif isinstance(value, Mapping):
            yield from self._in_object(value, detail, place, one_of_several)
        elif isinstance(value, list):
            if items := detail.get("items"):
                for index, each in enumerate(value):
                    yield from self.faults(each, items, (*place, index))
        elif wrong := _wrong(value, detail.get("type")):
            told = PydanticCustomError("not_said", wrong)
            yield InitErrorDetails(type=told, loc=place, input=value)

    def _in_object(
        self, value: Mapping[str, Any], detail: Schema, place: Place, one_of_several: bool
    ) -> Iterator[InitErrorDetails]:
        parts, others = detail.get("properties", {}), detail.get("additionalProperties")
        # What is required pydantic misses by itself, unless another model would do, too; before
        # that, the model may fill it in.
        known = () if one_of_several else detail.get("required", ())
        for name in parts:
            if name not in value and name not in known:
                yield InitErrorDetails(type="missing", loc=(*place, name), input=value)
        for name, twin in _twins(value, parts):
            told = PydanticCustomError("said_twice", "{twin} beside it differs", {"twin": twin})
            yield InitErrorDetails(type=told, loc=(*place, name), input=value[name])
        for name, each in value.items():
            part = parts.get(name, others)
            if isinstance(part, Mapping):
                yield from self.faults(each, part, (*place, name))

    def _resolved(self, detail: Schema) -> Schema:
        reference = detail.get("$ref")
        return detail if reference is None else self._definitions[reference.rpartition("/")[2]]


def _twins(value: Mapping[str, Any], parts: Schema) -> Iterator[tuple[str, str]]:
    """Names of ``parts``, each with one like it that ``value`` has beside it and says otherwise.

    ``Severity`` and ``se-verity`` are the same name as ``severity`` to whoever writes them.
    """
    known = {_plain(name): name for name in parts if name in value}
    for twin, each in value.items():
        name = known.get(_plain(twin), twin)
        if twin not in parts and name != twin and _plain(each) != _plain(value[name]):
            yield name, repr(twin)


def _plain(value: Any) -> str:
    """``value`` without case, blanks, hyphens and underscores; ``5``, ``5.0`` and ``"5"`` alike."""
    text = re.sub(r"[\s_-]+", "", str(value)).casefold()
    return re.sub(r"\.0+$", "", text)


def _fits(value: Any, detail: Schema) -> bool:
    """Whether ``value`` is of the kind (an object, a list, neither) that ``detail`` describes."""
    kind = detail.get("type")
    if isinstance(value, Mapping):
        return kind in ("object", None)
    return kind in ("array", None) if isinstance(value, list) else kind not in ("object", "array")


def _wrong(value: Any, kind: str | None) -> Any:
    """What is wrong with ``value`` where a ``kind`` is due, apart from what pydantic sees."""
    if kind == "boolean":
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return "allowed are true and false" if number else None
    if isinstance(value, bool):
        return "true and false are not allowed" if kind is not None else None
    if kind in ("number", "integer") and isinstance(value, int | float | str):
        return None if _is_finite(value) else "a finite number is expected"
    return None


def _is_finite(value: float | str) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return True  # no number at all, as pydantic will say
    except OverflowError:
        return False
