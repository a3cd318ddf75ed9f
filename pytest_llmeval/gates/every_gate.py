"""All the gates of a run, decided."""

from __future__ import annotations

from collections.abc import Iterable

from .attended import Attended
from .gate import GateResult, GateState
from .group import NamedGroup
from .group_gate import decide_groups
from .rule import Rule
from .rule_gate import decide_rule


def decide_all(
    rules: Iterable[Rule], groups: Iterable[NamedGroup], attended: Attended
) -> list[GateResult]:
    """What ``rules`` and groups come to; ``groups`` are those that settings name."""
    return [*(decide_rule(rule, attended) for rule in rules), *decide_groups(attended, groups)]


def left_to_merge(gate: GateResult) -> GateResult:
    """``gate`` in a shard, which sees a part of the results only."""
    return GateResult(
        gate.name, GateState.NOT_DECIDED, "left to llm-eval merge", "shard", gate.rule
    )
