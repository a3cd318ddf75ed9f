"""The app under test, run ahead: answers to cases, measured, each for the test that will come."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from ..data.cases import Case
from ..data.measured import Measured
from ..errors import CaseError, CaseTypeError, EvalError
from ..judges.loop import LoopThread, in_thread

App = Callable[[Case], Any]
"""From a case to a response (text) or a whole case; or to an awaitable of either."""


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
        self._begun: dict[str, Future[Answered]] = {}

    def begin(
        self, test: str, case: Case, app: App, then: Callable[[Case], None] = lambda case: None
    ) -> None:
        """Have ``app`` answer ``case`` for ``test``; ``then`` is given the answered case."""
        if test not in self._begun:
            self._begun[test] = self._loop.submit(self._answered(case, app, then))

    def take(self, test: str, case: Case, app: App) -> Answered:
        """The answer for ``test``, begun now if it was not; each is given out once."""
        self.begin(test, case, app)
        future = self._begun.pop(test)
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
                answered = Answered(_with(case, given, seconds), seconds)
            except asyncio.CancelledError:
                raise
            except BaseException as raised:
                return Answered(case, time.monotonic() - started, _ordinary(raised))
        then(answered.case)
        return answered


def _has_own_seconds(answered: Case, asked: Case) -> bool:
    """Whether a trace that came with the answer tells how long it took, and so goes before a clock.

    One that can't be read tells nothing here: the check that needs it says so.
    """
    if answered.trace is None or answered.trace is asked.trace:
        return False
    with suppress(CaseError):
        return answered.told is not None and answered.told.seconds is not None
    return False


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


def _with(case: Case, given: Any, seconds: float) -> Case:
    if isinstance(given, str):
        return case.model_copy(update={"response": given, "measured": Measured(seconds=seconds)})
    if isinstance(given, Case):
        fields = {name: getattr(given, name) for name in given.model_fields_set}
        told = {name: value for name, value in fields.items() if value is not None}
        answered = case.model_copy(update=told)
        measured = given.measured or Measured()
        if measured.seconds is None and not _has_own_seconds(answered, case):
            measured = measured.model_copy(update={"seconds": seconds})
        return answered.model_copy(update={"measured": measured})
    raise CaseTypeError(
        f"answer= gave {type(given).__name__}; expected the response as text, or a Case"
    )
