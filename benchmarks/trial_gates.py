"""How often a gate on trials holds falsely: where they stop early, and where all of them run.

Suites are simulated again and again. Every case has a pass rate of its own; their mean is what the
gate asks for, or somewhat less. Trials stop as soon as a case is decided, or all run. Held are the
rate itself and the lower end of its interval, as the plugin makes them, and beside them two rates
that one might take instead. A second table tells how often the lower end is above the true rate,
and how far below it on average, where that is the trials' target, and ten points less. Exits with
status 1 where a suite that is below what is asked is held in half of the runs, or the lower end of
one whose trials stop is too high in more than 2.5 %, beyond chance.

    python benchmarks/trial_gates.py --runs 2000
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from random import Random

from pytest_llmeval.rates.case_values import CaseValues, Valued
from pytest_llmeval.records.tests import Weight
from pytest_llmeval.statistics.stopped import soonest, weights
from pytest_llmeval.statistics.trials import decided

ASKED = 0.8
"""The pass rate that the gate asks for."""
MOST = 20
"""``max_trials=``."""
CASES = 15
MOST_HELD = {"rate": 0.5, "lower": 0.025}
"""How often a gate may hold that should not, where trials stop."""


@dataclass(frozen=True)
class Mix:
    """The pass rates of the cases, in turn: ``rates`` as they are, or drawn with their mean.

    They are ``drawn`` from a beta distribution whose parameters add up to that, 0 for none.
    """

    name: str
    rates: tuple[float, ...]
    drawn: int = 0

    def of(self, cases: int, chance: Random) -> Iterator[float]:
        """A rate for each of ``cases``."""
        for number in range(cases):
            rate = self.rates[number * len(self.rates) // cases]
            sides = self.drawn * rate, self.drawn * (1 - rate)
            yield chance.betavariate(*sides) if self.drawn else rate


MIXES = (
    Mix("always or never", (1, 1, 1, 1, 0)),
    Mix("95 % or 20 %", (0.95, 0.95, 0.95, 0.95, 0.2)),
    Mix("all alike", (0.8,)),
    Mix("drawn", (0.8,), drawn=5),
    Mix("all alike, below", (0.77,)),
    Mix("drawn, below", (0.77,), drawn=5),
    Mix("10 of 15 always", (1, 1, 0)),
)


SPREADS = {"all alike": 0, "drawn": 5, "drawn far apart": 2}
"""How the cases' rates are drawn about their mean, as ``Mix`` has it."""
TARGETS = (0.5, 0.8, 0.9)


@cache
def is_decided(passed: int, failed: int, target: float) -> bool:
    """Whether a case is told to be above or below ``target``."""
    return decided(passed, failed, target) is not None


def trials(rate: float, target: float | None, chance: Random) -> list[bool]:
    """The trials of a case that passes at ``rate``, until it is decided if there is a target."""
    came: list[bool] = []
    while len(came) < MOST:
        came.append(chance.random() < rate)
        passed = sum(came)
        if target is not None and is_decided(passed, len(came) - passed, target):
            break
    return came


def values(suite: Sequence[Sequence[bool]], target: float | None) -> CaseValues:
    """What the plugin makes of the trials of each case."""
    first = soonest(target, 1, MOST) if target is not None else None
    checks = []
    for case, came in enumerate(suite):
        each = {str(number): passed for number, passed in enumerate(came)}
        weigh = weights(each, target, 1) if target is not None else dict.fromkeys(each, 1.0)
        checks += [
            Valued(str(case), str(case), float(passed), Weight(weigh[number], first), tried=True)
            for number, passed in each.items()
        ]
    return CaseValues.of(checks)


def held(suite: Sequence[Sequence[bool]], target: float | None) -> Iterator[str]:
    """The gates that hold."""
    made = values(suite, target)
    rates = {
        "rate": made.mean() or 0.0,
        "lower": made.interval()[0],
        "plain mean": sum(sum(came) / len(came) for came in suite) / len(suite),
        "checks": sum(map(sum, suite)) / sum(map(len, suite)),
    }
    yield from (name for name, rate in rates.items() if rate >= ASKED - 1e-9)


def main(runs: int, cases: int, seed: int) -> int:
    """Print the table; the exit status."""
    off = []
    print(f"{runs} runs of {cases} cases, max_trials={MOST}: how often is a rate of 80 % held?")
    print(f"{'':20}{'target':>8}{'trials':>8}" + "".join(f"{name:>14}" for name in _NAMES))
    for mix in MIXES:
        for target in (None, 0.8, 0.5, 0.2):
            told, ran = simulated(mix, target, runs, cases, Random(f"{seed} {mix.name} {target}"))
            shown = "".join(f"{100 * told[name] / runs:>12.1f} %" for name in _NAMES)
            print(f"{mix.name:20}{target or 'all run':>8}{ran:>8.1f}{shown}")
            below = sum(mix.rates) / len(mix.rates) < ASKED - 1e-9
            if target is not None:
                held_names = ("rate", "lower") if below else ("lower",)
                high = (name for name in held_names if too_often(told[name] / runs, name, runs))
                off += [f"{name} of {mix.name} at {target}" for name in high]
    off += lower_ends(runs, seed)
    if off:
        print(f"OFF: {', '.join(off)}")
    return 1 if off else 0


def too_often(share: float, name: str, runs: int) -> bool:
    """Whether ``share`` of the runs is more than may be, beyond chance."""
    most = MOST_HELD[name]
    return share > most + 3 * sqrt(most * (1 - most) / runs)


def lower_ends(runs: int, seed: int) -> list[str]:
    """Print the table of lower ends; where they are too high too often."""
    off = []
    print(f"\n{runs} runs: how often is the lower end above the true rate, and how far below it?")
    print(f"{'cases':>5}{'target':>8}{'rate':>6}" + "".join(f"{name:>24}" for name in SPREADS))
    for cases, target, rate in ((c, t, t - d) for c in (15, 40) for t in TARGETS for d in (0, 0.1)):
        for stops in (target, None):
            shown = ""
            for name, drawn in SPREADS.items():
                chance = Random(f"{seed} {name} {cases} {target} {rate} {stops}")
                ends = [
                    lower_end(Mix(name, (rate,), drawn), cases, stops, chance) for _ in range(runs)
                ]
                share = sum(end > rate + 1e-9 for end in ends) / runs
                if stops is not None and too_often(share, "lower", runs):
                    off.append(f"lower end of {name}, {rate:.1f} at {target}, {cases} cases")
                below = 100 * (rate - sum(ends) / runs)
                shown += f"{100 * share:>12.1f} %{below:>6.1f} pts"
            print(f"{cases:>5}{stops or 'all run':>8}{rate:>6.1f}{shown}")
    return off


def lower_end(mix: Mix, cases: int, target: float | None, chance: Random) -> float:
    """The lower end of the interval of a suite."""
    suite = [trials(rate, target, chance) for rate in mix.of(cases, chance)]
    return values(suite, target).interval()[0]


def simulated(
    mix: Mix, target: float | None, runs: int, cases: int, chance: Random
) -> tuple[Counter[str], float]:
    """How often each gate held, and how many trials of a case ran on average."""
    told: Counter[str] = Counter()
    count = 0
    for _ in range(runs):
        suite = [trials(rate, target, chance) for rate in mix.of(cases, chance)]
        count += sum(map(len, suite))
        told.update(held(suite, target))
    return told, count / runs / cases


_NAMES = ("rate", "lower", "plain mean", "checks")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=1)
    sys.exit(main(**vars(parser.parse_args())))
