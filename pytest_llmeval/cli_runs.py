"""The commands about run files: ``llm-eval export`` and ``llm-eval merge``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from .errors import UsageError
from .files import write_whole
from .reports.exported import FORMATS, exported
from .reports.run import load_run


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
        click.echo(made, nl=False)
    else:
        with _telling():
            write_whole(Path(output), made)


@contextmanager
def _telling() -> Iterator[None]:
    """A file that cannot be written is an error like any other."""
    try:
        yield
    except OSError as error:
        raise UsageError(str(error)) from None
