"""Where the command ``llm-eval`` takes its settings from: its options, and pytest's own sources."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..option import Option, short_flag
from ..settings import OPTIONS, Settings
from .pytest_ini import read_ini

if TYPE_CHECKING:
    from ..additions import Addition

F = TypeVar("F", bound=Callable[..., Any])


def setting_options(*names: str) -> Callable[[F], F]:
    """The settings ``names`` as options of a command, under their short and their full names."""

    def added(command: F) -> F:
        for option in reversed([each for each in OPTIONS if each.name in names]):
            several = option.several
            command = click.option(
                short_flag(option.name),
                option.flag,
                option.name,
                metavar=option.metavar or "|".join(option.choices),
                multiple=several,
                help=option.help + (" (repeatable)" if several else ""),
            )(command)
        return command

    return added


@dataclass(frozen=True, slots=True)
class Found:
    """The settings, where each of those that are set was found, and what plugins add."""

    settings: Settings
    origins: Mapping[str, str]
    additions: tuple[Addition, ...] = ()


def read_settings(given: Mapping[str, Any], additions: bool = False) -> Found:
    """The settings that pytest would run with here, with those ``given`` to the command.

    With ``additions`` also the metrics and rubrics that plugins and the root's conftest add.

    Raises ``UsageError`` as ``Settings.read`` does, and where pytest cannot read its own.
    """
    ini = read_ini(additions)

    def command_line(option: Option) -> Any:
        typed, added = given.get(option.name), ini.addopts.get(option.name)
        if option.several:
            return [*(added or ()), *(typed or ())] or None
        return added if typed is None else typed

    def origin(option: Option) -> str | None:
        places = {
            "the command line": given.get(option.name),
            "pytest's addopts": ini.addopts.get(option.name),
            option.variable: os.environ.get(option.variable),
            f"{ini.path}": ini.values.get(option.name),
        }
        return " and ".join(name for name, value in places.items() if value not in (None, "", ()))

    settings = Settings.read(
        command_line=command_line,
        ini=lambda option: ini.values.get(option.name),
        here=Path.cwd(),
        ini_folder=ini.root,
    )
    origins = {option.name: where for option in OPTIONS if (where := origin(option))}
    return Found(settings, origins, ini.additions)
