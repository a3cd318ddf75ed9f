"""The result of a check or suite under way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .begun import Begun


class Pending:
    """The result of a check or suite under way: each of its attributes waits for the verdict."""

    def __init__(self, check: Begun[Any], wait: Callable[[Begun[Any]], Any]) -> None:
        self._check = check
        self._wait = wait

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._wait(self._check), name)

    def __bool__(self) -> NoReturn:
        raise TypeError("a result is neither true nor false: ask its .passed or its .outcome")

    def __str__(self) -> str:
        return str(self._check.result()) if self._check.future.done() else repr(self)

    def __repr__(self) -> str:
        return repr(self._check.result()) if self._check.future.done() else "<Result, pending>"
