"""How well the lexical judge agrees with people, task by task, beside a trivial count of words.

::

    python benchmarks/lexical_agreement.py FOLDER

Each file of the folder is JSON lines with ``source`` and ``label``, ``query``, ``context`` and
``response`` where the task has them, ``references`` or ``expected_response`` where there is an
expected answer. Levels from 1 to 5 are measured by AUC (how often a text that people found good
stands above one that they did not), yes and no by balanced accuracy; the trivial count is given
the cut that suits these very rows best. Exits with status 1 when the lexical judge is below it.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from labelled_rows import MEASURES, Measure, Row
from pytest_llmeval.judges.base import Line, Question
from pytest_llmeval.judges.lexical import LexicalJudge
from pytest_llmeval.judges.reply import Reply


@dataclass(frozen=True)
class Labelled:
    """A row with what people found, what the judge said of it, and the trivial count."""

    source: str
    good: bool
    said: float
    trivial: float
    milliseconds: float


Reading = Callable[[Labelled], float]


def by_judge(case: Labelled) -> float:
    """The judge's level, or 1 for yes and 0 for no."""
    return case.said


def by_count(case: Labelled) -> float:
    """The trivial count."""
    return case.trivial


async def judged(measure: Measure, rows: Iterable[Row]) -> list[Labelled]:
    """Every row that ``measure`` is about, with what the judge says and how long it took."""
    line = LexicalJudge().connect(timeout=1, notice=print)
    cases = []
    for row in filter(measure.rows, rows):
        start = perf_counter()
        said = [await _value(line, measure.task, inputs) for inputs in measure.inputs(row)]
        milliseconds = 1000 * (perf_counter() - start) / len(said)
        cases.append(
            Labelled(
                row["source"], measure.good(row), max(said), measure.trivial(row), milliseconds
            )
        )
    return cases


async def _value(line: Line, task: str, inputs: Mapping[str, object]) -> float:
    reply = json.loads((await line.say(Question(task, (), Reply, inputs), ())).text)
    if "score" in reply:
        return float(reply["score"])
    if "verdict" in reply:
        return float(reply["verdict"] == "yes")
    return statistics.mean(float(each["answered"] == "yes") for each in reply["intents"])


def balanced_accuracy(cases: Sequence[Labelled], value: Reading, cut: float) -> float:
    """The mean of the shares of good and of other cases that ``cut`` tells right."""
    return _balanced([(case.good, value(case) >= cut) for case in cases])


def _balanced(told: Sequence[tuple[bool, bool]]) -> float:
    shares = [
        statistics.mean(said == good for good, said in told if good == wanted)
        for wanted in {good for good, _ in told}
    ]
    return statistics.mean(shares)


def fitted_cut(cases: Sequence[Labelled], value: Reading) -> float:
    """The cut with the highest balanced accuracy: half-way between two values that occur."""
    values = sorted({value(case) for case in cases})
    cuts = [(low + high) / 2 for low, high in pairwise(values)]
    return max(cuts or values, key=lambda cut: balanced_accuracy(cases, value, cut))


def left_out(cases: Sequence[Labelled], value: Reading) -> float:
    """Balanced accuracy where each source is cut by what fits the other sources best."""
    told: list[tuple[bool, bool]] = []
    for source in sorted({case.source for case in cases}):
        cut = fitted_cut([case for case in cases if case.source != source], value)
        told += [(case.good, value(case) >= cut) for case in cases if case.source == source]
    return _balanced(told)


def area(cases: Sequence[Labelled], value: Reading) -> float:
    """AUC: how often a good case stands above another one, ties counting half."""
    good = [value(case) for case in cases if case.good]
    bad = [value(case) for case in cases if not case.good]
    wins = sum((one > other) + (one == other) / 2 for one in good for other in bad)
    return wins / (len(good) * len(bad))


def figures(cases: Sequence[Labelled], cut: float) -> tuple[float, float]:
    """The judge's figure and the trivial count's, at ``cut`` where it has to say yes or no."""
    if {case.said for case in cases} <= {0.0, 1.0}:
        return balanced_accuracy(cases, by_judge, 1), balanced_accuracy(cases, by_count, cut)
    return area(cases, by_judge), area(cases, by_count)


def main(folder: Path) -> int:
    """Print the table; the exit status."""
    print(f"{'task':22}{'file':22}{'rows':>5}{'judge':>8}{'count':>8}  {'of':20}ms a case")
    behind = []
    for measure in MEASURES:
        path = folder / f"{measure.file}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines()
        cases = asyncio.run(judged(measure, map(json.loads, filter(str.strip, lines))))
        cut = fitted_cut(cases, by_count)
        judge, count = _print_line(measure.task, measure, cases, cut)
        if measure.task in ("groundedness[yes_no]", "correctness"):
            for source in sorted({case.source for case in cases}):
                own = [case for case in cases if case.source == source]
                _print_line(f"  {source}", measure, own, cut)
        if judge < count:
            behind.append(f"{measure.task} on {measure.file}")
        if measure.task == "groundedness":
            both = left_out(cases, by_judge), left_out(cases, by_count)
            print(f"{'  a source left out':49}{both[0]:>8.3f}{both[1]:>8.3f}  balanced accuracy")
    if behind:
        print(f"FAILED: the lexical judge is below the trivial count in {', '.join(behind)}")
    return 1 if behind else 0


def _print_line(
    name: str, measure: Measure, cases: Sequence[Labelled], cut: float
) -> tuple[float, float]:
    judge, count = figures(cases, cut)
    milliseconds = statistics.mean(case.milliseconds for case in cases)
    print(
        f"{name:22}{measure.file:22}{len(cases):>5}{judge:>8.3f}{count:>8.3f}  "
        f"{measure.counted:20}{milliseconds:.1f}"
    )
    return judge, count


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
