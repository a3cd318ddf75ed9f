"""The one event loop on which judges are asked, in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any, TypeVar

from ..errors import UsageError

A = TypeVar("A")
T = TypeVar("T")


class LoopThread:
    """Runs coroutines for any thread, sync or inside another event loop.

    The loop outlives every test, so that clients pooled on it do too. It starts at the first use,
    and anew in a forked child, which does not inherit the thread.
    """

    _clock = staticmethod(time.monotonic)  # the real one: tests freeze time, and with it time-outs

    def __init__(self, name: str = "llm-eval") -> None:
        self._name = name
        self._lock = threading.Lock()
        self._pid = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """The future of ``work``, which begins now; to cancel it cancels the work."""
        loop = self._started()
        if threading.current_thread() is self._thread:
            work.close()
            raise UsageError(
                "a check was made from inside a judge or a metric: there, await ask(...) instead"
            )
        return _on_asyncio().run(asyncio.run_coroutine_threadsafe, work, loop)

    @property
    def running(self) -> bool:
        """Whether this process has started the loop."""
        return self._loop is not None and self._pid == os.getpid()

    def close(self) -> None:
        """Cancel what is still under way, and end the loop and its thread."""
        with self._lock:
            if not self.running:
                return
            assert self._loop is not None
            assert self._thread is not None
            asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = None

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._pid = os.getpid()
                self._loop = asyncio.new_event_loop()
                self._loop.time = self._clock  # type: ignore[method-assign]
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name=self._name, daemon=True
                )
                self._thread.start()
            return self._loop


def _on_asyncio() -> Context:
    """The context here, but for what says that it is another library's loop that runs.

    anyio notes it for HTTP clients, which would take ours for trio's.
    """
    context = copy_context()
    for variable in context:
        if variable.name == "current_async_library_cvar":
            context.run(variable.set, None)
    return context


async def in_thread(function: Callable[[A], T], argument: A) -> T:
    """What ``function`` gives for ``argument``, in a thread of its own, in the caller's context.

    A task on this loop has the context variables of whoever submitted it, and so has ``function``.
    Unlike one of asyncio's own pool, it does not keep the interpreter from ending.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    outcome: list[T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(function(argument))
        except BaseException as error:
            raised.append(error)
        with suppress(RuntimeError):  # the run has ended, and the loop with it
            loop.call_soon_threadsafe(_finish, done)

    context = copy_context()
    threading.Thread(target=context.run, args=(work,), name="llm-eval-work", daemon=True).start()
    await done
    if raised:
        raise raised[0]
    return outcome[0]


def _finish(done: asyncio.Future[None]) -> None:
    if not done.done():  # cancelled, since nobody waits any more
        done.set_result(None)


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
