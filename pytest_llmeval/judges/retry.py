"""Trying again: what is worth it, when, and for how long."""

from __future__ import annotations

import asyncio
import math
import random
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from ..errors import JudgeUnavailable

T = TypeVar("T")

ATTEMPTS = 6
"""The most times that one question is put."""

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
"""Seconds: the wait after the first attempt, doubled after each, and where the doubling ends."""


async def with_retries(
    call: Callable[[], Awaitable[T]],
    *,
    budget: float,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """The result of ``call``, made anew while the judge is unavailable.

    Waits grow exponentially, with jitter so that many calls do not come back at once, and are
    never shorter than what the server asked for (``JudgeUnavailable.retry_after``). All attempts
    and waits together take at most ``budget`` seconds. A judge that is lastingly unavailable, any
    other error, and a cancellation pass through at once. ``clock`` and ``sleep`` are the time
    that is measured and spent.

    Raises ``JudgeUnavailable`` with what the last attempt met, and how often and how long was
    tried.
    """
    started = clock()

    def left() -> float:
        return budget - (clock() - started)

    def over(state: RetryCallState) -> bool:
        return state.attempt_number >= ATTEMPTS or state.upcoming_sleep >= left()

    def give_up(state: RetryCallState) -> T:
        raise _given_up(state, clock() - started, left(), budget) from None

    async def attempt() -> T:
        limit = asyncio.timeout(max(left(), 0))
        try:
            async with limit:
                return await call()
        except TimeoutError:
            if limit.expired():
                raise JudgeUnavailable("the judge did not answer in time") from None
            raise

    retrying = AsyncRetrying(
        retry=retry_if_exception(_may_pass),
        wait=_wait,
        stop=over,
        sleep=sleep,
        retry_error_callback=give_up,
    )
    return await retrying(attempt)


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, JudgeUnavailable) and not error.lasting


def _wait(state: RetryCallState) -> float:
    """Seconds until the next attempt."""
    whole = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (state.attempt_number - 1))
    # Half of it is certain, half is chance: 16 calls refused together return one by one.
    jittered = whole * random.uniform(0.5, 1)
    return max(jittered, _met(state).retry_after or 0)


def _met(state: RetryCallState) -> JudgeUnavailable:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, JudgeUnavailable)
    return error


def _given_up(state: RetryCallState, spent: float, left: float, budget: float) -> JudgeUnavailable:
    met = _met(state)
    times = "once" if state.attempt_number == 1 else f"{state.attempt_number} times"
    tried = f"tried {times} in {spent:.1f} s"
    if (met.retry_after or 0) >= left > 0:
        tried += (
            f"; the server asks for {round(met.retry_after or 0):.6g} s of quiet, more than is "
            f"left of the {budget:g} s that trying may take"
        )
    return JudgeUnavailable(f"{met} ({tried})", met.retry_after)


def asked_for(headers: Mapping[str, str]) -> float | None:
    """Seconds of quiet that a server's ``headers`` ask for, as a number or a date (RFC 9110)."""
    for name, scale in (("retry-after-ms", 1000), ("retry-after", 1)):
        value = headers.get(name, "")
        try:
            seconds = float(value) / scale
        except ValueError:
            seconds = _until(value)
        if 0 <= seconds < math.inf:
            return seconds
    return None


def _until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date).astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        # Of the headers that servers send, some are dates that no calendar holds.
        return math.nan
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def asked_for_in_words(message: str) -> float | None:
    """Seconds of quiet that a server's ``message`` asks for, as Gemini's and OpenAI's do."""
    pattern = r"(?:retryDelay\W+|try again in )(\d{1,9}(?:\.\d{1,9})?)(ms|s)\b"
    found = re.search(pattern, message, re.IGNORECASE)
    return float(found[1]) / (1000 if found[2] == "ms" else 1) if found else None
