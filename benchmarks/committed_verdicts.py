"""What reading committed verdicts costs a run: python benchmarks/committed_verdicts.py."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pytest_llmeval.judges.answers import Rating, Reply
from pytest_llmeval.judges.base import Question, Said
from pytest_llmeval.judges.committed import Verdicts
from pytest_llmeval.judges.heard import answer_of, entry_of, question_key
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.judges.verdict_line import VerdictLine

LINES, FILES, ROUNDS = 5000, 50, 5


class Grade(Reply):
    """A score from 1 to 5."""

    score: Rating


def question(number: int) -> Question[Grade]:
    """One of the length of a built-in metric's, with some documents."""
    text = f"{number} " + "What stands in a document. " * 140
    return Question("grade", (("system", "Be fair."), ("user", text)), Grade)


def fill(folder: Path) -> list[tuple[str, Question[Grade]]]:
    """Write all lines, and give what they answer."""
    judge = Judge("openai/m")
    asked = []
    texts: dict[int, list[str]] = {}
    for number in range(LINES):
        each = question(number)
        key = question_key(judge, each)
        assert key is not None
        entry = entry_of(judge, each, answer_of(key, [Said('{"score": 4}')], each))
        texts.setdefault(number % FILES, []).append(VerdictLine(key, entry, ("t",)).text() + "\n")
        asked.append((key, each))
    for number, lines in texts.items():
        (folder / f"test_{number}.py.verdicts.jsonl").write_text("".join(lines))
    return asked


def timed(work: Callable[[], object]) -> float:
    """The median of a few rounds, in milliseconds of CPU."""
    took = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        took.append(1000 * (time.process_time() - started))
    return median(took)


def main() -> None:
    """Print size, the time to read them, and the time to look up and read every reply."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        asked = fill(folder)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        print(f"{LINES} lines in {FILES} files, {size:.1f} MB")
        print(
            f"reading them, every digest looked at: {timed(lambda: Verdicts(folder).load()):.0f} ms"
        )
        verdicts = Verdicts(folder)
        every = timed(lambda: [verdicts.answer(key, each) for key, each in asked])
        print(f"an answer out of them: {every / LINES:.3f} ms")


if __name__ == "__main__":
    main()
