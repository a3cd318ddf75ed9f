"""What a large file of cases costs: to collect, beyond a plain ``parametrize``; and to run.

Collected are as many tests as there are rows, beside as many of ``range``, in turns. Run are cases
with two deterministic metrics each, beside plain tests; from size to size, what a check takes.

    python benchmarks/large_datasets.py --rows 100000 --repeats 5 --run 2000 10000
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

CASES = """
import pytest
from pytest_llmeval import assert_metrics
@pytest.mark.llm_cases("ROWS.jsonl", metrics={"exact_match": {}, "f1": {"at_least": 0.5}})
def test_it(llm_case): assert_metrics(llm_case)
"""
PLAIN = """
import pytest
@pytest.mark.parametrize("n", range(ROWS))
def test_it(n): pass
"""
ONLY_COLLECT = """
import pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(): return True
"""
CHECKS_PER_CASE = 2


def rows(count: int) -> Iterator[str]:
    """``count`` cases with three documents each, a line each."""
    documents = [
        {"id": f"d{n}", "content": f"Document {n}: " + "seams, poles, " * 9} for n in "abc"
    ]
    for n in range(count):
        case = {
            "query": f"How long is the warranty of tent number {n}, and what is covered?",
            "response": f"It is {n} years, for seams and poles.",
            "ground_truth": f"It is {n} years, for seams and poles.",
            "context": documents,
            "metadata": {"topic": "warranty"},
        }
        yield json.dumps(case) + "\n"


def run(folder: Path, file: str, *options: str) -> tuple[float, int]:
    """CPU seconds and peak memory (bytes) of a run of the tests in ``file``."""
    without = [f"-pno:{plugin}" for plugin in ("cacheprovider", "anyio", "asyncio")]
    command = [sys.executable, "-m", "pytest", "-qq", *without, *options, file]
    # Compiled files are kept, as they are where packages are installed for use.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        command, cwd=folder, env={**kept, "PYTHONPATH": "."}, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} ended with {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def beyond(folder: Path, count: int, repeats: int, *options: str) -> tuple[float, float, float]:
    """CPU seconds and bytes that ``count`` cases take beyond plain tests, and the ratio of CPU."""
    with folder.joinpath(f"{count}.jsonl").open("w") as file:
        file.writelines(rows(count))  # a whole text would count as memory of the runs, its children
    cases, plain = f"test_cases_{count}.py", f"test_plain_{count}.py"
    folder.joinpath(cases).write_text(CASES.replace("ROWS", str(count)))
    folder.joinpath(plain).write_text(PLAIN.replace("ROWS", str(count)))
    pairs = [(run(folder, cases, *options), run(folder, plain, *options)) for _ in range(repeats)]
    return (
        median(ours[0] - theirs[0] for ours, theirs in pairs),
        median(ours[1] - theirs[1] for ours, theirs in pairs),
        median(ours[0] / theirs[0] for ours, theirs in pairs),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--run", type=int, nargs="*", default=[2_000, 10_000])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.rows:
            folder.joinpath("only_collect.py").write_text(ONLY_COLLECT)
            for evals, options in (("off", []), ("on", ["--llm-eval"])):
                cpu, memory, ratio = beyond(
                    folder, given.rows, given.repeats, "-p", "only_collect", *options
                )
                print(
                    f"{given.rows} cases collected, evals {evals}: {cpu:.2f} s CPU and "
                    f"{memory / given.rows / 1e3:.2f} kB each beyond parametrize, {ratio:.2f}×"
                )
        ran = [beyond(folder, count, given.repeats, "--llm-eval") for count in given.run]
        for count, (cpu, memory, ratio) in zip(given.run, ran, strict=True):
            checks = count * CHECKS_PER_CASE
            print(
                f"{checks} checks of {count} cases: {1e3 * cpu / checks:.3f} ms CPU and "
                f"{memory / checks / 1e3:.2f} kB each beyond plain tests, {ratio:.2f}×"
            )
        for (fewer, before), (more, after) in pairwise(zip(given.run, ran, strict=True)):
            each = (more - fewer) * CHECKS_PER_CASE
            print(
                f"one more check, from {fewer} cases to {more}: "
                f"{1e3 * (after[0] - before[0]) / each:.3f} ms CPU, "
                f"{(after[1] - before[1]) / each / 1e3:.2f} kB"
            )


if __name__ == "__main__":
    main()
