"""Trying again: what for, how long, and what is said at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import JudgeMisconfigured, JudgeUnavailable, UnreadableReply
from pytest_llmeval.judges.retry import (
    ATTEMPTS,
    FIRST_WAIT,
    LONGEST_WAIT,
    asked_for,
    asked_for_in_words,
    with_retries,
)


class Time:
    """A clock that stands still but for what is slept and what calls take."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Calls:
    """Calls that each take their seconds and raise their error, or give ``"said"``."""

    def __init__(self, time: Time, *outcomes: tuple[float, Exception | None]) -> None:
        self.time = time
        self.outcomes = list(outcomes)
        self.made = 0

    async def __call__(self) -> str:
        seconds, error = self.outcomes[min(self.made, len(self.outcomes) - 1)]
        self.made += 1
        self.time.now += seconds
        if error is not None:
            raise error
        return "said"


def tried(calls: Callable[[], object], time: Time, budget: float) -> str:
    return asyncio.run(
        with_retries(calls, budget=budget, clock=time.clock, sleep=time.sleep)  # type: ignore[arg-type]
    )


def busy(retry_after: float | None = None) -> JudgeUnavailable:
    return JudgeUnavailable("too many requests", retry_after)


def down() -> JudgeUnavailable:
    error = JudgeUnavailable("asked no more")
    error.lasting = True
    return error


def test_a_judge_that_is_back_is_asked_again() -> None:
    time = Time()
    calls = Calls(time, (0.1, busy()), (0.1, busy()), (0.1, None))
    assert tried(calls, time, 60) == "said"
    assert calls.made == 3


@pytest.mark.parametrize(
    "error", [JudgeMisconfigured("no key"), UnreadableReply("{}"), KeyError(), down()]
)
def test_what_no_retry_can_help_passes_at_once(error: Exception) -> None:
    time = Time()
    calls = Calls(time, (0.1, error))
    with pytest.raises(type(error)):
        tried(calls, time, 60)
    assert (calls.made, time.slept) == (1, [])


def test_a_cancellation_passes_through() -> None:
    async def cancelled() -> None:
        started = asyncio.Event()

        async def call() -> None:
            started.set()
            await asyncio.sleep(60)

        task = asyncio.create_task(with_retries(call, budget=60))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(cancelled(), 30))


def test_what_the_server_asks_for_is_waited() -> None:
    time = Time()
    assert tried(Calls(time, (0, busy(20)), (0, None)), time, 60) == "said"
    assert time.slept == [20]


def test_a_wait_beyond_the_budget_gives_up_at_once_and_says_so() -> None:
    time = Time()
    calls = Calls(time, (1, busy(3600)))
    with pytest.raises(JudgeUnavailable, match=r"once in 1\.0 s; .* asks for 3600 s") as caught:
        tried(calls, time, 60)
    assert caught.value.retry_after == 3600
    assert (calls.made, time.slept) == (1, [])


def test_the_last_error_says_how_often_and_how_long_was_tried() -> None:
    time = Time()
    calls = Calls(time, (2, busy()))
    with pytest.raises(JudgeUnavailable, match=rf"too many requests \(tried {ATTEMPTS} times in "):
        tried(calls, time, 1000)
    assert calls.made == ATTEMPTS


def test_a_call_that_outlasts_the_budget_is_cut() -> None:
    async def call() -> None:
        await asyncio.sleep(60)

    with pytest.raises(JudgeUnavailable, match=r"in time \(tried once in \d+\.\d s\)"):
        asyncio.run(asyncio.wait_for(with_retries(call, budget=0.05), 30))


def test_a_time_out_of_the_call_itself_is_not_taken_for_the_budget() -> None:
    time = Time()
    with pytest.raises(TimeoutError):
        tried(Calls(time, (0, TimeoutError())), time, 60)


def test_waits_grow_and_differ_from_call_to_call() -> None:
    def waits() -> list[float]:
        time = Time()
        with pytest.raises(JudgeUnavailable):
            tried(Calls(time, (0, busy())), time, 10_000)
        return time.slept

    many = [waits() for _ in range(20)]
    assert len({tuple(each) for each in many}) == 20
    for each in many:
        assert FIRST_WAIT / 2 <= each[0] <= FIRST_WAIT
        assert all(earlier <= later for earlier, later in pairwise(each))


SECONDS = st.floats(0, 50)


@given(st.lists(st.tuples(SECONDS, st.none() | st.floats(0, 200)), min_size=1), SECONDS)
def test_trying_stays_within_budget_and_bounds(
    faults: list[tuple[float, float | None]], budget: float
) -> None:
    time = Time()
    calls = Calls(time, *((seconds, busy(quiet)) for seconds, quiet in faults))
    with pytest.raises(JudgeUnavailable):
        tried(calls, time, budget)
    last = faults[min(calls.made, len(faults)) - 1][0]
    assert 1 <= calls.made <= ATTEMPTS
    assert time.now - 100 - last <= budget + 1e-6
    assert len(time.slept) == calls.made - 1
    for number, slept in enumerate(time.slept):
        quiet = faults[min(number, len(faults) - 1)][1] or 0
        assert quiet <= slept <= max(quiet, LONGEST_WAIT)


@pytest.mark.parametrize(
    "date",
    [
        "Fri, 31 Dec 9999 23:59:59 -0001",
        "Mon, 99999999999999999999 Jan 2020 00:00:00 GMT",
        "Mon, 01 Jan 2020 00:00:00 +9999999999",
        "9" * 5000,
        "",
        ",",
    ],
)
def test_a_date_that_no_calendar_holds_asks_for_nothing(date: str) -> None:
    assert asked_for({"retry-after": date}) is None


@given(st.text(), st.text(alphabet="0123456789.:+- JanDecGMT,", max_size=60))
def test_no_header_and_no_words_raise_anything(text: str, date: str) -> None:
    for value in (text, date):
        seconds = asked_for({"retry-after": value})
        assert seconds is None or 0 <= seconds < float("inf")
        in_words = asked_for_in_words(f"try again in {value}s")
        assert in_words is None or 0 <= in_words < float("inf")
