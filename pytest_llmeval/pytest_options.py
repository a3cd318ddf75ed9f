"""The options as pytest knows them: added to its parser, and read from its config."""

from __future__ import annotations

from typing import Any

import pytest

from .option import Option
from .settings import OPTIONS, Settings


def add_options(parser: pytest.Parser) -> None:
    """Add every option, to the command line and to the ini."""
    group = parser.getgroup("llm_eval", "LLM evaluation")
    ini_types = {"switch": "bool", "integer": "int", "number": "float"}
    for option in OPTIONS:
        ini_type = "linelist" if option.several else ini_types.get(option.kind, "string")
        parser.addini(option.ini, option.help, ini_type, default=None)  # type: ignore[arg-type]
        if option.kind == "switch":
            group.addoption(
                option.flag, dest=option.ini, action="store_true", default=None, help=option.help
            )
        else:
            group.addoption(
                option.flag,
                dest=option.ini,
                action="append" if option.several else "store",
                metavar=option.metavar or "|".join(option.choices),
                default=None,
                help=option.help + (" (repeatable)" if option.several else ""),
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


def _raw_ini(config: pytest.Config, name: str) -> Any:
    """What stands in the ini for ``name``, which pytest could not read as the type it has.

    Our own reading passes over what is blank, and tells what can't be in the same words
    wherever it was set.
    """
    values = config._inicfg if hasattr(config, "_inicfg") else config.inicfg
    given = values[name]
    return getattr(given, "value", given)
