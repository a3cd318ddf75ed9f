"""The marker ``llm_eval``: which arguments it takes, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import TestCase

import pytest

from ..data.aliases import closest
from ..errors import UsageError
from ..gates.group import rate_of
from ..trials import ARGUMENTS, trials_in


def is_marked(node: pytest.Item | pytest.Collector) -> bool:
    """Whether ``node`` is marked as one that asks judges, by ``llm_cases`` too."""
    markers = ("llm_eval", "llm_cases")
    return any(node.get_closest_marker(each) is not None for each in markers)


def fault_in(marker: pytest.Mark, item: pytest.Item) -> str | None:
    """What is wrong with ``marker`` on ``item``, None where nothing is."""
    given = marker.kwargs
    if marker.args:
        *names, last = (f"{name}=" for name in _ARGUMENTS)
        told = ", ".join(map(repr, marker.args))
        return f"llm_eval takes {', '.join(names)} and {last}; got {told}"
    for name, value in given.items():
        if name not in _ARGUMENTS:
            return f"llm_eval has no {name}={closest(name, _ARGUMENTS)}"
        if fault := _ARGUMENTS[name](value):
            return f"llm_eval {fault}"
    if "must_pass" in given and "min_pass_rate" not in given:
        return "llm_eval takes must_pass= beside min_pass_rate=, which is missing"
    try:
        several = trials_in(given) is not None
    except UsageError as error:
        return f"llm_eval: {error}"
    if several and _is_unit(item):
        return "llm_eval: a unittest.TestCase has no trials; make it a class of its own"
    return None


def _is_unit(item: pytest.Item) -> bool:
    """Whether ``item`` is a test of ``unittest``, of which pytest makes one item only."""
    return isinstance(item, pytest.Function) and issubclass(item.cls or object, TestCase)


def _switch(value: object) -> str | None:
    if isinstance(value, bool):
        return None
    return f"takes deferred=True or False; got deferred={value!r}"


def _rate(value: object) -> str | None:
    try:
        rate_of(value)
    except UsageError as error:
        return f"takes a rate: {error}"
    return None


def _texts(name: str) -> Callable[[object], str | None]:
    def fault(value: object) -> str | None:
        listed = isinstance(value, list | tuple | set | frozenset)
        if listed and all(isinstance(each, str) for each in value):  # type: ignore[attr-defined]
            return None
        return f"takes {name}= a list of texts; got {name}={value!r}"

    return fault


_ARGUMENTS: dict[str, Callable[[Any], str | None]] = {
    "deferred": _switch,
    "min_pass_rate": _rate,
    "must_pass": _texts("must_pass"),
    "tags": _texts("tags"),
    **dict.fromkeys(ARGUMENTS, lambda value: None),  # which are looked at together
}
"""What the marker takes, and what finds a fault with a value of it."""
