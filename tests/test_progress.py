"""The live line: what it says, where it shows, and that nothing of it stays."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from threading import Timer

import pytest

from pytest_llmeval.judges.tally import Tally
from pytest_llmeval.reports import progress
from pytest_llmeval.reports.progress import LiveLine, state


def test_the_line_says_how_far_the_asking_is() -> None:
    tally = Tally(begun=50, answered=20, stored=10, errors=2, cost=0.0123)
    told = state(tally, planned=112, seconds=10)
    assert told == (
        "llm eval: 32/112 questions · 10 stored · 2 errors · 2.0/s · $0.0123 · about 40 s left"
    )


def test_what_is_not_known_is_not_said() -> None:
    told = state(Tally(begun=3, cost=None), planned=0, seconds=0.0)
    assert told == "llm eval: 0/3 questions · 0 stored · 0.0/s · cost unknown"


def later(seconds: float, value: object = None) -> Future[object]:
    future: Future[object] = Future()
    Timer(seconds, future.set_result, [value]).start()
    return future


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_LOOK", 0.02)
    monkeypatch.setattr(progress, "REFRESH", 0.02)


def test_the_live_line_is_shown_below_and_taken_away() -> None:
    file = io.StringIO()
    LiveLine(file, lambda: 7, live=True).wait(later(0.2), lambda: "1/2")
    shown = file.getvalue()
    assert "\n\x1b[2K1/2\x1b[1A\x1b[8G" in shown
    assert shown.endswith("\n\x1b[2K\x1b[1A\x1b[8G")


def test_a_short_wait_shows_nothing() -> None:
    file = io.StringIO()
    done: Future[object] = Future()
    done.set_exception(TimeoutError("the judge's own"))
    LiveLine(file, lambda: 7, live=True).wait(done, lambda: "1/2")
    assert file.getvalue() == ""


def test_a_log_gets_a_line_every_so_often() -> None:
    file = io.StringIO()
    line = LiveLine(file, lambda: 7, live=False)
    line.wait(later(0.1), lambda: "1/2")
    assert file.getvalue() == ""
    line._logged -= progress.IN_LOGS
    line.wait(later(0.1), lambda: "1/2")
    assert file.getvalue() == "\nllm eval: 1/2\n"


SLOW = """
import asyncio, pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.testing import ScriptedJudge
class Slow(ScriptedJudge):
    async def say(self, question, messages):
        await asyncio.sleep(1.2)
        return await super().say(question, messages)
@pytest.mark.llm_eval
def test_it():
    good = {"ungrounded": [], "reason": "r", "score": 5}
    assert_grounded("a", context="a", judge=Slow(good))
"""


@pytest.mark.parametrize(("options", "shown"), [((), True), (("-q",), False)], ids=str)
def test_on_a_terminal_the_line_is_live_and_quiet_runs_have_none(
    tmp_path: Path, options: tuple[str, ...], shown: bool
) -> None:
    tmp_path.joinpath("test_slow.py").write_text(SLOW)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pytest", "--llm-eval", "-p", "no:cacheprovider", *options]
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, stdin=theirs):
        os.close(theirs)
        output = b""
        while chunk := _read(ours):
            output += chunk
    os.close(ours)
    text = output.decode()
    assert "1 passed" in text
    assert bool(re.search(r"llm eval: 0/1 questions", text)) is shown


def _read(end: int) -> bytes:
    try:
        return os.read(end, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""
