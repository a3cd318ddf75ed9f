"""The settings that pytest would run with here, without running it: its ini and ``addopts``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..errors import EvalError, UsageError
from ..settings import OPTIONS

if TYPE_CHECKING:
    from ..additions import Addition


@dataclass(frozen=True, slots=True)
class PytestIni:
    """What of our options pytest finds: ``values`` in the ini, ``addopts`` as if typed after it.

    Both are by the option's name; what is not set is None. ``root`` is pytest's root folder,
    ``path`` the ini, None where there is none. ``additions`` are what plugins and the conftests
    that pytest loads at its start add, if these were asked for.
    """

    root: Path
    path: Path | None
    values: Mapping[str, Any]
    addopts: Mapping[str, Any]
    additions: tuple[Addition, ...] = ()


class _Found(BaseException):
    """Ends pytest once it has read its settings; no plugin takes it for a fault of its own."""

    def __init__(self, ini: PytestIni) -> None:
        self.ini = ini


def _read(config: pytest.Config) -> PytestIni:
    given = config.known_args_namespace
    return PytestIni(
        root=config.rootpath,
        path=config.inipath,
        values={option.name: config.getini(option.ini) for option in OPTIONS},
        addopts={option.name: getattr(given, option.ini) for option in OPTIONS},
    )


class _Reader:
    """A plugin for the first hook that sees ini and ``addopts`` together, before any conftest."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> None:
        raise _Found(_read(early_config))


class _ReaderOfAdditions:
    """A plugin for the same hook, once pytest has loaded the conftests that it starts with."""

    @pytest.hookimpl(trylast=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> None:
        from ..additions import additions_of

        added = tuple(additions_of(early_config.pluginmanager))
        raise _Found(replace(_read(early_config), additions=added))


def read_ini(additions: bool = False) -> PytestIni:
    """What pytest, started in the working folder, would read there, by pytest's own rules.

    Plugins are loaded as for any run, since an ini may be meant for them; conftests are only for
    ``additions``, those that pytest starts with, and no test is. Raises ``UsageError`` where pytest
    refuses its ini (pytest has then said why), cannot load a plugin, or an addition can't be.
    """
    options = ["-p", "llm_eval", "--capture=no", "--assert=plain"]
    try:
        pytest.main(options, plugins=[_ReaderOfAdditions() if additions else _Reader()])
    except _Found as found:
        return found.ini
    except EvalError:
        raise
    except Exception as error:
        raise UsageError(f"pytest cannot start here: {type(error).__name__}: {error}") from error
    raise UsageError("pytest cannot read its settings here, as it says above; mend them first")
