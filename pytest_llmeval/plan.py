"""The marker ``llm_cases``, read: which cases a test runs on, who answers, what is asserted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import pytest

from .errors import UsageError

if TYPE_CHECKING:
    from .suites.suite import Suite


@dataclass(frozen=True)
class Planned:
    """One metric that a marker names, with what ``evaluate`` would be given for it.

    ``options`` are the metric's own.
    """

    metric: Any
    judge: Any = None
    at_least: Any = None
    at_most: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    """What ``@pytest.mark.llm_cases(path, metrics=…, suite=…, answer=…, argname=…)`` says.

    ``answer`` is None, a function from a case to a response or a case, or a fixture's name.
    """

    path: str
    metrics: tuple[Planned, ...] = ()
    answer: Callable[..., Any] | str | None = None
    argname: str = "llm_case"
    suite: Suite | str | None = None


def plan_of(node: pytest.Item | Any) -> Plan | None:
    """The plan of ``node`` (an item, or a function to be parametrized), None where it has none.

    Raises ``UsageError`` that names the argument which can't be.
    """
    marker = node.get_closest_marker("llm_cases")
    return None if marker is None else _plan(marker)


def _plan(marker: pytest.Mark) -> Plan:
    given = {**dict(zip(("path",), marker.args, strict=False)), **marker.kwargs}
    names = ("path", "metrics", "suite", "answer", "argname")
    unknown = [*map(repr, marker.args[1:]), *(name for name in given if name not in names)]
    if unknown:
        allowed = "a path, metrics=, suite=, answer= and argname="
        raise UsageError(f"llm_cases takes {allowed}; got {', '.join(unknown)}")
    path, answer, argname = given.get("path"), given.get("answer"), given.get("argname", "llm_case")
    if not isinstance(path, str | PathLike):
        raise UsageError(f"llm_cases takes a path, relative to the test file; got {path!r}")
    if not (answer is None or isinstance(answer, str) or callable(answer)):
        kinds = "a function from a case to a response, or a fixture's name"
        raise UsageError(f"llm_cases: answer is {kinds}; got {answer!r}")
    if not (isinstance(argname, str) and argname.isidentifier()):
        raise UsageError(f"llm_cases: argname is the name of an argument; got {argname!r}")
    metrics = tuple(_planned(given.get("metrics", ())))
    return Plan(fspath(path), metrics, answer, argname, given.get("suite"))


def _planned(metrics: Any) -> Iterator[Planned]:
    if isinstance(metrics, Mapping):
        for metric, how in metrics.items():
            if not isinstance(how, Mapping):
                raise UsageError(
                    f"llm_cases: metrics maps a name to arguments, as in {{'groundedness': "
                    f"{{'at_least': 5}}}}; got {how!r} for {metric!r}"
                )
            options = {**how}
            ours = {name: options.pop(name, None) for name in ("judge", "at_least", "at_most")}
            yield Planned(metric, **ours, options=options)
    elif isinstance(metrics, list | tuple):
        yield from map(Planned, metrics)
    else:
        raise UsageError(
            f"llm_cases: metrics is a list of names, or a mapping to arguments; got {metrics!r}"
        )
