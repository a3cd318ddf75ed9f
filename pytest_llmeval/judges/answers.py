"""Typed answers: the values that a reply may hold, under the same rules wherever they stand."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ..errors import UsageError
from ..text.encodable import encodable
from .schema import FREE_TEXT

NO_REASON = "no reason given"

_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_LISTED = 11
"""Integer scales of up to so many values are spelt out, longer ones told by their ends."""


@dataclass(frozen=True, slots=True)
class Between:
    """The numbers from ``lowest`` to ``highest``; made by ``integer_between`` and its sister."""

    lowest: float
    highest: float
    whole: bool

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        kind = "integer" if self.whole else "number"
        if self._values:
            return {"type": kind, "enum": list(self._values)}
        return {"type": kind, "minimum": self.lowest, "maximum": self.highest}

    @property
    def _values(self) -> range:
        if not self.whole or self.highest - self.lowest >= _LISTED:
            return range(0)
        return range(int(self.lowest), int(self.highest) + 1)

    def _read(self, value: object) -> int | float:
        number = _number(value)
        if number is None or not self.lowest <= number <= self.highest:
            raise self._refusal()
        if not self.whole:
            return float(number)
        if number != int(number):
            raise self._refusal()
        return int(number)

    def _refusal(self) -> PydanticCustomError:
        kind = "whole numbers" if self.whole else "numbers"
        allowed = ", ".join(map(str, self._values))
        allowed = allowed or f"{kind} from {self.lowest:g} to {self.highest:g}"
        return PydanticCustomError("off_scale", "allowed are {allowed}", {"allowed": allowed})


def _number(value: object) -> int | float | None:
    """``value`` as a number, None where it is none: no flags, no fractions in words, no lists."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        return float(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return None


def integer_between(lowest: int, highest: int) -> Between:
    """What makes an integer field of a reply hold ``lowest`` to ``highest`` only.

    Used as ``Annotated[int, integer_between(0, 3)]``. Integers, floats without a fraction and
    plain decimal text (``"2"``, ``"2.0"``) are read; all else is refused and nothing is clamped.
    Raises ``UsageError`` unless ``lowest`` is below ``highest``.
    """
    return _between(lowest, highest, whole=True)


def number_between(lowest: float, highest: float) -> Between:
    """The same for a float field: ``Annotated[float, number_between(0, 1)]``."""
    return _between(lowest, highest, whole=False)


def _between(lowest: float, highest: float, whole: bool) -> Between:
    if not (math.isfinite(lowest) and math.isfinite(highest) and lowest < highest):
        raise UsageError(f"a scale from {lowest} to {highest}: expected two numbers, lowest first")
    return Between(lowest, highest, whole)


_MARKS = re.compile(r"[\s*_`'\"‘’“”‐‑-]+")


def _letters(word: str) -> str:
    return _MARKS.sub("", word.strip().removesuffix(".")).lower()


@dataclass(frozen=True, slots=True)
class Word:
    """The words of a ``Literal`` field in any writing; its one use is ``WORD``."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        allowed = [each for each in get_args(source) if isinstance(each, str)]
        letters = [_letters(each) for each in allowed]
        written = {
            key: each
            for key, each in zip(letters, allowed, strict=True)
            if letters.count(key) == 1 and key
        }

        def read(value: object) -> object:
            if not isinstance(value, str):
                return value
            plain = value.strip().removesuffix(".").rstrip().lower()
            return plain if plain in allowed else written.get(_letters(value), plain)

        return core_schema.no_info_before_validator_function(read, handler(source))


WORD = Word()
"""Lets a ``Literal`` field of lower-case words take them in whatever writing.

Used as ``Annotated[Literal["very low", "high"], WORD]``. Case, marks of emphasis and quotes, a full
stop at the end and what joins the parts make no difference: ``VeryLow``, ``very_low`` and
``**very low**.`` are ``very low``. Where two words differ in nothing else, they are told apart.
"""


def _reason(value: object) -> object:
    if value is None:
        return NO_REASON
    if not isinstance(value, str):
        return value
    text = encodable(value).strip()
    return text if "".join(filter(str.isprintable, text)).strip() else NO_REASON


_REASON = BeforeValidator(_reason)

Rating = Annotated[int, integer_between(1, 5)]
"""An integer from 1 to 5."""

YesNo = Annotated[Literal["yes", "no"], WORD]
"""``"yes"`` or ``"no"``."""


@dataclass(frozen=True, slots=True)
class Free:
    """Says in a schema that a text decides nothing; its one use is ``FreeText``."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), FREE_TEXT: True}


FreeText = Annotated[str, Free()]
"""Text on which nothing hangs but what people read: explanations, quotes. Redaction may change it.

Text that a verdict or a later question is made of (ids, names, an answer) is plain ``str``.
"""

Reason = Annotated[FreeText, _REASON]
"""Free text that explains; where there is none, or a blank one, it says so."""


def reasons(verdict: BaseModel) -> list[str]:
    """The reasons that ``verdict`` gives, apart from those within its lists."""
    fields = type(verdict).model_fields.items()
    return [getattr(verdict, name) for name, field in fields if _REASON in field.metadata]


class Reply(BaseModel):
    """What a valid answer looks like; its fields in the order in which the judge gives them.

    Fields that it does not name are dropped, a ``Reason`` that is missing is filled in, NaN and
    the infinities are refused everywhere.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _reasons_filled(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        reasons = [name for name, field in cls.model_fields.items() if _REASON in field.metadata]
        return {**dict.fromkeys(reasons), **values}
