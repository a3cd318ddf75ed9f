"""What the text metrics take beside the libraries whose values they give; METEOR's first call.

Both score the same pairs, by turns (ours, the library's, ours, the library's), so that a machine
that slows down slows both. Each round has texts of its own, which no cache has seen. For f1 the
library is a plain reading of its definition; NLTK is given words that sacrebleu's tokenizer cut.

    python benchmarks/text_metrics.py quality.jsonl [WORDNET]

Each line of the file is a JSON object with ``response`` and ``references``. Exits with status 1
where a metric takes more than 1.5 times as long as its library, or METEOR's first call over 1 s.
"""

from __future__ import annotations

import asyncio
import json
import re
import string
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from types import SimpleNamespace
from typing import Any

from pytest_llmeval.data.cases import Case
from pytest_llmeval.metrics import CATALOGUE

ALLOWED = 1.5
ROUNDS = 5
Pairs = Sequence[tuple[str, str]]
Score = Callable[[str, str], float]

FIRST_CALL = """
import asyncio, sys
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace
from pytest_llmeval.data.cases import Case
started = perf_counter()
from pytest_llmeval.metrics import CATALOGUE
ask = SimpleNamespace(wordnet=Path(sys.argv[1]) if sys.argv[1:] else None)
case = Case(response="He is a physician", ground_truth="He is a doctor")
verdict = asyncio.run(CATALOGUE["meteor"].verdict(case, ask))
print(perf_counter() - started, verdict.score, verdict.reason, sep="\\t")
"""


def plain_f1(response: str, ground_truth: str) -> float:
    """SQuAD's F1 as its definition reads."""

    def words(text: str) -> list[str]:
        bare = "".join(each for each in text.lower() if each not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", bare).split()

    said, expected = words(response), words(ground_truth)
    shared = sum((Counter(said) & Counter(expected)).values())
    if not shared:
        return 0.0
    precision, recall = shared / len(said), shared / len(expected)
    return 2 * precision * recall / (precision + recall)


def libraries() -> dict[str, Score]:
    """The library's own scoring of a pair, by metric."""
    from nltk.translate.gleu_score import sentence_gleu
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.bleu import BLEU

    bleu, cutter = BLEU(effective_order=True), BLEU()
    rouge = RougeScorer(["rougeL"])
    return {
        "f1": plain_f1,
        "bleu": lambda said, expected: bleu.sentence_score(said, [expected]).score,
        "rouge": lambda said, expected: rouge.score(expected, said)["rougeL"].fmeasure,
        "gleu": lambda said, expected: sentence_gleu(
            [cutter.tokenizer(expected).split()], cutter.tokenizer(said).split()
        ),
    }


def seconds_of_library(score: Score, pairs: Pairs) -> float:
    """CPU seconds that the library takes for ``pairs``."""
    started = process_time()
    for said, expected in pairs:
        score(said, expected)
    return process_time() - started


def seconds_of_ours(metric: str, pairs: Pairs) -> float:
    """CPU seconds that our metric takes for ``pairs``, from case to verdict."""
    asked = CATALOGUE[metric]
    ask: Any = SimpleNamespace(wordnet=None)
    cases = [Case(response=said, ground_truth=expected) for said, expected in pairs]

    async def all_of_them() -> float:
        started = process_time()
        for case in cases:
            await asked.verdict(case, ask)
        return process_time() - started

    return asyncio.run(all_of_them())


def ratio(metric: str, score: Score, pairs: Pairs) -> float:
    """Our time by the library's, the median of the rounds; the first of which only warms up."""
    ratios = []
    for number in range(ROUNDS + 1):
        own = [(f"{said} {number}", f"{expected} {number}") for said, expected in pairs]
        ours, theirs = seconds_of_ours(metric, own), seconds_of_library(score, own)
        if number:
            ratios.append(ours / theirs)
    listed = " ".join(f"{each:.2f}" for each in ratios)
    print(f"{metric:6} {median(ratios):.2f} × its library's time   ({listed})")
    return median(ratios)


def first_meteor(wordnet: str | None) -> float:
    """Seconds that METEOR's first call takes in a process of its own."""
    command = [sys.executable, "-c", FIRST_CALL, *([wordnet] if wordnet else [])]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, score, reason = said.strip().split("\t")
    print(f"meteor's first call {float(seconds):.2f} s   ({float(score):.4f}: {reason})")
    return float(seconds)


def main(file: Path, wordnet: str | None = None) -> int:
    """Print every ratio; the exit status."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    pairs = [(row["response"], text) for row in rows for text in row["references"]][:200]
    ratios = [ratio(metric, score, pairs) for metric, score in libraries().items()]
    return int(max(ratios) > ALLOWED or first_meteor(wordnet) > 1)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:3]))
