"""Futures of other threads, awaited on whatever event loop runs here."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Any


async def settled(futures: Iterable[Future[Any]]) -> None:
    """Wait until all ``futures`` are done, without blocking the loop of asyncio or trio.

    On any other loop they are waited for in this thread. What they came to is not looked at.
    """
    pending = [*futures]
    if _runs(asyncio.current_task):
        waited = [asyncio.wrap_future(future) for future in pending]
        await asyncio.gather(*waited, return_exceptions=True)
    elif (trio := sys.modules.get("trio")) and _runs(trio.lowlevel.current_task):
        for future in pending:
            await _settled_in_trio(future, trio)
    else:
        wait(pending)


def _runs(current_task: Callable[[], object]) -> bool:
    """Whether a task runs here; of asyncio's loop it may be none, with trio inside, as a guest."""
    try:
        return current_task() is not None
    except RuntimeError:
        return False


async def _settled_in_trio(future: Future[Any], trio: Any) -> None:
    there, done = trio.lowlevel.current_trio_token(), trio.Event()

    def tell(future: Future[Any]) -> None:
        with suppress(trio.RunFinishedError):  # nobody waits any more
            there.run_sync_soon(done.set)

    future.add_done_callback(tell)
    await done.wait()
