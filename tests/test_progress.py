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


class Late(Future[object]):
    """Is there at the third look, however long each would have waited: ``patience`` tells."""

    def __init__(self) -> None:
        super().__init__()
        self.patience: list[float | None] = []

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self.patience.append(timeout)
        if len(self.patience) < 3:
            raise TimeoutError
        self.set_result(None)
        return super().exception()


def test_the_live_line_is_shown_below_and_taken_away() -> None:
    file, late = io.StringIO(), Late()
    LiveLine(file, lambda: 7, live=True).wait(late, lambda: "1/2")
    shown = file.getvalue()
    assert late.patience == [progress.FIRST_LOOK, progress.REFRESH, progress.REFRESH]
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
    line.wait(Late(), lambda: "1/2")
    assert file.getvalue() == ""
    line._logged -= progress.IN_LOGS
    line.wait(Late(), lambda: "1/2")
    assert file.getvalue() == "\nllm eval: 1/2\n"


SLOW = """
import asyncio, pathlib, pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.reports import progress
from pytest_llmeval.testing import ScriptedJudge
progress.FIRST_LOOK = progress.REFRESH = 0.01
class Slow(ScriptedJudge):
    async def say(self, question, messages):
        while not pathlib.Path("seen").exists(): await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
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
    live = re.compile(rb"llm eval: 0/1 questions")
    if not shown:
        tmp_path.joinpath("seen").touch()
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pytest", "--llm-eval", "-p", "no:cacheprovider", *options]
    with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, stdin=theirs):
        os.close(theirs)
        output = b""
        while chunk := _read(ours):
            output += chunk
            if live.search(output):
                tmp_path.joinpath("seen").touch()
    os.close(ours)
    assert b"1 passed" in output
    assert bool(live.search(output)) is shown


def _read(end: int) -> bytes:
    try:
        return os.read(end, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""
