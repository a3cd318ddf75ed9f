"""What a run costs beside what can't be saved: LiteLLM's own time, and pytest's.

Every line is the wall time of whole processes, taken in turns (A B A B …), the median of several.
Requests go to a loopback judge in a process of its own that takes a fixed time for each.

    python benchmarks/engine_speed.py --tests 200 --latency 0.2 --repeats 3
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

SUPPORT = Path(__file__).parent.parent / "tests" / "support"
CONCURRENCY = 32

SERVER = """
import sys, time
sys.path.insert(0, {support!r})
from loopback import Behaviour, LoopbackJudge
with LoopbackJudge("openai") as server:
    server.values = {{"score": 5, "verdict": "yes"}}
    server.default = Behaviour(delay={latency})
    print(server.url, flush=True)
    sys.stdin.read()
"""

BARE = """
import asyncio, json, sys
import litellm
litellm.suppress_debug_info = True
async def main():
    places = asyncio.Semaphore({concurrency})
    async def one(case):
        async with places:
            prompt = "Is it grounded? Reply with JSON. " + json.dumps(case)
            response = await litellm.acompletion(
                model="openai/judge", api_base={url!r}, api_key="x", temperature=0,
                messages=[{{"role": "user", "content": prompt}}])
            json.loads(response.choices[0].message.content)
    cases = [json.loads(line) for line in open("cases.jsonl")]
    await asyncio.gather(*map(one, cases))
asyncio.run(main())
"""

PREFETCHED = """
import pytest
from pytest_llmeval import assert_metrics
@pytest.mark.llm_cases("cases.jsonl", metrics=["groundedness"])
def test_it(llm_case): assert_metrics(llm_case)
"""
PLAIN = """
import json, pytest
from pytest_llmeval import Case, assert_grounded
ROWS = [json.loads(line) for line in open("cases.jsonl")]
@pytest.mark.llm_eval(MARKER)
@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_it(row): assert_grounded(row["response"], context=row["context"], query=row["query"])
"""
TRUE = """
import json, pytest
ROWS = [json.loads(line) for line in open("cases.jsonl")]
@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_it(row): assert True
"""


@contextmanager
def judge(latency: float) -> Iterator[str]:
    """The address of a judge that takes ``latency`` seconds."""
    code = SERVER.format(support=str(SUPPORT), latency=latency)
    command, pipe = [sys.executable, "-c", code], subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.communicate()


def lay_out(folder: Path, tests: int) -> None:
    """The cases and the test files in ``folder``."""
    words = "The tent weighs two kilos and stands in the rain for days without a leak. " * 4
    rows = [
        {"id": f"c{n}", "query": f"Q{n}?", "response": f"{n} kg. {words}", "context": [words]}
        for n in range(tests)
    ]
    folder.joinpath("cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder.joinpath("pytest.ini").write_text(
        "[pytest]\naddopts = -p no:anyio -p no:cacheprovider\n"
    )
    folder.joinpath("test_prefetched.py").write_text(PREFETCHED)
    folder.joinpath("test_deferred.py").write_text(PLAIN.replace("MARKER", "deferred=True"))
    folder.joinpath("test_blocking.py").write_text(PLAIN.replace("(MARKER)", ""))
    folder.joinpath("test_true.py").write_text(TRUE)


def seconds(folder: Path, command: Sequence[str]) -> float:
    """The wall time of ``command``, which has to succeed."""
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    # Compiled files are kept, as they are where packages are installed for use.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    taken = time.perf_counter() - started
    if ran.returncode:
        sys.exit(f"{' '.join(command)}\n{ran.stdout}\n{ran.stderr}")
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--blocking", action="store_true", help="tests one by one, too: slow")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, judge(given.latency) as url:
        folder = Path(name)
        lay_out(folder, given.tests)
        bare = [sys.executable, "-c", BARE.format(concurrency=CONCURRENCY, url=url)]
        pytest = [sys.executable, "-m", "pytest", "-q"]
        evals = [
            *(*pytest, "--llm-eval", "--llm-eval-model=openai/judge"),
            *(f"--llm-eval-base-url={url}", f"--llm-eval-concurrency={CONCURRENCY}"),
        ]
        anew = "--llm-eval-mode=refresh"
        runs = {
            "bare LiteLLM, gathered": bare,
            "prefetch": [*evals, anew, "test_prefetched.py"],
            "deferred": [*evals, anew, "test_deferred.py"],
            "prefetch -n 2": [*evals, anew, "-n2", "test_prefetched.py"],
        }
        if given.blocking:
            runs["blocking"] = [*evals, anew, "test_blocking.py"]
        report(folder, runs, given.repeats)
        stored = {
            "assert True": [*pytest, "test_true.py"],
            "stored, prefetch": [*evals, "test_prefetched.py"],
            "stored, blocking": [*evals, "test_blocking.py"],
            "stored, deferred": [*evals, "test_deferred.py"],
        }
        report(folder, stored, given.repeats)


def report(folder: Path, runs: dict[str, list[str]], repeats: int) -> None:
    """Take the time of ``runs`` in turns; print medians, spreads and ratios to the first.

    A first turn, not counted, fills caches; a single repeat only shows that it all works.
    """
    if repeats > 1:
        for command in runs.values():
            seconds(folder, command)
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, command in runs.items():
            taken[name].append(seconds(folder, command))
    base = taken[next(iter(runs))]
    for name, times in taken.items():
        ratio = median(each / first for each, first in zip(times, base, strict=True))
        spread = f"{min(times):.2f}–{max(times):.2f}"
        print(f"{name:24} {median(times):6.2f} s  ({spread})  × {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
