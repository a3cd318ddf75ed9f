"""How well the lexical judge agrees with people on groundedness, beside plain token coverage.

::

    python benchmarks/lexical_agreement.py grounded.jsonl

Each line of the file is a JSON object with ``source``, ``query``, ``context``, ``response`` and
``label`` (1 the context fully supports the response, 0 it does not). Exits with status 1 when the
lexical judge is not above plain coverage.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from pytest_llmeval.judges.base import Question
from pytest_llmeval.judges.lexical import LexicalJudge
from pytest_llmeval.judges.reply import Reply

SHIPPED = 4.0
"""The score from which on groundedness passes."""


@dataclass(frozen=True)
class Labelled:
    """A case that people labelled, with what the two methods make of it."""

    source: str
    grounded: bool
    score: float
    coverage: float
    milliseconds: float


Reading = Callable[[Labelled], float]


def by_score(case: Labelled) -> float:
    """The lexical judge's score."""
    return case.score


def by_coverage(case: Labelled) -> float:
    """Plain token coverage."""
    return case.coverage


async def judged(rows: Sequence[dict[str, str]]) -> list[Labelled]:
    """Every row with the lexical judge's score, its time, and its plain coverage."""
    line = LexicalJudge().connect(timeout=1, notice=print)
    cases = []
    for row in rows:
        inputs = {
            "response": row["response"],
            "documents": [row["context"]],
            "query": row["query"] or None,
        }
        start = perf_counter()
        said = await line.say(Question("groundedness", (), Reply, inputs), ())
        seconds = perf_counter() - start
        cases.append(
            Labelled(
                source=row["source"],
                grounded=bool(row["label"]),
                score=float(json.loads(said.text)["score"]),
                coverage=plain_coverage(row["response"], row["context"]),
                milliseconds=1000 * seconds,
            )
        )
    return cases


def plain_coverage(response: str, context: str) -> float:
    """The share of the response's distinct words that the context holds anywhere."""
    said, held = (set(re.findall(r"\w+", text.lower())) for text in (response, context))
    return len(said & held) / len(said) if said else 0.0


def balanced_accuracy(cases: Sequence[Labelled], value: Reading, cut: float) -> float:
    """The mean of the shares of grounded and of ungrounded cases that ``cut`` tells right."""
    right = {True: 0, False: 0}
    for case in cases:
        right[case.grounded] += (value(case) >= cut) == case.grounded
    grounded = sum(case.grounded for case in cases)
    return (right[True] / grounded + right[False] / (len(cases) - grounded)) / 2


def fitted_cut(cases: Sequence[Labelled], value: Reading) -> float:
    """The cut with the highest balanced accuracy: half-way between two values that occur."""
    values = sorted({value(case) for case in cases})
    cuts = [(low + high) / 2 for low, high in pairwise(values)]
    return max(cuts or values, key=lambda cut: balanced_accuracy(cases, value, cut))


def left_out(cases: Sequence[Labelled], value: Reading) -> float:
    """Balanced accuracy where each source is cut by what fits the other sources best."""
    right = {True: 0, False: 0}
    for source in {case.source for case in cases}:
        cut = fitted_cut([case for case in cases if case.source != source], value)
        for case in cases:
            if case.source == source:
                right[case.grounded] += (value(case) >= cut) == case.grounded
    grounded = sum(case.grounded for case in cases)
    return (right[True] / grounded + right[False] / (len(cases) - grounded)) / 2


def area(cases: Sequence[Labelled], value: Reading) -> float:
    """AUC: how often a grounded case stands above an ungrounded one, ties counting half."""
    good = [value(case) for case in cases if case.grounded]
    bad = [value(case) for case in cases if not case.grounded]
    wins = sum((one > other) + (one == other) / 2 for one in good for other in bad)
    return wins / (len(good) * len(bad))


def main(path: Path) -> int:
    """Print the comparison; the exit status."""
    lines = path.read_text(encoding="utf-8").splitlines()
    cases = asyncio.run(judged([json.loads(line) for line in lines if line.strip()]))
    fitted = balanced_accuracy(cases, by_coverage, fitted_cut(cases, by_coverage))
    figures = [
        ("balanced accuracy", balanced_accuracy(cases, by_score, SHIPPED), fitted),
        ("  one source left out", left_out(cases, by_score), left_out(cases, by_coverage)),
        ("AUC", area(cases, by_score), area(cases, by_coverage)),
    ]
    print(f"{len(cases)} cases; lexical at score >= {SHIPPED:g}, coverage at its best cut")
    print(f"{'':<28}{'lexical':>9}{'coverage':>10}")
    for name, lexical, coverage in figures:
        print(f"{name:<28}{lexical:>9.3f}{coverage:>10.3f}")
    cut = fitted_cut(cases, by_coverage)
    for source in sorted({case.source for case in cases}):
        own = [case for case in cases if case.source == source]
        lexical = balanced_accuracy(own, by_score, SHIPPED)
        coverage = balanced_accuracy(own, by_coverage, cut)
        print(f"  {source + f' ({len(own)})':<26}{lexical:>9.3f}{coverage:>10.3f}")
    times = sorted(case.milliseconds for case in cases)
    p95 = times[int(0.95 * (len(times) - 1))]
    print(f"milliseconds a case: median {statistics.median(times):.2f}, p95 {p95:.2f}")
    behind = [name.strip() for name, lexical, coverage in figures if lexical <= coverage]
    if behind:
        print(f"FAILED: the lexical judge is not above plain coverage in {', '.join(behind)}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
