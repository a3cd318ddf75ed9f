"""The gates that a run file tells, held against its settings, its records and its comparison."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

from .. import __version__
from ..baselines.gate import NAME as BASELINE
from ..gates.expression import named, suite_called
from ..gates.gate import GateResult, GateState
from ..gates.rule import Rule, statistic_in
from ..scales import SEVERITY
from .comparison import BaselineComparison, MetricComparison
from .decided import gates_of
from .run import Run


def of_gates(run: Run) -> Iterator[str]:
    """Where a gate is not what was set, or did not come to what is told.

    What a gate says is held against the same version's words alone: another may put it otherwise.
    """
    told = [gate for gate in run.gates if gate.name != BASELINE]
    yield from _of_settings(run, told)
    for gate in told:
        if gate.rule is not None and (fault := fault_of_rule(gate.name, gate.rule)):
            yield f"gates ({gate.name}): {fault}"
    found = gates_of(run)
    if [gate.name for gate in told] != [gate.name for gate in found]:
        yield f"gates: there are {_names(told)}, and by settings and tests {_names(found)}"
        return
    for mine, theirs in zip(told, found, strict=True):
        if (mine.state, mine.reason) != (theirs.state, theirs.reason):
            yield f"gates ({mine.name}): it is {_came(mine)}, and by the records {_came(theirs)}"
        elif mine.says != theirs.says and run.plugin_version == __version__:
            yield f"gates ({mine.name}): it says {mine.says!r}, and by the records {theirs.says!r}"


def of_comparison(run: Run) -> Iterator[str]:
    """Where the gate of the baseline is not that of the comparison, or this not of the records."""
    gates = [gate for gate in run.gates if gate.name == BASELINE]
    made = run.comparison
    if made is None:
        for gate in gates:
            if gate.state is not GateState.NOT_DECIDED:
                yield f"gates ({BASELINE}): it is {gate.state}, and there is no comparison"
        return
    told = [(str(gate.state), gate.says) for gate in gates]
    if told != ([] if made.gate is None else [(made.gate, made.says)]):
        came = told[0][0] if told else "not there"
        yield f"comparison: its gate is {made.gate}, and among the gates it is {came}"
    if made.fail_on != (set_to := run.settings.get("fail_on")):
        yield f"comparison: fail_on is {made.fail_on}, and by settings {set_to}"
    yield from _of_defects(run, made)
    for each in made.rows:
        stated, found = each.difference, _difference(each)
        if (stated is None) != (found is None) or not isclose(
            stated or 0, found or 0, abs_tol=1e-9
        ):
            yield f"comparison ({each.metric}): difference is {stated}, and by its values {found}"
    if made.gate == "held" and (worse := _worse(made)):
        yield f"comparison: its gate is held, and {worse}"
    failed = {
        (each.test, each.metric, each.score) for each in run.records if each.outcome == "failed"
    }
    for flip in made.flips:
        if (flip.test, flip.metric, flip.scores[1]) not in failed:
            yield f"comparison: {flip.test} flipped in {flip.metric}, and did not fail with that"


def _of_defects(run: Run, made: BaselineComparison) -> Iterator[str]:
    severities = {each.metric for each in run.records if each.scale == SEVERITY.name}
    for each in made.rows:
        if each.of_defects and not (each.outcomes and each.metric in severities):
            yield f"comparison ({each.metric}): of_defects is True, and no record is of severities"
        if each.blind and each.change == "regressed":
            yield f"comparison ({each.metric}): blind is True, and its change is {each.change}"


def _difference(each: MetricComparison) -> float | None:
    known = each.current is not None and each.baseline is not None
    return (each.current or 0) - (each.baseline or 0) if known else None


def _worse(made: BaselineComparison) -> str:
    """What breaks a gate whatever else there is; blank for nothing."""
    if made.fail_on == "any-flip" and made.flips:
        return f"{len(made.flips)} flipped"
    regressed = [each.metric for each in made.rows if each.change == "regressed"]
    return f"{regressed[0]} regressed" if made.fail_on == "regression" and regressed else ""


def _of_settings(run: Run, gates: list[GateResult]) -> Iterator[str]:
    lines = run.settings.get("gate") or []
    texts = {_joined(str(line)) for line in lines} if isinstance(lines, list) else set()
    if strange := texts ^ {_joined(gate.name) for gate in gates if gate.rule is not None}:
        yield f"gates: {min(strange)} is in one of gates and the settings, not in both"


def fault_of_rule(name: str, rule: Rule) -> str:
    """Where ``rule`` is not what its ``name`` says; blank where it is."""
    left, _, number = name.rpartition(f" {rule.relation} ")
    try:
        value = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        return f"its rule has the relation {rule.relation}"
    if rule.name != name:
        return f"its rule is called {rule.name}"
    if value != rule.value:
        return f"its rule holds it against {rule.value:g}"
    subject, written = (left, "mean") if rule.of == "aggregate" else named(left)
    statistic, k = statistic_in(written)
    if (statistic, k) != (rule.statistic, rule.k):
        return f"its rule is on the {rule.statistic}" + (f", k = {rule.k}" if rule.k else "")
    if rule.of == "suite":
        subject = suite_called(subject)
    if subject.partition("[")[0] != rule.subject.partition("[")[0]:
        return f"its rule is on {rule.subject}"
    ends = (rule.lowest, rule.highest)
    if statistic != "mean" and ends != (0, 1):
        return f"its rule has the ends {ends[0]} and {ends[1]}, and is on a rate"
    return ""


def _joined(text: str) -> str:
    """``text`` without its spaces, of which the name of a gate may have others."""
    return "".join(text.split())


def _names(gates: list[GateResult] | tuple[GateResult, ...]) -> str:
    return ", ".join(gate.name for gate in gates) or "none"


def _came(gate: GateResult) -> str:
    return f"{gate.state}" + (f" ({gate.reason})" if gate.reason else "")
