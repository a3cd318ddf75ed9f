"""Gates as people read them: a line each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..gates.gate import GateResult, GateState

_LONG = 50


def gate_lines(gates: Sequence[GateResult]) -> Iterable[str]:
    """A line for each of ``gates``, in columns unless a name is long."""
    width = max((len(gate.name) for gate in gates if len(gate.name) <= _LONG), default=0)
    for gate in gates:
        yield f"gate {gate.name:<{width}}   {decision_of(gate)}"


def failing_lines(gates: Sequence[GateResult], in_ci: bool) -> Iterable[str]:
    """The lines among those of ``gates`` that tell of one that fails the run."""
    for gate, line in zip(gates, gate_lines(gates), strict=True):
        if gate.fails(in_ci):
            yield line


def decision_of(gate: GateResult) -> str:
    """What became of ``gate``, with its figures, and where it was left to a merge, that."""
    if gate.reason == "shard":
        return gate.says
    return f"{word_of(gate)}: {gate.says}" if gate.says else word_of(gate)


def word_of(gate: GateResult) -> str:
    """What ``gate`` came to, in capitals where it is broken."""
    return "BROKEN" if gate.state is GateState.BROKEN else str(gate.state)
