"""What a stored check costs in a long run, in CPU and memory, beyond pytest's own; and as it grows.

Runs of pytest with more and more tests, each with one check that the store answers, beside the same
tests without a check. Printed is what one more check takes, from size to size.

    python benchmarks/stored_checks.py --sizes 1000 5500 10000
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median

CHECKED = """
import pytest
from pytest_llmeval import assert_grounded
from pytest_llmeval.testing import ScriptedJudge
JUDGE = ScriptedJudge({"ungrounded": [], "reason": "r", "score": 5}, name="scripted", kept=True)
CONTEXT = "The tent weighs two kilos and stands in the rain for days without a leak. " * 4
@pytest.mark.llm_eval
@pytest.mark.parametrize("n", range(SIZE))
def test_it(n): assert_grounded(f"It weighs {n} kg.", context=CONTEXT, query="Q?", judge=JUDGE)
"""
PLAIN = """
import pytest
@pytest.mark.parametrize("n", range(SIZE))
def test_it(n): assert True
"""


def run(folder: Path, file: str) -> tuple[float, int]:
    """CPU seconds and peak memory (bytes) of a run of the tests in ``file``."""
    without = [f"-pno:{plugin}" for plugin in ("cacheprovider", "anyio", "asyncio")]
    command = [sys.executable, "-m", "pytest", "-q", *without, "--llm-eval", file]
    # Compiled files are kept, as they are where packages are installed for use.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(command, cwd=folder, env=kept, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} ended with {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 5500, 10000])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        beyond: list[tuple[float, float]] = []
        for size in given.sizes:
            checked, plain = f"test_checked_{size}.py", f"test_plain_{size}.py"
            folder.joinpath(checked).write_text(CHECKED.replace("SIZE", str(size)))
            folder.joinpath(plain).write_text(PLAIN.replace("SIZE", str(size)))
            run(folder, checked)  # which fills the store, and compiles
            run(folder, plain)
            pairs = [(run(folder, checked), run(folder, plain)) for _ in range(given.repeats)]
            cpu = median(with_it[0] - without[0] for with_it, without in pairs)
            memory = median(with_it[1] - without[1] for with_it, without in pairs)
            beyond.append((cpu, memory))
            print(f"{size:6} checks: {cpu:.2f} s CPU and {memory / 1e6:.1f} MB beyond pytest's own")
        sizes = zip(given.sizes, beyond, strict=True)
        for (fewer, (cpu, memory)), (more, (next_cpu, next_memory)) in pairwise(sizes):
            each = more - fewer
            print(
                f"one more check, from {fewer} to {more}: "
                f"{1e3 * (next_cpu - cpu) / each:.3f} ms CPU, "
                f"{(next_memory - memory) / each / 1e3:.2f} kB"
            )


if __name__ == "__main__":
    main()
