"""The command ``llm-eval baseline``: a baseline made of a run file, or a run held against one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..baselines.compared import Compared
from ..baselines.file import baseline_text, read_baseline
from ..baselines.renewed import counted, renewed, told
from ..errors import UsageError
from ..gates.gate import GateResult, GateState
from ..reports.comparison import BaselineComparison
from ..reports.loaded import load_run
from ..reports.merged import ledger_of
from ..reports.run import Run
from ..reports.terminal import summary
from ..text.shown import printable
from .against import compared_with, roll_of
from .settings import setting_options
from .writing import write_outputs


@click.command("baseline")
@click.argument("run_file", metavar="RUN.JSON")
@click.option("--output", metavar="FILE", help="where to write the run as a baseline")
@click.option("--against", metavar="FILE", help="the baseline to hold the run against")
@setting_options("fail_on", "tolerance")
def baseline_command(run_file: str, output: str | None, against: str | None, **given: Any) -> None:
    """Make a baseline of a run, or hold the run against one; a merged run of shards, too.

    Held against one, its summary is printed; what breaks the gate is as the run was set, or as
    options say. Ends with status 1 where the gate does not hold. With both a file and one to hold
    against the run is compared, then written.
    """
    if output is None and against is None:
        raise UsageError("baseline needs --output FILE, to write one, or --against FILE, or both")
    run = load_run(run_file)
    made = None if against is None else compared_with(run, Path(against), given)
    if output is not None:
        _write(run, run_file, output)
    if made is None:
        return
    comparison, show_all = BaselineComparison.of(made), run.settings.get("show") == "all"
    for line in summary(ledger_of(run), show_all, _gates(made), comparison):
        click.echo(printable(line))
    if made.gate is not None and made.gate.state is not GateState.HELD:
        raise click.exceptions.Exit(1)


def _gates(made: Compared) -> list[GateResult]:
    return [made.gate] if made.gate is not None else []


def _write(run: Run, name: str, output: str) -> None:
    path, extent = Path(output), run.extent
    if not extent.complete:
        raise UsageError(
            f"{name}: a baseline is made of a whole run, and of {extent.collected} tests "
            f"{extent.ran} ran; run or merge all of it"
        )
    former = read_baseline(path) if path.exists() else []
    roll = roll_of(run)
    made = renewed(former, run.records, roll)
    if not made.made:
        raise UsageError(f"{name}: no check of it came to a verdict")
    write_outputs((output, baseline_text(made.rows)), read=[name])
    click.echo(f"baseline {path} was written: {counted(made.rows)}", err=True)
    for line in told(made, run.records, roll, "regression"):
        click.echo(line, err=True)
