"""Waiting in a coroutine: for the checks of a block, on whatever loop the test runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any

import anyio
import pytest
import sniffio
import trio
from active_session import active_session
from late_judge import ToldJudge

from pytest_llmeval import CheckFailed, assert_grounded, together
from pytest_llmeval.awaiting import settled
from pytest_llmeval.judges.loop import LoopThread
from pytest_llmeval.testing import ScriptedJudge

GOOD: dict[str, Any] = {"ungrounded": [], "reason": "all of it is there", "score": 5}
BAD = {"ungrounded": [], "reason": "none of it is there", "score": 1}
Main = Callable[[], Coroutine[Any, Any, None]]


@pytest.fixture(autouse=True)
def _session() -> Iterator[None]:
    with active_session(mode="off"):
        yield


def as_guest(main: Main) -> None:
    """Run ``main`` on trio, and trio on a loop of asyncio: as anyio's pytest plugin does."""

    async def host() -> None:
        over: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        trio.lowlevel.start_guest_run(
            main,
            run_sync_soon_threadsafe=asyncio.get_running_loop().call_soon_threadsafe,
            done_callback=over.set_result,
            host_uses_signal_set_wakeup_fd=True,
        )
        (await over).unwrap()

    asyncio.run(host())


def by_hand(main: Main) -> None:
    """Run ``main`` on no loop at all: it may wait for nothing."""
    coroutine = main()
    with pytest.raises(StopIteration):
        coroutine.send(None)


def on_trio(main: Main) -> None:
    trio.run(main)


def on_asyncio(main: Main) -> None:
    asyncio.run(main())


def by_anyio(main: Main) -> None:
    anyio.run(main, backend="trio")


EVERY = [on_asyncio, on_trio, by_anyio, as_guest, by_hand]
FREE: list[tuple[Callable[[Main], None], Callable[[float], Awaitable[None]]]] = [
    *((run, trio.sleep) for run in (on_trio, by_anyio, as_guest)),
    (on_asyncio, asyncio.sleep),
]


@pytest.mark.parametrize("run", EVERY)
def test_an_async_block_works_on_any_loop(run: Callable[[Main], None]) -> None:
    async def main() -> None:
        async with together():
            result = assert_grounded("one", context="c", judge=ScriptedJudge(GOOD))
        assert result.score == 5
        with pytest.raises(CheckFailed, match="1 is below 4"):
            async with together():
                assert_grounded("one", context="c", judge=ScriptedJudge(BAD))
        async with together():
            pass

    run(main)


@pytest.mark.parametrize(("run", "sleep"), FREE)
def test_a_loop_is_free_while_an_async_block_waits(
    run: Callable[[Main], None], sleep: Callable[[float], Awaitable[None]]
) -> None:
    judge = ToldJudge()

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(telling)
            async with together():
                assert_grounded("one", context="c", judge=judge)
                assert_grounded("two", context="c", judge=judge)

    async def telling() -> None:
        await sleep(0.02)
        judge.tell()  # nobody else does

    run(main)


def test_a_block_that_trio_cancels_cancels_its_checks() -> None:
    notes: list[str] = []

    async def main() -> None:
        with trio.move_on_after(0.05):
            try:
                async with together():
                    assert_grounded("bad", context="c", judge=ScriptedJudge(BAD))
                    assert_grounded("two", context="c", judge=ToldJudge())
            except trio.Cancelled as cancelled:
                notes.extend(cancelled.__notes__)
                raise
        assert notes == ["groundedness 1 is below 4   (scripted)"]

    trio.run(main)


def test_what_is_done_after_trio_has_ended_is_nobodys() -> None:
    late: Future[None] = Future()

    async def main() -> None:
        with trio.move_on_after(0.01):
            await settled([late])

    trio.run(main)
    late.set_result(None)


def test_what_runs_on_our_loop_takes_it_for_no_other() -> None:
    """An HTTP client asks what loop runs: anyio leaves a note of its own in the context."""
    ours = LoopThread()

    async def library() -> str:
        assert threading.current_thread().name == "llm-eval"
        return sniffio.current_async_library()

    async def main() -> None:
        assert sniffio.current_async_library() == "trio"
        assert ours.submit(library()).result() == "asyncio"
        assert sniffio.current_async_library() == "trio"

    anyio.run(main, backend="trio")
    ours.close()
