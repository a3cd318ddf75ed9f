"""Faults, kills and interrupts: every check ends in a verdict or a named error, none paid twice."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import loopback
import pytest
from awaited import GUARD, until
from loopback import Behaviour, LoopbackJudge

from pytest_llmeval.judges.store import Store

pytestmark = pytest.mark.processes

TESTS = """
import pytest
from pytest_llmeval import assert_metrics
@pytest.mark.llm_cases("qa.jsonl", metrics=["groundedness"])
def test_it(llm_case): assert_metrics(llm_case)
"""


@pytest.fixture
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as running:
        running.values = {"score": 5}
        yield running


def lay_out(folder: Path, count: int, tests: str = TESTS) -> None:
    rows = [
        {"id": f"c{n}", "query": f"q{n}", "response": f"r{n}", "context": ["c"]}
        for n in range(count)
    ]
    folder.joinpath("qa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder.joinpath("test_app.py").write_text(textwrap.dedent(tests))
    folder.joinpath("pytest.ini").write_text("[pytest]\naddopts = -p no:anyio -p no:asyncio\n")


def command(server: LoopbackJudge, *options: str) -> list[str]:
    return [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider"),
        *("--llm-eval", "--llm-eval-model=openai/judge", f"--llm-eval-base-url={server.url}"),
        *options,
    ]


def questions(server: LoopbackJudge) -> list[str]:
    """The case that each request was about."""
    return [
        re.findall(r"\nr\d+\n", json.dumps(body).replace("\\n", "\n"))[0] for body in server.bodies
    ]


def test_with_a_third_of_replies_spoilt_every_check_ends_and_the_rerun_asks_for_the_errors_only(
    server: LoopbackJudge, tmp_path: Path
) -> None:
    count, chance = 300, random.Random(3)
    spoilt = [
        loopback.status(429, retry_after="0.05"),
        loopback.status(500),
        Behaviour(connection="hung"),
        Behaviour("no verdict at all"),
        loopback.cut(),
    ]
    good = Behaviour()
    server.script(
        *(chance.choice(spoilt) if chance.random() < 0.3 else good for _ in range(3 * count))
    )
    lay_out(tmp_path, count)
    options = ("--llm-eval-concurrency=32", "-rN", "--tb=no", "-q")
    told = command(server, "--llm-eval-timeout=1", *options)
    first = subprocess.run(told, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    counts = outcomes(first.stdout)
    assert set(counts) <= {"passed", "error", "errors"}
    assert sum(counts.values()) == count
    kept = len(Store(tmp_path / ".llm_eval"))
    assert kept == counts.get("passed", 0)
    assert "Traceback" not in first.stderr
    server.begin_anew()
    again = subprocess.run(
        command(server, *options), cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert outcomes(again.stdout) == {"passed": count}
    assert len(server.bodies) == count - kept


def outcomes(output: str) -> dict[str, int]:
    last = output.strip().splitlines()[-1]
    return {
        word: int(number) for number, word in re.findall(r"(\d+) (passed|errors?|failed)", last)
    }


def test_a_kill_loses_no_reply_that_was_received(server: LoopbackJudge, tmp_path: Path) -> None:
    count, at_once = 60, 8
    lay_out(tmp_path, count)
    server.script(*[Behaviour(delay=0.05)] * (count // 2))
    server.default = loopback.hung()
    told = command(server, "-n2", f"--llm-eval-concurrency={at_once}")
    running = subprocess.Popen(
        told, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, process_group=0
    )
    until(lambda: len(server.bodies) >= count // 2, of=lambda: running.poll() is None)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate(timeout=GUARD)  # until workers, too, have let go of it
    before = set(questions(server))
    kept = len(Store(tmp_path / ".llm_eval"))
    assert count // 2 - at_once <= kept <= count // 2
    server.begin_anew()
    server.default = Behaviour()
    subprocess.run(told, cwd=tmp_path, check=True, capture_output=True, timeout=600)
    again = questions(server)
    assert len(again) == len(set(again)) == count - kept
    assert len(before & set(again)) <= at_once
    assert len(Store(tmp_path / ".llm_eval")) == count


TELLS_OF_A_REPORT = """
from pathlib import Path
def pytest_runtest_logreport(report):
    if report.when == "teardown": Path(__file__).with_name("reported").touch()
"""


@pytest.mark.parametrize("options", [(), ("-n2",)], ids=["one process", "xdist"])
def test_an_interrupt_keeps_what_was_received_and_prints_the_summary(
    server: LoopbackJudge, tmp_path: Path, options: tuple[str, ...]
) -> None:
    lay_out(tmp_path, 40)
    tmp_path.joinpath("conftest.py").write_text(TELLS_OF_A_REPORT)
    server.script(*[Behaviour()] * 10)
    server.default = Behaviour(delay=2)
    running = subprocess.Popen(
        command(server, "--llm-eval-concurrency=4", *options),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    for comes in (lambda: len(server.bodies) >= 10, tmp_path.joinpath("reported").exists):
        until(comes, of=lambda: running.poll() is None)
    running.send_signal(signal.SIGINT)
    output, _ = running.communicate(timeout=GUARD)
    assert running.returncode == pytest.ExitCode.INTERRUPTED
    assert "= llm eval =" in output
    assert re.search(r"groundedness +\d+/\d+", output)
    asked = len(server.bodies)
    assert asked < 40
    assert asked - 4 <= len(Store(tmp_path / ".llm_eval")) <= asked


BLOCKING = """
import pytest
from pytest_llmeval import assert_grounded
@pytest.mark.llm_eval
def test_it(): assert_grounded("r", context="c")
"""


def test_importing_litellm_is_on_its_own_line_and_in_no_tests_duration(
    server: LoopbackJudge, tmp_path: Path
) -> None:
    lay_out(tmp_path, 1, BLOCKING)
    ran = subprocess.run(
        command(server, "--durations=0", "-vv"), cwd=tmp_path, capture_output=True, text=True
    )
    took = re.search(r"importing LiteLLM took ([\d.]+) s", ran.stdout)
    duration = re.search(r"([\d.]+)s call +test_app", ran.stdout)
    assert took is not None
    assert duration is not None
    assert float(duration[1]) < float(took[1])
