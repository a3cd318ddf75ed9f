"""together(): the checks of a block at the same time, one failure at its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from threading import get_ident
from typing import Any

import pytest
from awaited import GUARD, until
from suite_judge import saying

from pytest_llmeval import (
    Case,
    CheckFailed,
    EvalError,
    Outcome,
    assert_grounded,
    assert_quality,
    assert_relevant,
    evaluate,
    together,
)
from pytest_llmeval.deferral import DeferredChecks
from pytest_llmeval.errors import JudgeUnavailable, NoJudge
from pytest_llmeval.judges.base import BaseJudge, Message, Question, Said
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.stack import activate, deactivate
from pytest_llmeval.testing import ScriptedJudge

GOOD: dict[str, Any] = {"ungrounded": [], "reason": "all of it is there", "score": 5}
BAD = {"ungrounded": [], "reason": "none of it is there", "score": 1}


@pytest.fixture
def session() -> Iterator[Session]:
    run = Session(Settings(concurrency=4))
    activate(run)
    yield run
    deactivate(run)
    run.close()


class Meeting(BaseJudge):
    """A judge that answers nobody before ``parties`` questions are with it at once.

    ``here`` counts those that are with it, ``most`` how many were at the same time.
    """

    name = "meeting"

    def __init__(self, parties: int, reply: Mapping[str, Any] = GOOD) -> None:
        self.parties = parties
        self.reply = reply
        self.here = 0
        self.most = 0
        self._answers: asyncio.Event | None = None

    def connect(self, timeout: float, notice: Callable[[str], None]) -> Meeting:
        return self

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        self._answers = self._answers or asyncio.Event()
        self.here += 1
        self.most = max(self.most, self.here)
        try:
            if self.here >= self.parties:
                await self.met(self._answers)
            await asyncio.wait_for(self._answers.wait(), GUARD)
        finally:
            self.here -= 1
        return Said(json.dumps(self.reply))

    async def met(self, answers: asyncio.Event) -> None:
        """What happens when all are there."""
        answers.set()

    async def close(self) -> None:
        pass


class Doorkeeper(Meeting):
    """Lets nobody go before all who could have come had ample turns of the loop to do so."""

    all_asked = False

    async def met(self, answers: asyncio.Event) -> None:
        while not self.all_asked:
            await asyncio.sleep(0.005)
        for _ in range(200):
            await asyncio.sleep(0)
        answers.set()


@pytest.mark.usefixtures("session")
def test_the_checks_of_a_block_are_with_the_judge_at_the_same_time() -> None:
    judge = Meeting(3)
    with together():
        results = [assert_grounded(f"a{n}", context="c", judge=judge) for n in range(3)]
    assert [result.score for result in results] == [5, 5, 5]


@pytest.mark.usefixtures("session")
def test_no_more_questions_are_with_judges_than_the_concurrency_allows() -> None:
    judge = Doorkeeper(4)
    with together():
        for n in range(8):
            assert_grounded(f"a{n}", context="c", judge=judge)
        judge.all_asked = True
    assert judge.most == 4


@pytest.mark.usefixtures("session")
def test_all_failures_come_at_once_and_errors_apart() -> None:
    lost = JudgeUnavailable("gone for lunch")
    with pytest.raises(CheckFailed) as caught, together():
        assert_grounded("one", context="c", judge=ScriptedJudge(BAD))
        assert_grounded("two", context="c", judge=ScriptedJudge(GOOD))
        assert_grounded("three", context="c", judge=ScriptedJudge(BAD))
        assert_relevant("four", query="q", judge=ScriptedJudge(lost))
    text = str(caught.value)
    assert text.startswith("2 of 4 checks failed\n\ngroundedness 1 is below 4")
    assert "response one" in text
    assert "response three" in text
    assert "response two" not in text
    failed, apart = text.split("1 more got no verdict")
    assert "gone for lunch" in apart
    assert "gone for lunch" not in failed
    assert failed.count("at test_together.py:") == 2


@pytest.mark.usefixtures("session")
def test_errors_alone_are_an_error() -> None:
    lost = ScriptedJudge(JudgeUnavailable("gone for lunch"))
    with pytest.raises(JudgeUnavailable), together():
        assert_grounded("one", context="c", judge=lost)
        assert_grounded("two", context="c", judge=ScriptedJudge(GOOD))
    with pytest.raises(EvalError, match="2 of 2 checks got no verdict") as caught, together():
        assert_grounded("one", context="c", judge=lost)
        assert_grounded("two", context="c", judge=lost)
    assert not isinstance(caught.value, AssertionError)


@pytest.mark.usefixtures("session")
def test_a_lacking_judge_is_told_as_such() -> None:
    with pytest.raises(NoJudge), together():
        assert_grounded("one", context="c")
        assert_grounded("two", context="c")


@pytest.mark.usefixtures("session")
def test_a_pending_result_waits_for_its_attributes_and_is_neither_true_nor_false() -> None:
    with together():
        result = assert_grounded("one", context="c", judge=ScriptedJudge(GOOD))
        with pytest.raises(TypeError, match="neither true nor false"):
            bool(result)
        assert (result.score, result.outcome) == (5, Outcome.PASSED)
        with pytest.raises(AttributeError):
            _ = result.scores  # type: ignore[attr-defined]
    assert "all of it is there" in repr(result)


@pytest.mark.usefixtures("session")
def test_an_exception_of_the_blocks_own_wins_and_finished_verdicts_go_with_it() -> None:
    with pytest.raises(KeyError) as caught, together():
        result = assert_grounded("one", context="c", judge=ScriptedJudge(BAD))
        assert result.score == 1
        never = Meeting(2)
        assert_grounded("two", context="c", judge=never)
        raise KeyError("price")
    assert caught.value.__notes__ == ["groundedness 1 is below 4   (scripted)"]


def test_evaluate_in_a_block_is_recorded_and_fails_nothing(session: Session) -> None:
    case = Case(response="one", context=("c",))
    with together():
        result = evaluate(case, "groundedness", judge=ScriptedJudge(BAD))
    assert result.outcome is Outcome.FAILED
    news = session.news("", "")
    assert news is not None
    assert [record["outcome"] for record in news["records"]] == ["failed"]


@pytest.mark.usefixtures("session")
def test_blocks_nest_and_each_fails_for_its_own() -> None:
    with pytest.raises(CheckFailed, match="groundedness 1 is below 4"), together():
        assert_grounded("one", context="c", judge=ScriptedJudge(GOOD))
        with together():
            assert_grounded("two", context="c", judge=ScriptedJudge(BAD))
        pytest.fail("the inner block has failed")


@pytest.mark.usefixtures("session")
def test_an_async_block_leaves_the_loop_free_so_that_what_runs_on_it_can_answer() -> None:
    async def main() -> None:
        theirs = asyncio.get_running_loop()

        class OnThatLoop(ScriptedJudge):
            async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
                answer = asyncio.run_coroutine_threadsafe(asyncio.sleep(0.01, GOOD), theirs)
                reply: dict[str, Any] = await asyncio.wrap_future(answer)
                return await ScriptedJudge(reply).say(question, messages)

        async with together():
            result = assert_grounded("one", context="c", judge=OnThatLoop(GOOD))
            assert_grounded("two", context="c", judge=OnThatLoop(GOOD))
        assert result.score == 5
        with pytest.raises(CheckFailed):
            async with together():
                assert_grounded("one", context="c", judge=ScriptedJudge(BAD))

    asyncio.run(asyncio.wait_for(main(), GUARD))


@pytest.mark.usefixtures("session")
def test_a_cancelled_async_block_cancels_its_checks() -> None:
    judge = Meeting(2)

    async def main() -> None:
        async with together():
            assert_grounded("one", context="c", judge=judge)

    async def cancelled() -> None:
        task = asyncio.ensure_future(main())
        while not judge.here:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(cancelled(), GUARD))
    until(lambda: not judge.here)


def bad() -> None:
    assert_grounded("late", context="c", judge=ScriptedJudge(BAD))


async def bad_after(event: asyncio.Event) -> None:
    await event.wait()
    bad()


@pytest.mark.usefixtures("session")
def test_what_a_task_or_thread_checks_after_the_end_of_its_block_fails_by_itself() -> None:
    async def main(ends: type[Exception] | None) -> None:
        ended = asyncio.Event()
        with suppress(*[ends] if ends else []):
            async with together():
                task = asyncio.create_task(bad_after(ended))
                if ends:
                    raise ends
        ended.set()
        with pytest.raises(CheckFailed):
            await task

    asyncio.run(main(None))
    asyncio.run(main(ValueError))
    with together():
        inside = copy_context()
    with ThreadPoolExecutor(1) as thread, pytest.raises(CheckFailed):
        thread.submit(inside.run, bad).result()
    with pytest.raises(CheckFailed):
        inside.run(lambda: assert_quality(query="q", response="r", judge=saying(safety="no")))


@pytest.mark.usefixtures("session")
def test_what_a_task_checks_after_the_end_of_an_inner_block_belongs_to_the_one_around() -> None:
    async def main() -> None:
        ended = asyncio.Event()
        with pytest.raises(CheckFailed):
            async with together():
                async with together():
                    task = asyncio.create_task(bad_after(ended))
                ended.set()
                await task

    asyncio.run(main())


@pytest.mark.usefixtures("session")
def test_what_a_task_checks_while_its_block_is_waited_for_belongs_to_it() -> None:
    async def main() -> None:
        judge = Meeting(2, BAD)

        async def second() -> None:
            assert_grounded("two", context="c", judge=judge)

        with pytest.raises(CheckFailed, match="2 of 2 checks failed"):
            async with together():
                assert_grounded("one", context="c", judge=judge)
                task = asyncio.create_task(second())
        await task

    asyncio.run(asyncio.wait_for(main(), GUARD))


def test_what_comes_to_a_deferred_test_after_its_call_fails_by_itself(session: Session) -> None:
    for end in (DeferredChecks.settle, DeferredChecks.cancel):
        end(checks := DeferredChecks())
        session.deferring[get_ident()] = checks
        with pytest.raises(CheckFailed):
            bad()


@pytest.mark.usefixtures("session")
def test_a_block_of_one_fails_as_the_check_alone_would() -> None:
    with pytest.raises(CheckFailed) as alone:
        assert_grounded("one", context="c", judge=ScriptedJudge(BAD))
    with pytest.raises(CheckFailed) as inside, together():
        assert_grounded("one", context="c", judge=ScriptedJudge(BAD))
    assert str(inside.value) == str(alone.value)
    with together():
        pass
