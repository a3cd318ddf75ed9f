"""Measuring a call of the app: seconds of its block, and the tokens that it is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest
from active_session import active_session

from pytest_llmeval import (
    Case,
    CaseError,
    CheckFailed,
    UsageError,
    assert_latency,
    assert_tokens,
    measure,
)
from pytest_llmeval.data.measured import Measured
from pytest_llmeval.data.measuring import Measurement
from pytest_llmeval.errors import CaseTypeError
from pytest_llmeval.session import Session


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


def test_a_block_is_timed_and_its_tokens_add_up() -> None:
    with measure() as measured:
        time.sleep(0.02)
        measured.add_tokens(input=10)
        measured.add_tokens(input=5, output=2)
    seconds = measured.seconds
    time.sleep(0.01)
    assert 0.02 <= seconds == measured.seconds < 60
    case = Case(response="Hi.", measured=measured)
    assert case.measured == Measured(seconds=seconds, input_tokens=15, output_tokens=2)
    assert assert_tokens(case, at_most=17).passed
    assert assert_latency(measured, at_most=60).passed
    with pytest.raises(CheckFailed, match="total_token_count 17 is above 16"):
        assert_tokens(measured, at_most=16)
    with pytest.raises(CheckFailed):
        assert_latency(Measured(seconds=3), at_most=2)


def test_a_case_that_is_there_takes_what_was_measured() -> None:
    with measure() as measured:
        measured.add_tokens(input=3)
    case = Case(query="q", measured={"seconds": 9, "input_tokens": 9, "output_tokens": 9})
    made = measured.on(case).measured
    assert made == Measured(seconds=measured.seconds, input_tokens=3, output_tokens=9)
    assert measured.on(Case(query="q")).query == "q"


def test_what_the_app_raises_comes_through_and_is_timed() -> None:
    measured = measure()
    with pytest.raises(RuntimeError, match="gone"), measured:
        raise RuntimeError("the app is gone")
    assert measured.seconds >= 0


def test_blocks_within_blocks_and_tasks_are_measured_each_by_itself() -> None:
    async def ask(tokens: int) -> Measurement:
        with measure() as measured:
            measured.add_tokens(output=tokens)
            await asyncio.sleep(0.01)
        return measured

    async def both() -> tuple[Measurement, Measurement]:
        return await asyncio.gather(ask(1), ask(2))

    with measure() as outer:
        outer.add_tokens(output=10)
        first, second = asyncio.run(both())
    told = [each.measured.output_tokens for each in (outer, first, second)]
    assert told == [10, 1, 2]
    assert outer.seconds >= max(first.seconds, second.seconds) >= 0.01


def test_tokens_that_nobody_told_are_unknown() -> None:
    with measure() as measured:
        pass
    with pytest.raises(CaseError, match=r"needs measured.input_tokens, which is missing"):
        assert_tokens(measured, at_most=10)


def test_a_block_is_measured_once_and_told_of_when_it_has_ended() -> None:
    with measure() as measured:
        for early in (lambda: measured.seconds, lambda: Case(measured=measured)):
            with pytest.raises(UsageError, match="the measured block has not ended"):
                early()
    with pytest.raises(UsageError, match=r"call measure\(\) again"), measured:
        pass
    for wrong in (-1, 1.5, True):
        with pytest.raises(CaseTypeError):
            measured.add_tokens(input=wrong)  # type: ignore[arg-type]
