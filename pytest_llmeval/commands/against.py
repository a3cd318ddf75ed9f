"""A run of a file held against a baseline, as pytest does with a run of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from ..baselines.compared import Compared, compared
from ..baselines.file import read_baseline
from ..baselines.gate import NAME
from ..baselines.standing import Roll
from ..baselines.tolerance import tolerances
from ..errors import UsageError
from ..extended import metrics_of
from ..gates.gate import GateResult, GateState
from ..option import Option, short_flag
from ..reports.comparison import BaselineComparison
from ..reports.merged import AGAINST, Part, merged
from ..reports.run import Run
from ..reports.run_made import plain_value
from ..settings import OPTIONS, Settings
from .pytest_ini import PytestIni, read_ini


def merged_and_held(
    parts: Sequence[Part], allow_missing: bool, options: Mapping[str, Any]
) -> tuple[Run, Path | None]:
    """The run that ``parts`` are together, held against the baseline that they were set.

    ``options`` are ``AGAINST`` as a command takes them: what is given there goes before the
    settings of the parts. With the path of the baseline, None without one. Raises ``UsageError`` as
    ``merged`` does, and for options that would do nothing.
    """
    given = _given(options)
    if not given.get("baseline") and not any(run.settings.get("baseline") for _, run in parts):
        if given:
            idle = ", ".join(map(short_flag, given))
            raise UsageError(
                f"{idle}: no baseline is set, so that nothing would come of it: give "
                "--baseline FILE, too"
            )
        return merged(parts, allow_missing), None
    ini = read_ini(additions=True)
    run = merged(parts, allow_missing, _as_kept(given, ini.root))
    for told in _unheard(run, given, ini.root):
        click.echo(f"warning: {told}", err=True)
    if (set_to := _settings_of(run, ini.root).baseline) is None:
        return run, None
    path = _from_here(set_to)
    return _held_against(run, path, ini), path


def compared_with(run: Run, path: Path, options: Mapping[str, Any]) -> Compared:
    """``run`` beside the baseline at ``path``.

    What breaks its gate is as ``options`` say (``AGAINST`` as a command takes them), else as the
    run was set.
    """
    ini = read_ini(additions=True)
    chosen = {**run.settings, **_as_kept(_given(options), ini.root)}
    return _compared(run.model_copy(update={"settings": chosen}), path, ini)


def _from_here(path: Path) -> Path:
    return Path(os.path.relpath(path))


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value not in (None, ())}


def _as_kept(given: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """What was ``given`` to a command, as a run file holds settings."""

    def typed(option: Option) -> Any:
        value = given.get(option.name)
        return [*value] if isinstance(value, tuple) else value

    settings = Settings.read(typed, {}, here=Path.cwd())
    return {name: plain_value(getattr(settings, name), root) for name in given}


def _unheard(run: Run, given: Mapping[str, Any], root: Path) -> Iterator[str]:
    """What the environment sets here alone, where it has no effect on a merge."""
    ours = {option.variable: option.name for option in OPTIONS if option.name in AGAINST}
    here = {name: text for name, text in os.environ.items() if name in ours and text.strip()}
    settings = Settings.read(environment=here, here=Path.cwd())
    for variable, name in ours.items():
        value, kept = plain_value(getattr(settings, name), root), run.settings.get(name)
        if variable in here and name not in given and value != kept:
            told = f"{variable} is {value!r} here, and {kept!r} in the runs, which counts"
            yield f"{told}; or give {short_flag(name)}"


def _settings_of(run: Run, root: Path) -> Settings:
    """What ``run`` was set that decides on a baseline, whatever is set here."""
    kept = {name: run.settings.get(name) for name in (*AGAINST, "metrics")}
    return Settings.read(lambda option: kept.get(option.name), {}, here=root)


def _compared(run: Run, path: Path, ini: PytestIni) -> Compared:
    settings = _settings_of(run, ini.root)
    metrics = metrics_of(settings, ini.additions)
    knew = settings.baseline is not None and _from_here(settings.baseline) == _from_here(path)
    return compared(
        f"{path}",
        read_baseline(path),
        run.records,
        roll_of(run, knew),
        settings.fail_on,
        tolerances(settings.tolerance, metrics),
        metrics,
    )


def _held_against(run: Run, path: Path, ini: PytestIni) -> Run:
    """``run`` with the comparison, and with the gate of the baseline among its gates.

    Where there is no such file the gate is not decided, and there is no comparison.
    """
    if not path.exists():
        says = f"there is no {path} here; give --baseline FILE"
        return _with_gate(run, GateResult(NAME, GateState.NOT_DECIDED, says, "missing"))
    made = _compared(run, path, ini)
    held = run.model_copy(update={"comparison": BaselineComparison.of(made)})
    return held if made.gate is None else _with_gate(held, made.gate)


def _with_gate(run: Run, gate: GateResult) -> Run:
    failed = gate.fails(bool(os.environ.get("CI"))) and run.exit_status == 0
    update = {"gates": (*run.gates, gate), "exit_status": 1 if failed else run.exit_status}
    return run.model_copy(update=update)


def roll_of(run: Run, knew: bool = False) -> Roll:
    """What a run file tells of its tests, and whether that was all there is.

    A run that ``knew`` the baseline has a row for each test of it that is there. Of one that did
    not, and is not complete, nobody knows whether a test is gone, or was not run.
    """
    tests = {row.nodeid: row for row in run.tests}
    extent = run.extent
    told = knew and not (extent.named or extent.collection_errors)
    unsure = not (extent.complete or told)
    return Roll(tests, frozenset(), partial=unsure, exists=lambda file: unsure)
