"""What a suite's row adds to those of its metrics: how often a drop is found with it and without.

Every case is answered well or badly on each metric by itself; the judge errs on some answers, in
both runs. Then drops are put in: none, one that is spread over all metrics, and one in a single
metric. Told are regressions of the metrics alone, and of the metrics and their suite together.

    python benchmarks/suite_power.py --repeats 1000 --cases 100
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random

from pytest_llmeval.statistics.comparison import Comparison, compare
from pytest_llmeval.statistics.decision import Change, decide
from pytest_llmeval.statistics.paired import Pair

METRICS = 5
WELL = 0.95
ERRS = 0.02
DROPS = {
    "no change": (0.0,) * METRICS,
    "3 points of each metric": (0.03,) * METRICS,
    "4 points of each metric": (0.04,) * METRICS,
    "6 points of each metric": (0.06,) * METRICS,
    "15 points of one metric": (0.15, *(0.0,) * (METRICS - 1)),
}
Answers = list[list[bool]]
"""By case and metric, whether it passes."""


def runs(drops: Sequence[float], cases: int, chance: Random) -> tuple[Answers, Answers]:
    """The baseline and the run, with ``drops`` of the metrics between them."""
    true = [[chance.random() < WELL for _ in drops] for _ in range(cases)]
    now = [
        [good and chance.random() >= drop for good, drop in zip(case, drops, strict=True)]
        for case in true
    ]
    return _judged(true, chance), _judged(now, chance)


def _judged(answers: Answers, chance: Random) -> Answers:
    return [[good != (chance.random() < ERRS) for good in case] for case in answers]


def compared(name: str, before: Sequence[bool], now: Sequence[bool]) -> Comparison:
    """One metric, or the suite, in both runs."""
    sides = enumerate(zip(before, now, strict=True))
    return compare(name, [Pair([was], [came], f"{n}") for n, (was, came) in sides], outcomes=True)


def found(drops: Sequence[float], cases: int, chance: Random) -> tuple[bool, bool]:
    """Whether a regression is told by the metrics alone, and with the suite beside them."""
    before, now = runs(drops, cases, chance)
    metrics = [
        compared(f"m{n}", [case[n] for case in before], [case[n] for case in now])
        for n in range(len(drops))
    ]
    suite = compared("suite", [all(case) for case in before], [all(case) for case in now])
    alone, beside = (
        any(each.change is Change.REGRESSED for each in decide(family))
        for family in (metrics, [*metrics, suite])
    )
    return alone, beside


def main() -> None:
    """Print a row for each kind of drop."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--cases", type=int, default=100)
    given = parser.parse_args()
    print("| | metrics alone | with the suite |\n| --- | --- | --- |")
    for name, drops in DROPS.items():
        made = [found(drops, given.cases, Random(seed)) for seed in range(given.repeats)]
        alone, beside = (sum(each) / given.repeats for each in zip(*made, strict=True))
        print(f"| {name} | {alone:.1%} | {beside:.1%} |")


if __name__ == "__main__":
    main()
