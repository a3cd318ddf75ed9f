"""What plugins and conftests add to a run by our hooks, and who gave it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from .errors import UsageError
from .text.shown import shown


@dataclass(frozen=True, slots=True)
class Addition:
    """What one plugin adds. ``source`` is the conftest's path, or the plugin's name."""

    source: str
    metrics: tuple[Any, ...] = ()
    rubrics: tuple[Any, ...] = ()
    suites: tuple[Any, ...] = ()


def additions_of(plugins: pytest.PytestPluginManager, only: object = None) -> Iterator[Addition]:
    """What each plugin that implements our hooks adds, or the one plugin ``only``.

    Raises ``UsageError`` for a hook that gives no list or raises, whatever that is.
    """
    given: dict[str, dict[str, tuple[Any, ...]]] = {}
    for field, hook in (
        ("metrics", plugins.hook.pytest_llm_eval_metrics),
        ("rubrics", plugins.hook.pytest_llm_eval_rubrics),
        ("suites", plugins.hook.pytest_llm_eval_suites),
    ):
        for implementation in hook.get_hookimpls():
            if only is None or implementation.plugin is only:
                source = getattr(implementation.plugin, "__file__", None)
                source = str(source or implementation.plugin_name)
                listed = _listed(implementation.function, f"{source}: {hook.name}")
                given.setdefault(source, {})[field] = listed
    for source, fields in given.items():
        yield Addition(source, **fields)


def _listed(hook: Callable[[], object], of: str) -> tuple[Any, ...]:
    try:
        value = hook()
        if isinstance(value, Iterable) and not isinstance(value, str):
            return tuple(value)
    except (KeyboardInterrupt, pytest.exit.Exception):
        raise
    except BaseException as error:  # also pytest.skip and SystemExit: no run is to end by these
        raised = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise UsageError(f"{of} raised {shown(raised)}") from error
    raise UsageError(f"{of} gives a list; got {type(value).__name__}")
