"""How often a baseline gives an alarm where the judge alone is noisy, and nothing has changed.

Every case has a true score on each metric, the same in both runs; the judge is off by one in either
direction on a share of them, in both. The first run is written as a baseline and read again, the
second is compared with it, by the code that a build runs. Exits with status 1 where there are more
alarms than chance allows.

    python benchmarks/baseline_noise.py --repeats 50 --cases 100
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from pytest_llmeval.baselines.file import baseline_text, read_baseline
from pytest_llmeval.baselines.gate import FailOn, baseline_gate
from pytest_llmeval.baselines.rows import rows_of
from pytest_llmeval.baselines.standing import Roll
from pytest_llmeval.baselines.versus import versus
from pytest_llmeval.gates.gate import GateState
from pytest_llmeval.records.record import Record
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import ONE_TO_FIVE, Threshold
from pytest_llmeval.statistics.decision import LEVEL

METRICS = ("groundedness", "relevance", "coherence")
TRUE = (2, 3, 3, 4, 4, 4, 5, 5, 5, 5)
OFF = 1 / 3
"""The share of verdicts that are off by one."""
RULE = Threshold("at_least", 4)
GATES: tuple[FailOn, ...] = ("regression", "drop", "any-flip")

Scores = Sequence[tuple[str, int, int]]
"""Metric, number of the case, and true score."""


def run(true: Scores, chance: Random) -> list[Record]:
    """The records of one run whose judge is noisy."""
    return [_record(metric, case, _noisy(score, chance)) for metric, case, score in true]


def _noisy(score: int, chance: Random) -> int:
    if chance.random() >= OFF:
        return score
    return min(5, max(1, score + chance.choice((-1, 1))))


def _record(metric: str, case: int, score: int) -> Record:
    outcome = Outcome.PASSED if RULE.holds(score) else Outcome.FAILED
    result = Result(
        metric, outcome, ONE_TO_FIVE, RULE, graded=score, judge="noisy", case_id=f"{case}"
    )
    return Record.of(result, f"test_noise.py::test_it[{case}]")


def alarms(repeats: int, cases: int, seed: int) -> Counter[str]:
    """How often each gate breaks."""
    chance = Random(seed)
    broken: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "baseline.json"
        for _ in range(repeats):
            true = [
                (metric, case, chance.choice(TRUE)) for case in range(cases) for metric in METRICS
            ]
            path.write_text(baseline_text(rows_of(run(true, chance))))
            roll = Roll({}, frozenset(["test_noise.py"]))
            found = versus(read_baseline(path), run(true, chance), roll)
            for gate in GATES:
                broken[gate] += baseline_gate(found, gate).state is GateState.BROKEN
    return broken


def main(repeats: int, cases: int, seed: int) -> int:
    """Print the alarms; the exit status."""
    broken = alarms(repeats, cases, seed)
    print(
        f"{repeats} repeats of {cases} cases and {len(METRICS)} metrics, nothing changed; broken:"
    )
    for gate in GATES:
        print(f"  --llm-eval-fail-on={gate:12}{broken[gate]:>5}  {broken[gate] / repeats:.1%}")
    most = repeats * LEVEL + 3 * sqrt(repeats * LEVEL * (1 - LEVEL))
    if broken["regression"] > most:
        print(f"OFF: more than {most:.0f} false alarms")
    return int(broken["regression"] > most)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(main(**vars(parser.parse_args())))
