"""Gates as people read them: a line each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..gates.baseline_gate import NAME as BASELINE
from ..gates.gate import GateResult, GateState


def gate_lines(gates: Sequence[GateResult]) -> Iterable[str]:
    """A line for each of ``gates``, in columns."""
    width = max((len(gate.name) for gate in gates), default=0)
    for gate in gates:
        yield f"gate {gate.name:<{width}}   {decision_of(gate)}"


def decision_of(gate: GateResult) -> str:
    """What became of ``gate``, and unless it is held, why."""
    if gate.reason == "shard":
        return gate.says
    if gate.state is GateState.HELD:
        return f"held: {gate.says}" if gate.name == BASELINE and gate.says else "held"
    state = "BROKEN" if gate.state is GateState.BROKEN else str(gate.state)
    return f"{state}: {gate.says}"
