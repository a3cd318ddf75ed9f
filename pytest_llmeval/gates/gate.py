"""What a gate comes to: one rule over many results, held, broken or not decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class GateState(StrEnum):
    """What a gate came to."""

    HELD = "held"
    BROKEN = "broken"
    NOT_DECIDED = "not decided"


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate at the end of a run. ``name`` is as the user wrote it, ``says`` tells why."""

    name: str
    state: GateState
    says: str
