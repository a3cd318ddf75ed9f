"""What a gate comes to: one rule over many results, held, broken or not decided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from .rule import Rule

Reason = Literal["", "missing", "selection", "shard"]
"""Why a gate is not decided: results are missing, by the user's own selection and nothing else, or
in other shards; empty where it is decided."""


class GateState(StrEnum):
    """What a gate came to."""

    HELD = "held"
    BROKEN = "broken"
    NOT_DECIDED = "not decided"


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate at the end of a run. ``name`` is as the user wrote it, ``says`` tells why.

    ``rule`` is what is decided anew where runs are merged, None for gates that are no such rule.
    """

    name: str
    state: GateState
    says: str
    reason: Reason = ""
    rule: Rule | None = None

    def fails(self, in_ci: bool) -> bool:
        """Whether the run is to fail for it: not for what the user left out, outside a CI."""
        if self.state is GateState.NOT_DECIDED:
            return self.reason == "missing" or (self.reason == "selection" and in_ci)
        return self.state is GateState.BROKEN
