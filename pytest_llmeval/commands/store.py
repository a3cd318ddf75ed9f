"""The commands ``llm-eval store …``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
from ..judges.inventory import inventory, prune
from ..judges.store import Store
from ..judges.transfer import exported, import_lines
from ..reports.loaded import load_run
from ..text.shown import shown
from .settings import read_settings, setting_options
from .writing import telling, write_outputs

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


@click.group()
def store() -> None:
    """Look at the store of replies, prune it, move entries in and out."""


@contextmanager
def _opened(given: dict[str, Any]) -> Iterator[Store]:
    """The store that is set; a trouble with it is an error as soon as it is left."""
    kept = Store(read_settings(given).settings.store)
    try:
        yield kept
    finally:
        kept.close()
        for note in kept.notes:
            click.echo(f"warning: {note}", err=True)
    if kept.trouble is not None:
        raise UsageError(kept.trouble)


def _age(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    if not (match := re.fullmatch(r"(\d+)([smhdw])", text.strip())):
        raise click.BadParameter(f"expected a number and one of s, m, h, d, w; got {text!r}")
    return float(match[1]) * _UNITS[match[2]]


def _count(number: int) -> str:
    return "1 entry" if number == 1 else f"{number} entries"


@store.command()
@setting_options("store")
def info(**given: Any) -> None:
    """Say what the store holds."""
    with _opened(given) as kept:
        held = inventory(kept)
    click.echo(f"folder   {held.folder}")
    click.echo(f"entries  {held.entries}")
    click.echo(f"size     {held.size / 1e6:.2f} MB")
    for name, moment in (("oldest", held.oldest), ("newest", held.newest)):
        when = "unknown" if moment is None else f"{datetime.fromtimestamp(moment, UTC):%F %T} UTC"
        click.echo(f"{name:<8} {when}")
    for (judge, task), count in held.groups.items():
        click.echo(f"{count:>8} {shown(task)}, {shown(judge)}")


@store.command(name="prune")
@setting_options("store")
@click.option(
    "--older-than",
    metavar="AGE",
    callback=_age,
    help="entries heard longer ago than that (30d; s, m, h, d, w); never those of unknown age",
)
@click.option(
    "--unused-by",
    metavar="RUN_FILE",
    multiple=True,
    help="entries behind no record of this run file, nor of others given (repeatable)",
)
@click.option("--dry-run", is_flag=True, help="remove nothing, say what would go")
def prune_command(
    older_than: float | None, unused_by: tuple[str, ...], dry_run: bool, **given: Any
) -> None:
    """Remove entries that are old, or that runs did not use; with both, those that are both."""
    if older_than is None and not unused_by:
        raise click.UsageError("give --older-than, --unused-by, or both")
    used = _used(unused_by) if unused_by else None
    with _opened(given) as kept:
        before = len(kept)
        gone = prune(kept, older_than, used, dry_run)
    if dry_run:
        for key in gone:
            click.echo(key)
    left = before - len(gone)
    click.echo(f"{_count(len(gone))} {'would go' if dry_run else 'removed'}, {left} left")


def _used(run_files: tuple[str, ...]) -> set[str]:
    """The keys behind the records of ``run_files``.

    Raises ``UsageError`` for a run that was cut short: what it did not come to would go.
    """
    used: set[str] = set()
    for path in run_files:
        run = load_run(path)
        extent = run.extent
        if extent.stopped is not None or extent.collection_errors or extent.ran < extent.due:
            raise UsageError(
                f"{path}: this run was cut short ({extent.ran} of {extent.due} tests ran), and "
                "can't tell what is unused; give the file of a whole run"
            )
        if extent.elsewhere:
            raise UsageError(
                f"{path}: this is shard {extent.shard}, and can't tell what is unused; give what "
                "llm-eval merge makes of all shards"
            )
        if extent.deselected:
            told = f"{extent.deselected} tests were deselected: what only they use counts as unused"
            click.echo(f"warning: {path}: {told}", err=True)
        used.update(key for record in run.records for key in record.keys)
    return used


@store.command()
@setting_options("store")
@click.argument("file")
def export(file: str, **given: Any) -> None:
    """Write the entries to FILE (- is the standard output) as JSONL, sorted by key."""
    with _opened(given) as kept:
        lines = [*exported(kept)]
        left_out = len(kept) - len(lines)
    text = "".join(lines)
    if file == "-":
        click.echo(text.encode(), nl=False)
    else:
        write_outputs((file, text), read=kept.folder.glob("v*/*"))
    click.echo(f"{_count(len(lines))} exported", err=True)
    if left_out:
        told = f"{_count(left_out)} left out: not under the key of what they hold; record anew"
        click.echo(f"warning: {told}", err=True)


@store.command(name="import")
@setting_options("store")
@click.argument("file")
def import_command(file: str, **given: Any) -> None:
    """Take in the entries of FILE (- is the standard input), as export writes them."""
    name = "<stdin>" if file == "-" else file
    with telling():
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{name}:{line}: {error}") from None
    with _opened(given) as kept:
        done = import_lines(kept, text.split("\n"), name)
    click.echo(f"{done.new} new, {done.equal} equal, {done.replaced} replaced")
