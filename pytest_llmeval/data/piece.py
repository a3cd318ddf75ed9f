"""What cases are made of: frozen models that refuse unknown names and wrong types in our words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import ErrorDetails

from ..errors import CaseError, CaseTypeError
from .aliases import closest


class Piece(BaseModel):
    """A frozen model that refuses unknown names and wrong types in our words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _refused_clearly(cls, value: Any, handler: Any) -> Self:
        try:
            made: Self = handler(value)
        except ValidationError as error:
            raise cls._refusal(error.errors(include_url=False)) from None
        return made

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with ``update`` in place of fields, under the rules that a new one is held to."""
        copied = super().model_copy(deep=deep)
        if not update:
            return copied
        fields = {name: getattr(copied, name) for name in copied.model_fields_set}
        return type(self).model_validate({**fields, **update})

    @classmethod
    def _refusal(cls, details: list[ErrorDetails]) -> CaseError:
        kind = cls.__name__
        detail = min(details, key=lambda each: each["type"] != "extra_forbidden")
        # A union tells which of its types it tried, too, as in tuple[str, ...].
        name = ".".join(str(part) for part in detail["loc"] if "[" not in str(part))
        if detail["type"] == "extra_forbidden":
            return CaseError(f"{kind} has no field {name!r}{closest(name, cls.model_fields)}")
        if detail["type"] == "missing":
            return CaseError(f"{kind} needs {name!r}")
        came = type(detail["input"]).__name__
        where = f"{kind}.{name}" if name else kind
        told = _lowered(detail["msg"]).replace("valid tuple", "valid list")
        return CaseTypeError(f"{where}: {told}, got {came}")


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
