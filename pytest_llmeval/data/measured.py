"""What answering took: seconds and tokens."""

from __future__ import annotations

from pydantic import Field

from .piece import Piece


class Measured(Piece):
    """What answering took: seconds end to end, and tokens where they are known."""

    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False, strict=True)
    input_tokens: int | None = Field(default=None, ge=0, lt=2**63, strict=True)
    output_tokens: int | None = Field(default=None, ge=0, lt=2**63, strict=True)
