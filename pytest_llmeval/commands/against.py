"""A run of a file held against a baseline, as pytest does with a run of its own."""

from __future__ import annotations

from pathlib import Path

from ..extended import metrics_of
from ..gates.baseline_file import read_baseline
from ..gates.baseline_gate import NAME
from ..gates.compared import Compared, compared
from ..gates.gate import GateResult, GateState
from ..gates.standing import Roll
from ..gates.tolerance import tolerances
from ..reports.comparison import BaselineComparison
from ..reports.run import Run
from .settings import read_settings


def compared_with(run: Run, path: Path) -> Compared:
    """``run`` beside the baseline at ``path``; what breaks its gate is set as for pytest here."""
    rows = read_baseline(path)
    found = read_settings({}, additions=True)
    settings = found.settings
    metrics = metrics_of(settings, found.additions)
    tolerance = tolerances(settings.tolerance, metrics)
    return compared(
        f"{path}", rows, run.records, roll_of(run), settings.fail_on, tolerance, metrics
    )


def held_against(run: Run, path: Path) -> Run:
    """``run`` with the comparison, and with the gate of the baseline among its gates.

    Where there is no such file the gate is not decided, and there is no comparison.
    """
    if not path.exists():
        says = f"there is no {path} here; give --baseline FILE"
        return _with_gate(run, GateResult(NAME, GateState.NOT_DECIDED, says, "missing"))
    made = compared_with(run, path)
    held = run.model_copy(update={"comparison": BaselineComparison.of(made)})
    return held if made.gate is None else _with_gate(held, made.gate)


def _with_gate(run: Run, gate: GateResult) -> Run:
    failed = gate.fails(in_ci=True) and run.exit_status == 0
    update = {"gates": (*run.gates, gate), "exit_status": 1 if failed else run.exit_status}
    return run.model_copy(update=update)


def roll_of(run: Run) -> Roll:
    """What a run file tells of its tests, and whether that was all there is."""
    tests = {row.nodeid: row for row in run.tests}
    whole = run.extent.complete  # else nobody knows whether a test is gone, or was not run
    return Roll(tests, frozenset(), partial=not whole, exists=lambda file: not whole)
