"""The gates of runs in files, decided anew."""

from __future__ import annotations

from ..gates.attended import Attended
from ..gates.every_gate import decide_all, left_to_merge
from ..gates.gate import GateResult
from ..gates.group import groups_of
from .run import Run


def gates_on(attended: Attended, run: Run) -> tuple[GateResult, ...]:
    """What the gates that ``run`` was set come to on ``attended``, but for that of a baseline."""
    rules = [gate.rule for gate in run.gates if gate.rule is not None]
    lines = run.settings.get("group") or []
    named = groups_of(map(str, lines)) if isinstance(lines, list) else ()
    return tuple(decide_all(rules, named, attended))


def gates_of(run: Run) -> tuple[GateResult, ...]:
    """What the gates of ``run`` come to on what it holds; a shard leaves them to the merge."""
    extent = run.extent
    gates = gates_on(
        Attended(run.records, run.assessments, run.tests, extent.named, extent.collection_errors),
        run,
    )
    is_a_shard = extent.shard is not None and not run.merged_from
    return tuple(map(left_to_merge, gates)) if is_a_shard else gates
