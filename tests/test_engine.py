"""The engine: one flight for each question, in this process and across processes; nothing lost."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from awaited import GUARD, until
from loopback import LoopbackJudge

from pytest_llmeval.errors import JudgeError, JudgeMisconfigured, JudgeUnavailable, NotRecorded
from pytest_llmeval.judges import leases
from pytest_llmeval.judges.base import BaseJudge, Message, Question, Said
from pytest_llmeval.judges.committed import SUFFIX, Verdicts
from pytest_llmeval.judges.engine import Engine, Mode
from pytest_llmeval.judges.leases import Leases
from pytest_llmeval.judges.reply import Reason, Reply
from pytest_llmeval.judges.store import LEASE, Store
from pytest_llmeval.judges.verdict_line import VerdictLine


class Grade(Reply):
    reason: Reason
    score: int


def question(text: str = "q") -> Question[Grade]:
    return Question("grade", (("user", text),), Grade)


class Slow(BaseJudge):
    """A judge with an identity that counts questions and answers when it is let go."""

    name = "slow"

    def __init__(self, *faults: Exception, open_at_once: bool = True, score: int = 3) -> None:
        self.asked: list[str] = []
        self.faults = [*faults]
        self.open_at_once = open_at_once
        self.score = score
        self.door: asyncio.Event | None = None

    @property
    def identity(self) -> dict[str, Any]:
        return {"slow": 1}

    def connect(self, timeout: float, notice: Callable[[str], None]) -> Slow:
        return self

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        self.asked.append(messages[0][1])
        if self.door is None:
            self.door = asyncio.Event()
            if self.open_at_once:
                self.door.set()
        await self.door.wait()
        if self.faults:
            raise self.faults.pop(0)
        reply = json.dumps({"reason": "r", "score": self.score})
        return Said(reply, input_tokens=2, output_tokens=1, cost=0.5)

    async def close(self) -> None:
        pass


@pytest.fixture
def polled(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Is set when somebody waits for the answer to a question that another engine asks."""
    waits = threading.Event()

    def polling() -> Iterator[float]:
        while True:
            waits.set()
            yield 0.01

    monkeypatch.setattr(Leases, "polling", polling)
    return waits


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    made: list[Engine] = []

    def make(mode: Mode = "auto", **more: Any) -> Engine:
        made.append(Engine(Store(tmp_path / "store"), mode, 10, lambda text: None, **more))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


def test_the_same_question_from_many_threads_is_one_request(
    engines: Callable[..., Engine],
) -> None:
    engine, judge = engines(), Slow(open_at_once=False)
    futures = [engine.submit(engine.ask(judge, question())) for _ in range(20)]
    until(lambda: judge.asked)
    engine.submit(_open(judge)).result()
    answers = [future.result() for future in futures]
    assert judge.asked == ["q"]
    assert sorted(answer.asked for answer in answers) == [False] * 19 + [True]
    assert engine.tally.begun == 1


def test_what_was_asked_ahead_is_claimed_once_and_counts_as_asked_by_who_claims_it(
    engines: Callable[..., Engine],
) -> None:
    engine, judge = engines("off"), Slow()
    engine.submit(engine.ask(judge, question(), ahead=True)).result()
    engine.submit(engine.ask(judge, question("other"), ahead=True)).result()
    assert len(engine.submit(engine.unclaimed()).result()) == 2
    claimed = engine.submit(engine.ask(judge, question())).result()
    assert (claimed.asked, judge.asked) == (True, ["q", "other"])
    [left] = engine.submit(engine.unclaimed()).result()
    assert left.cost == 0.5
    engine.submit(engine.ask(judge, question())).result()  # mode off: nothing was kept
    assert judge.asked == ["q", "other", "q"]


def test_an_error_met_ahead_is_the_error_of_who_comes_for_it_and_then_asked_anew(
    engines: Callable[..., Engine],
) -> None:
    engine, judge = engines(), Slow(JudgeUnavailable("gone for lunch"))
    with pytest.raises(JudgeUnavailable):
        engine.submit(engine.ask(judge, question(), ahead=True)).result()
    with pytest.raises(JudgeUnavailable):
        engine.submit(engine.ask(judge, question())).result()
    assert judge.asked == ["q"]
    assert engine.submit(engine.ask(judge, question())).result().reply.score == 3
    assert (engine.tally.errors, engine.tally.answered) == (1, 1)


def test_what_a_judge_raises_that_is_no_error_of_ours_becomes_one(
    engines: Callable[..., Engine],
) -> None:
    engine = engines()
    with pytest.raises(JudgeError, match="slow raised ValueError: odd") as caught:
        engine.submit(engine.ask(Slow(ValueError("odd")), question())).result()
    assert isinstance(caught.value.__cause__, ValueError)


