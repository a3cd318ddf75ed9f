"""What answering took: seconds and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from .piece import Piece

if TYPE_CHECKING:
    from .traces.trace import Trace


class Measured(Piece):
    """What answering took: seconds end to end, and tokens where they are known."""

    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False, strict=True)
    input_tokens: int | None = Field(default=None, ge=0, lt=2**63, strict=True)
    output_tokens: int | None = Field(default=None, ge=0, lt=2**63, strict=True)

    def without(self, told: Trace) -> Measured | None:
        """What is left where the figures that ``told`` has just so are taken back; None if none."""
        kept = {
            name: value
            for name in type(self).model_fields
            if (value := getattr(self, name)) is not None and value != getattr(told, name)
        }
        return Measured(**kept) if kept else None
