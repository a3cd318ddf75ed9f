"""How often a gate on trials holds falsely: where they stop early, and where all of them run.

Suites are simulated again and again. Every case has a pass rate of its own; their mean is what the
gate asks for, or somewhat less. Trials stop as soon as a case is decided, or all run. Held are the
rate itself and the lower end of its interval, as the plugin makes them, and beside them two rates
that one might take instead. Exits with status 1 where a suite that is below what is asked is held
in half of the runs, or the lower end of one that is just there in more than 6 %, beyond chance.

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

from pytest_llmeval.gates.case_values import CaseValues, Valued
from pytest_llmeval.gates.stopped import weights
from pytest_llmeval.gates.trials import decided

ASKED = 0.8
"""The pass rate that the gate asks for."""
MOST = 20
"""``max_trials=``."""
CASES = 15
MOST_HELD = {"rate": 0.5, "lower": 0.06}
"""How often a gate may hold that should not."""


@dataclass(frozen=True)
class Mix:
    """The pass rates of the cases, in turn: ``rates`` as they are, or drawn with their mean."""

    name: str
    rates: tuple[float, ...]
    drawn: bool = False

    def of(self, cases: int, chance: Random) -> Iterator[float]:
        """A rate for each of ``cases``."""
        for number in range(cases):
            rate = self.rates[number * len(self.rates) // cases]
            yield chance.betavariate(5 * rate, 5 * (1 - rate)) if self.drawn else rate


MIXES = (
    Mix("always or never", (1, 1, 1, 1, 0)),
    Mix("95 % or 20 %", (0.95, 0.95, 0.95, 0.95, 0.2)),
    Mix("all alike", (0.8,)),
    Mix("drawn", (0.8,), drawn=True),
    Mix("all alike, below", (0.77,)),
    Mix("drawn, below", (0.77,), drawn=True),
    Mix("10 of 15 always", (1, 1, 0)),
)


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
    checks = []
    for case, came in enumerate(suite):
        each = {str(number): passed for number, passed in enumerate(came)}
        weigh = weights(each, target, 1) if target is not None else {}
        checks += [
            Valued(str(case), str(case), float(passed), weigh.get(number, 1.0), tried=True)
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
            for name in ("rate", "lower") if below else ("lower",):
                most = MOST_HELD[name]
                if told[name] / runs > most + 3 * sqrt(most * (1 - most) / runs):
                    off.append(f"{name} of {mix.name} at {target}")
    if off:
        print(f"OFF: {', '.join(off)}")
    return 1 if off else 0


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