class Forbidding(Slow):
    """Refuses one question at once, as if its key were refused."""

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        if messages[0][1] == "forbidden":
            raise JudgeMisconfigured("the key was refused")
        return await super().say(question, messages)


def test_a_judge_that_answers_after_all_is_asked_again(engines: Callable[..., Engine]) -> None:
    engine, judge = engines("off"), Forbidding(open_at_once=False)
    under_way = engine.submit(engine.ask(judge, question("before")))
    until(lambda: judge.asked)
    for text in ("forbidden", "given up"):
        with pytest.raises(JudgeMisconfigured):
            engine.submit(engine.ask(judge, question(text))).result()
    engine.submit(_open(judge)).result()
    assert under_way.result().reply.score == 3
    assert engine.submit(engine.ask(judge, question("after"))).result().reply.score == 3
    assert judge.asked == ["before", "after"]


def test_recalling_never_asks(engines: Callable[..., Engine]) -> None:
    engine, judge = engines(), Slow()

    async def recalled() -> Any:
        return engine.recall(judge, question())

    with pytest.raises(NotRecorded):
        engine.submit(recalled()).result()
    engine.submit(engine.ask(judge, question())).result()
    assert engine.submit(recalled()).result().reply.score == 3
    assert judge.asked == ["q"]


def test_a_waiter_takes_the_others_answer_and_does_not_ask(
    engines: Callable[..., Engine], tmp_path: Path, polled: threading.Event
) -> None:
    first, second = engines(), engines()
    slow, idle = Slow(open_at_once=False), Slow()
    asked = first.submit(first.ask(slow, question()))
    until(lambda: slow.asked)
    waiting = second.submit(second.ask(idle, question()))
    assert polled.wait(GUARD)
    assert second.submit(second.ask(idle, question("other"))).result().asked  # nobody else waits
    assert not waiting.done()
    first.submit(_open(slow)).result()
    assert asked.result().asked
    assert not waiting.result(GUARD).asked
    assert idle.asked == ["other"]
    assert len(Store(tmp_path / "store")) == 2


def test_when_the_asking_fails_the_waiter_asks_itself(
    engines: Callable[..., Engine], polled: threading.Event
) -> None:
    first, second = engines(), engines()
    slow, idle = Slow(JudgeError("no"), open_at_once=False), Slow()
    asked = first.submit(first.ask(slow, question()))
    until(lambda: slow.asked)
    waiting = second.submit(second.ask(idle, question()))
    assert polled.wait(GUARD)
    first.submit(_open(slow)).result()
    with pytest.raises(JudgeError):
        asked.result()
    assert waiting.result(GUARD).asked


def test_refreshing_processes_share_the_new_answer_and_not_the_old_one(
    engines: Callable[..., Engine], polled: threading.Event
) -> None:
    before = engines()
    before.submit(before.ask(Slow(score=1), question())).result()
    first, second = engines("refresh"), engines("refresh")
    slow, idle = Slow(open_at_once=False), Slow()
    asked = first.submit(first.ask(slow, question()))
    until(lambda: slow.asked)
    waiting = second.submit(second.ask(idle, question()))
    assert polled.wait(GUARD)
    first.submit(_open(slow)).result()
    assert asked.result().asked
    shared = waiting.result(GUARD)
    assert (shared.asked, shared.reply.score) == (False, 3)
    assert (slow.asked, idle.asked) == (["q"], [])


async def _open(judge: Slow) -> None:
    assert judge.door is not None
    judge.door.set()


DEAD = """
import asyncio, os, sys
from pathlib import Path
from pytest_llmeval.judges.leases import Leases
from pytest_llmeval.judges.store import Store
async def main():
    assert Leases(Store(Path(sys.argv[1]))).take("k")
    os.kill(os.getpid(), 9)
asyncio.run(main())
"""


