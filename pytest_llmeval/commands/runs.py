"""The commands about run files: ``llm-eval export``, ``merge`` and ``markdown``."""

from __future__ import annotations

from typing import Any

import click

from ..errors import UsageError
from ..reports.ended import ending
from ..reports.exported import FORMATS, exported
from ..reports.loaded import load_run
from ..reports.markdown import markdown
from ..reports.merged import AGAINST, ledger_of
from ..reports.terminal import summary
from ..text.plural import many
from ..text.shown import printable
from .against import merged_and_held
from .settings import setting_options
from .writing import write_outputs


@click.command()
@click.argument("run_file", metavar="RUN.JSON")
@click.option("--format", "form", type=click.Choice(FORMATS), required=True)
@click.option("--output", metavar="FILE", help="where to write, if not to the standard output")
def export(run_file: str, form: str, output: str | None) -> None:
    """Write the run as rows of cases, in the columns of another tool.

    databricks: a JSON object a line; csv and parquet: the same columns; azure: one document.
    """
    if form == "parquet" and output is None:
        raise UsageError("parquet is no text for a terminal: give --output FILE")
    made = exported(load_run(run_file), form)
    if output is None:
        click.echo(made if isinstance(made, bytes) else made.encode(), nl=False)
    else:
        write_outputs((output, made), read=[run_file])


@click.command()
@click.argument("run_files", metavar="RUN.JSON...", nargs=-1, required=True)
@click.option("--output", metavar="FILE", required=True, help="where to write the merged run")
@click.option("--markdown", "page", metavar="FILE", help="where to write its summary in Markdown")
@setting_options(*AGAINST)
@click.option("--allow-missing", is_flag=True, help="merge though shards of the matrix are missing")
def merge(
    run_files: tuple[str, ...],
    output: str,
    page: str | None,
    allow_missing: bool,
    **given: Any,
) -> None:
    """Join the runs of a suite's shards into one, and print its summary.

    Gates are decided here, that of the baseline too, as the shards were set or options say. Ends
    with status 1 where a shard failed, where a gate is broken or not decided, or where no test ran.
    """
    parts = [(path, load_run(path)) for path in run_files]
    run, baseline = merged_and_held(parts, allow_missing, given)
    read = [*run_files, *([] if baseline is None else [f"{baseline}"])]
    pages = [] if page is None else [(page, markdown(run))]
    write_outputs((output, run.text()), *pages, read=read)
    show_all = run.settings.get("show") == "all"
    for line in summary(ledger_of(run), show_all, run.gates, run.comparison):
        click.echo(printable(line))
    click.echo(f"merged {many(len(run_files), 'run')}: {ending(run)}")
    if not run.extent.complete:
        click.echo(f"warning: this is not the whole suite: {run.extent.missing}", err=True)
    if run.exit_status:
        raise click.exceptions.Exit(1)


@click.command("markdown")
@click.argument("run_file", metavar="RUN.JSON")
@click.option("--output", metavar="FILE", help="where to write, if not to the standard output")
def markdown_command(run_file: str, output: str | None) -> None:
    """Write the summary of the run in Markdown, fit for a comment on a pull request."""
    page = markdown(load_run(run_file))
    if output is None:
        click.echo(page.encode(), nl=False)
    else:
        write_outputs((output, page), read=[run_file])
