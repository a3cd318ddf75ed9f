"""How a run ended, by all that its file tells of it."""

from __future__ import annotations

from ..text.plural import many
from .run import Run


def status_of(run: Run) -> int:
    """pytest's exit status of ``run``, and 1 where that is 0 though a test or a gate failed.

    So it is where another plugin had the run pass, or where somebody edited the file.
    """
    return 1 if run.exit_status == 0 and has_failed(run) else run.exit_status


def has_failed(run: Run) -> bool:
    """Whether a test failed or got no verdict, or a gate failed; not for what the user left out."""
    failed = any(row.state in ("failed", "error") for row in run.tests)
    return failed or any(gate.fails(in_ci=False) for gate in run.gates)


def ending(run: Run) -> str:
    """How much ran and how that ended, in words."""
    states = [row.state for row in run.tests]
    told = [f"{run.extent.ran} of {run.extent.collected} tests ran"]
    failed, errors = states.count("failed"), states.count("error")
    told += [f"{failed} failed"] if failed else []
    told += [many(errors, "error")] if errors else []
    if run.exit_status and not has_failed(run):
        told.append(f"exit status {run.exit_status}")
    return ", ".join(told)