def test_a_dead_process_keeps_no_lease(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", DEAD, str(tmp_path)])

    async def main() -> None:
        taken = Leases(Store(tmp_path))
        assert taken.take("k")
        assert not Leases(Store(tmp_path)).take("k")
        taken.release("k")
        assert Leases(Store(tmp_path)).free("k")

    asyncio.run(main())


@pytest.mark.parametrize(
    ("row", "free"),
    [
        ({"host": "elsewhere", "pid": 1, "until": 20.0}, False),
        ({"host": "elsewhere", "pid": 1, "until": -1.0}, True),
        ({"host": "elsewhere", "pid": 1, "until": 1e9}, True),
        ({"host": "elsewhere", "pid": 1, "until": "soon"}, True),
        ({"until": None}, True),
        ({"pid": "this", "until": 20.0}, False),
        ({"pid": 2**22 + 1, "until": 20.0}, True),
    ],
    ids=str,
)
def test_a_lease_holds_while_its_owner_lives_and_its_term_runs(
    tmp_path: Path, row: dict[str, Any], free: bool
) -> None:
    until = row["until"]
    if isinstance(until, float):
        until += time.time()
    if row.get("pid") == "this":
        row = {**row, "pid": os.getpid()}
    row = {"owner": "o", "host": leases._host(), **row, "until": until}
    Store(tmp_path).put(f"{LEASE}k", row)
    assert Leases(Store(tmp_path)).free("k") is free


def test_a_heartbeat_prolongs_a_lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "HEARTBEAT", 0.01)
    store = Store(tmp_path)

    async def main() -> None:
        mine = Leases(store)
        assert mine.take("k")
        before = store.get(f"{LEASE}k")
        assert before is not None
        async with asyncio.timeout(GUARD):
            while (now := store.get(f"{LEASE}k")) is not None and now["until"] <= before["until"]:
                await asyncio.sleep(0.01)
        assert now is not None
        mine.close()

    asyncio.run(main())
    assert store.get(f"{LEASE}k") is None
    assert [*store] == []


def test_leases_are_no_entries(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put("a", {"x": 1})
    store.put(f"{LEASE}a", {"owner": "o"})
    assert [key for key, _ in store] == ["a"]


MANY = """
import json, sys
from pathlib import Path
from pytest_llmeval import Case, Outcome, evaluate, together
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.stack import activate
run = Session(Settings(model="openai/judge", base_url=sys.argv[1], store=Path(sys.argv[2])))
activate(run)
with together():
    cases = [Case(response=f"answer {n}", context=("c",)) for n in range(int(sys.argv[3]))]
    results = [evaluate(case, "groundedness") for case in cases]
print(json.dumps([str(result.outcome) for result in results]))
run.close()
"""


def test_processes_that_ask_the_same_questions_at_once_make_each_request_once(
    tmp_path: Path,
) -> None:
    processes, questions = 4, 40
    with LoopbackJudge("openai") as server:
        server.values = {"score": 5}
        command = [sys.executable, "-c", MANY, server.url, str(tmp_path / "s"), str(questions)]
        running = [
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)
        ]
        outputs = [process.communicate(timeout=600)[0] for process in running]
        assert len(server.bodies) == questions
    for output in outputs:
        assert json.loads(output) == ["passed"] * questions
    assert len(Store(tmp_path / "s")) == questions


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("input_tokens", "lots"),
        ("output_tokens", True),
        ("cost", "free"),
        ("cost", -1),
        ("seconds", None),
        ("said", 5),
        ("messages", [["user", "another"]]),
    ],
)
def test_an_entry_that_was_changed_by_hand_is_asked_anew(
    engines: Callable[..., Engine], tmp_path: Path, field: str, value: object
) -> None:
    first, judge = engines(), Slow()
    first.submit(first.ask(judge, question())).result()
    first.close()
    store = Store(tmp_path / "store")
    [(key, entry)] = [*store]
    store.put(key, {**entry, field: value})
    store.close()
    second = engines()
    assert second.submit(second.ask(judge, question())).result().asked


def test_metrics_that_ask_the_same_are_told_the_same_whatever_they_are_called(
    engines: Callable[..., Engine], tmp_path: Path
) -> None:
    heard: dict[str, Any] = {}
    first, second, judge = engines(), engines(heard=heard), Slow()
    first.submit(first.ask(judge, question())).result()
    renamed = replace(question(), task="renamed")
    answer = second.submit(second.ask(judge, renamed)).result()
    assert not answer.asked
    assert [entry["task"] for entry in heard.values()] == ["renamed"]
    [(key, entry)] = heard.items()
    (tmp_path / f"test_a.py{SUFFIX}").write_text(VerdictLine(key, entry, ("test_it",)).text())
    replayed = Verdicts(tmp_path).answer(key, question())
    assert replayed is not None
    assert replayed.reply == answer.reply


def test_what_was_recalled_is_in_hand_for_the_next_who_asks(
    engines: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, judge = engines(), Slow()
    engine.submit(engine.ask(judge, question())).result()
    read: list[str] = []
    get = Store.get

    def counted(store: Store, key: str) -> dict[str, Any] | None:
        read.append(key)
        return get(store, key)

    monkeypatch.setattr(Store, "get", counted)

    async def recalled() -> None:
        engine.recall(judge, question())

    engine.submit(recalled()).result()
    for _ in range(2):
        answer = engine.submit(engine.ask(judge, question())).result()
        assert (answer.asked, answer.reply.score) == (False, 3)
    assert len(read) == 2  # by the recall, and by the second who asked
    assert judge.asked == ["q"]
