"""The app under test, run ahead: answers to cases, measured, each for the test that will come."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import pytest

from ..data.cases import Case
from ..errors import EvalError
from ..judges.loop import LoopThread, in_thread
from .app_given import answered_by

App = Callable[[Case], Any]
"""From a case to what answers it (see ``answered_by``), or to an awaitable of that."""


@dataclass(frozen=True)
class Answered:
    """What became of one case: the case with its response, or what the app raised."""

    case: Case
    seconds: float
    raised: BaseException | None = None


class AppAnswers:
    """Runs an app on cases, ``at_once`` at the same time, on a loop and threads of its own.

    A coroutine function runs on that one loop, whatever test it is for; any other in a thread.
    """

    def __init__(self, at_once: int) -> None:
        self._loop = LoopThread("llm-eval-app")
        self._places = asyncio.Semaphore(at_once)
        self._begun: dict[str, tuple[App, Future[Answered]]] = {}

    def begin(
        self, test: str, case: Case, app: App, then: Callable[[Case], None] = lambda case: None
    ) -> None:
        """Have ``app`` answer ``case`` for ``test``; ``then`` is given the answered case."""
        if test not in self._begun:
            self._begun[test] = app, self._loop.submit(self._answered(case, app, then))

    def take(self, test: str, case: Case, app: App) -> Answered:
        """The answer of ``app`` for ``test``, begun now if it was not; each is given out once."""
        self.begin(test, case, app)
        asked, future = self._begun.pop(test)
        if asked is not app:  # a fixture gives this test another one than those before it
            future.cancel()
            return self.take(test, case, app)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what is under way; a call that runs in a thread is left to itself."""
        self._loop.close()

    async def _answered(self, case: Case, app: App, then: Callable[[Case], None]) -> Answered:
        async with self._places:
            started = time.monotonic()
            try:
                given = await _called(app, case)
                seconds = time.monotonic() - started
                answered = Answered(answered_by(case, given, seconds), seconds)
            except asyncio.CancelledError:
                raise
            except BaseException as raised:
                return Answered(case, time.monotonic() - started, _ordinary(raised))
        then(answered.case)
        return answered


async def _called(app: App, case: Case) -> Any:
    function = app if inspect.isroutine(app) else getattr(app, "__call__", app)  # noqa: B004
    given = app(case) if inspect.iscoroutinefunction(function) else await in_thread(app, case)
    return await given if inspect.isawaitable(given) else given


def _ordinary(raised: BaseException) -> BaseException:
    """``raised`` as pytest takes it from a fixture.

    It keeps one half set up, for all tests to come, that raised what is no ``Exception``: as
    ``sys.exit`` does. An interrupt and pytest's own outcomes are meant for it.
    """
    theirs = (Exception, KeyboardInterrupt, pytest.skip.Exception, pytest.fail.Exception)
    if isinstance(raised, theirs):
        return raised
    told = f"{type(raised).__name__}({raised})" if str(raised) else type(raised).__name__
    error = EvalError(f"answer= ended by {told} instead of giving a response")
    error.__cause__ = raised
    return error
