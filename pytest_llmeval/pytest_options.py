"""The options as pytest knows them: added to its parser, and read from its config."""

from __future__ import annotations

import os
from typing import Any

import pytest

from .errors import UsageError
from .option import Option
from .settings import OPTIONS, Settings


def add_options(parser: pytest.Parser) -> None:
    """Add every option, to the command line and to the ini."""
    group = parser.getgroup("llm_eval", "LLM evaluation")
    ini_types = {"switch": "bool", "integer": "int", "number": "float"}
    for option in OPTIONS:
        told = option.help.replace("%", "%%")  # argparse puts values in
        ini_type = "linelist" if option.several else ini_types.get(option.kind, "string")
        parser.addini(option.ini, option.help, ini_type, default=None)  # type: ignore[arg-type]
        if option.kind == "switch":
            group.addoption(
                option.flag, dest=option.ini, action="store_true", default=None, help=told
            )
        else:
            group.addoption(
                option.flag,
                dest=option.ini,
                action="append" if option.several else "store",
                metavar=option.metavar or "|".join(option.choices),
                default=None,
                help=told + (" (repeatable)" if option.several else ""),
            )


def settings_of(config: pytest.Config) -> Settings:
    """The settings of this run of pytest. Raises ``UsageError`` naming what can't be."""

    def ini(option: Option) -> Any:
        try:
            return config.getini(option.ini)
        except (pytest.UsageError, ValueError, TypeError):
            return _raw_ini(config, option.ini)

    def command_line(option: Option) -> Any:
        return config.getoption(option.ini)

    return Settings.read(
        command_line=command_line,
        ini=ini,
        here=config.invocation_params.dir,
        ini_folder=config.rootpath,
    )


_LOOKS = (
    *("collectonly", "setuponly", "setupplan", "showfixtures", "show_fixtures_per_test"),
    *("cacheshow", "help", "markers", "version"),
)
"""Options of pytest that have it show something, and run no test."""


def runs_tests(config: pytest.Config) -> bool:
    """Whether this run of pytest is one of tests, and not a look at what there is."""
    return not any(config.getoption(name, None) for name in _LOOKS)


def refuse_idle_options(config: pytest.Config) -> None:
    """Refuse what was written on the command line of a run with evals off, where it does nothing.

    What stands in ``addopts``, the ini or the environment holds for plain runs as well, and is no
    fault; nor is anything where the environment's switch says expressly that evals are off. Raises
    ``UsageError`` naming the options and the switch.
    """
    switch = OPTIONS[0]
    if os.environ.get(switch.variable, "").strip():
        return
    if idle := [each.flag for each in written_options(config) if not each.by_itself]:
        raise UsageError(
            f"{', '.join(idle)}: evals are off, so that nothing would come of it: give "
            f"{switch.flag}, too (or {switch.variable}=1, or {switch.ini} = true in the ini)"
        )


def refuse_idle_tolerance(config: pytest.Config) -> None:
    """Refuse what was written on the command line of a run without a baseline, and is of one alone.

    As above, what stands elsewhere holds for other runs as well. Raises ``UsageError``.
    """
    of_baselines = ("fail_on", "tolerance")
    if idle := [each.flag for each in written_options(config) if each.name in of_baselines]:
        raise UsageError(
            f"{', '.join(idle)}: no baseline is set, so that nothing would come of it: give "
            "--llm-eval-baseline=FILE, too (or llm_eval_baseline in the ini)"
        )


def written_options(config: pytest.Config) -> list[Option]:
    """The options that were written on the command line itself; in a worker of xdist none is."""
    if hasattr(config, "workerinput"):
        return []
    names = {str(arg).partition("=")[0] for arg in config.invocation_params.args}
    return [option for option in OPTIONS if option.flag in names]


def _raw_ini(config: pytest.Config, name: str) -> Any:
    """What stands in the ini for ``name``, which pytest could not read as the type it has.

    Our own reading passes over what is blank, and tells what can't be in the same words
    wherever it was set.
    """
    values = config._inicfg if hasattr(config, "_inicfg") else config.inicfg
    given = values[name]
    return getattr(given, "value", given)
