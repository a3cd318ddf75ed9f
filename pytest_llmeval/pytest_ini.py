"""The settings that pytest would run with here, without running it: its ini and ``addopts``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .errors import UsageError
from .settings import OPTIONS


@dataclass(frozen=True, slots=True)
class PytestIni:
    """What of our options pytest finds: ``values`` in the ini, ``addopts`` as if typed after it.

    Both are by the option's name; what is not set is None. ``root`` is pytest's root folder,
    ``path`` the ini, None where there is none.
    """

    root: Path
    path: Path | None
    values: Mapping[str, Any]
    addopts: Mapping[str, Any]


class _Found(BaseException):
    """Ends pytest once it has read its settings; no plugin takes it for a fault of its own."""

    def __init__(self, ini: PytestIni) -> None:
        self.ini = ini


class _Reader:
    """A plugin for the first hook that sees ini and ``addopts`` together, before any conftest."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> None:
        given = early_config.known_args_namespace
        raise _Found(
            PytestIni(
                root=early_config.rootpath,
                path=early_config.inipath,
                values={option.name: early_config.getini(option.ini) for option in OPTIONS},
                addopts={option.name: getattr(given, option.ini) for option in OPTIONS},
            )
        )


def read_ini() -> PytestIni:
    """What pytest, started in the working folder, would read there, by pytest's own rules.

    Plugins are loaded as for any run, since an ini may be meant for them; no conftest and no test
    is. Raises ``UsageError`` where pytest refuses its ini (pytest has then said why) or cannot load
    a plugin.
    """
    options = ["-p", "llm_eval", "--capture=no", "--assert=plain"]
    try:
        pytest.main(options, plugins=[_Reader()])
    except _Found as found:
        return found.ini
    except Exception as error:
        raise UsageError(f"pytest cannot start here: {type(error).__name__}: {error}") from error
    raise UsageError("pytest cannot read its settings here, as it says above; mend them first")
