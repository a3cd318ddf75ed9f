"""Gates as people read them: a line each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..gates.gate import GateResult, GateState

_LONG = 72
"""Beyond it a name is not padded for; no key of an aggregate is as long."""


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


def short_names(gates: Sequence[GateResult]) -> list[str]:
    """The names of ``gates`` as the head of a line has room for them.

    That of a group is without its rate and the path, and from the last part on that tells it from
    all others.
    """
    heads = [_head(gate) for gate in gates]
    return [
        next((end for end in _ends(head) if _is_of_one(end, heads)), gate.name)
        for gate, head in zip(gates, heads, strict=True)
    ]


def _head(gate: GateResult) -> str:
    """The name without the rate of a group."""
    return gate.name if gate.rule is not None else re.sub(r" min_pass_rate=\S+$", "", gate.name)


def _ends(head: str) -> Iterable[str]:
    """The ends of a node id from the shortest on; of other names there is one."""
    parts = re.split(r"(?<=::)|(?<=/)", head) if "::" in head or head.endswith(".py") else [head]
    return ("".join(parts[place:]) for place in reversed(range(len(parts))))


def _is_of_one(end: str, heads: Iterable[str]) -> bool:
    return sum(end in _ends(head) for head in heads) == 1
