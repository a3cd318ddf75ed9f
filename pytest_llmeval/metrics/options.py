"""The options of a metric: the further arguments of its function, checked by their annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..errors import UsageError
from ..text.shown import shown


@dataclass(frozen=True, slots=True)
class MetricOption:
    """One option: what its annotation allows, and its default."""

    name: str
    allowed: Any
    default: Any

    @property
    def needed(self) -> bool:
        """Whether the metric cannot do without it."""
        return self.default is inspect.Parameter.empty

    def check(self, metric: str, value: object) -> None:
        """Raise ``UsageError``, which names the ``metric``, for a ``value`` not allowed."""
        from pydantic import TypeAdapter, ValidationError

        choices = get_args(self.allowed) if get_origin(self.allowed) is Literal else ()
        if choices and value not in choices:
            raise refused(metric, self.name, choices, value)
        try:
            TypeAdapter(self.allowed).validate_python(value, strict=True)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
            raise UsageError(f"{metric}: {self.name}: {fault}; got {shown(repr(value))}") from None


@lru_cache(maxsize=256)
def options_of(function: Callable[..., Any]) -> Mapping[str, MetricOption]:
    """The options of a metric's ``function``, by name: what it takes after case and ``ask``."""
    parameters = list(inspect.signature(function).parameters.items())[2:]
    if not parameters:
        return {}
    hints = _hints(function)
    return {
        name: MetricOption(name, hints.get(name, Any), parameter.default)
        for name, parameter in parameters
    }


def refused(metric: str, option: str, choices: tuple[Any, ...], value: object) -> UsageError:
    """The error that ``value`` is none of the ``choices``."""
    allowed = ", ".join(map(repr, choices))
    return UsageError(f"{metric}: {option} is one of {allowed}; got {value!r}")


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of its arguments, none where they name what is not there to be looked up."""
    try:
        return get_type_hints(function, include_extras=True)
    except Exception:
        return {}
