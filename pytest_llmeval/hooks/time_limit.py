"""pytest-timeout's clock, stopped for what is not the time of the test that it runs for."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest


class TimeLimit:
    """Hooks that know which test's clock runs, and stop it for what is not the test's own time."""

    def __init__(self, config: pytest.Config) -> None:
        self._hook: Any = config.hook
        self._running: tuple[pytest.Item, Any] | None = None

    @pytest.hookimpl(wrapper=True, optionalhook=True)
    def pytest_timeout_set_timer(
        self, item: pytest.Item, settings: Any
    ) -> Generator[None, object, object]:
        self._running = item, settings
        return (yield)

    @pytest.hookimpl(wrapper=True, optionalhook=True)
    def pytest_timeout_cancel_timer(self, item: pytest.Item) -> Generator[None, object, object]:
        self._running = None
        return (yield)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the clock of the test that runs in this thread; afterwards it begins anew."""
        running = self._running
        if running is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        item, settings = running
        self._hook.pytest_timeout_cancel_timer(item=item)
        try:
            yield
        finally:
            self._hook.pytest_timeout_set_timer(item=item, settings=settings)
