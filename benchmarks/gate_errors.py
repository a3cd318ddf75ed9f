"""How often a gate errs: alarms with nothing changed, and drops that it misses.

Suites are simulated again and again. Every case has a chance of its own of being answered well, the
same in both runs, and the judge errs now and then in both. First nothing changes; then there is a
true drop, as large as the one that the first comparison says that it could have seen. Beside it,
two gates that people write by hand. Exits with status 1 where a figure is off by more than chance.

    python benchmarks/gate_errors.py --runs 2000 --cases 100
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from random import Random

from pytest_llmeval.statistics.comparison import Comparison, compare
from pytest_llmeval.statistics.decision import LEVEL, Change, decide
from pytest_llmeval.statistics.detectable import POWER
from pytest_llmeval.statistics.paired import Pair

WELL = (4.0, 1.0)
"""The beta distribution of how likely a case is to be answered well: 0.8 on average."""
JUDGE_ERRS = 0.05
RATE = 0.8 * (1 - JUDGE_ERRS) + 0.2 * JUDGE_ERRS
"""The pass rate to be expected."""
LEVELS = (2.0, 3.0, 4.0, 4.0, 5.0)
"""Scores about which those of a case lie, where there is no pass rule."""
SLACK = 0.05
"""How far from its power a gate may be."""

Gate = Callable[[Sequence[Comparison]], bool]


@dataclass(frozen=True)
class Suite:
    """What is simulated: how many cases, metrics, trials of a case, cases of one group."""

    name: str
    cases: int = 100
    metrics: int = 1
    trials: int = 1
    group: int = 1
    outcomes: bool = True


SUITES = (
    Suite("one metric"),
    Suite("five metrics", metrics=5),
    Suite("three trials", trials=3),
    Suite("groups of four", group=4),
    Suite("scores", outcomes=False),
)


def regressed(comparisons: Sequence[Comparison]) -> bool:
    """Ours: a metric regressed."""
    return any(each.change is Change.REGRESSED for each in decide(comparisons))


def changed(comparisons: Sequence[Comparison]) -> bool:
    """Ours: a metric regressed or improved."""
    told = {each.change for each in decide(comparisons)}
    return bool(told & {Change.REGRESSED, Change.IMPROVED})


def any_flip(comparisons: Sequence[Comparison]) -> bool:
    """By hand: a case that is worse than it was."""
    return any(each.worse for each in comparisons)


def any_drop(comparisons: Sequence[Comparison]) -> bool:
    """By hand: a rate, or a mean, below the baseline's."""
    return any(each.gain < 0 for each in comparisons)


GATES: dict[str, Gate] = {
    "regressed": regressed,
    "regressed or improved": changed,
    "any drop": any_drop,
    "any flip": any_flip,
}


def compared(suite: Suite, drop: float, chance: Random) -> list[Comparison]:
    """Two runs of ``suite``, with a true ``drop`` of its first metric in the second of them."""
    cases = list(_cases(suite, drop, chance) if suite.outcomes else _scores(suite, drop, chance))
    return [
        compare(str(number), pairs, outcomes=suite.outcomes)
        for number, pairs in enumerate(zip(*cases, strict=True))
    ]


def _cases(suite: Suite, drop: float, chance: Random) -> Iterator[list[Pair]]:
    """For each case a pair for each metric: all of them judge the same answers."""
    for number in range(suite.cases):
        if number % suite.group == 0:
            shared, broken = chance.betavariate(*WELL), chance.random() < drop / RATE
        alone = suite.group == 1 or chance.random() < 0.5
        well = chance.betavariate(*WELL) if alone else shared
        runs = [
            [chance.random() < well for _ in range(suite.trials)],
            [chance.random() < well for _ in range(suite.trials)],
        ]
        group = None if suite.group == 1 else str(number // suite.group)
        yield [
            Pair(
                [_judged(answer, chance) for answer in runs[0]],
                [not (broken and not metric) and _judged(answer, chance) for answer in runs[1]],
                group,
            )
            for metric in range(suite.metrics)
        ]


def _judged(answer: bool, chance: Random) -> bool:
    return answer != (chance.random() < JUDGE_ERRS)


def _scores(suite: Suite, drop: float, chance: Random) -> Iterator[list[Pair]]:
    for _ in range(suite.cases):
        level = chance.choice(LEVELS)
        before, after = chance.gauss(level, 0.7), chance.gauss(level - drop, 0.7)
        yield [Pair([round(before)], [round(after)])]


def simulated(suite: Suite, runs: int, seed: int) -> tuple[Counter[str], Counter[str], float]:
    """Alarms of each gate with no change and with a drop, and the drop, on average."""
    chance = Random(f"{seed} {suite.name}")
    alarms: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    drops = []
    for _ in range(runs):
        still = compared(suite, 0, chance)
        drop = still[0].detectable(LEVEL / suite.metrics)
        alarms.update(name for name, gate in GATES.items() if gate(still))
        if drop is not None:
            drops.append(drop)
            moved = compared(suite, drop, chance)
            hits.update(name for name, gate in GATES.items() if gate(moved))
            hits["the right one"] += decide(moved)[0].change is Change.REGRESSED
    if len(drops) < runs:
        print(f"{suite.name}: too few cases to see anything in {runs - len(drops)} of {runs} runs")
    return alarms, hits, sum(drops) / max(len(drops), 1)


def main(runs: int, cases: int, seed: int) -> int:
    """Print the table; the exit status."""
    off = []
    print(f"{runs} runs of {cases} cases    " + "".join(f"{name:>24}" for name in GATES))
    for suite in (replace(each, cases=cases) for each in SUITES):
        alarms, hits, drop = simulated(suite, runs, seed)
        said = f"{100 * drop:.1f} pts" if suite.outcomes else f"{drop:.2f}"
        for title, told in (("no change", alarms), (f"drop of {said}", hits)):
            shares = "".join(f"{100 * told[name] / runs:>22.1f} %" for name in GATES)
            print(f"{suite.name:15}{title:18}{shares}")
        found = hits["the right one"] / runs
        print(f"{'':15}{'in the right one':18}{100 * found:>20.1f} %")
        if alarms["regressed or improved"] / runs > LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / runs):
            off.append(f"false alarms of {suite.name}")
        if abs(found - POWER) > SLACK + 3 * sqrt(POWER * (1 - POWER) / runs):
            off.append(f"power of {suite.name}")
    if off:
        print(f"OFF: {', '.join(off)}")
    return 1 if off else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(main(**vars(parser.parse_args())))
