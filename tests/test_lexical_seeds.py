"""The lexical judge says the same in every process, whatever order that gives to sets."""

from __future__ import annotations

import os
import subprocess
import sys

CHECKS = '''
import json
import random

from pytest_llmeval.judges import lexical_answers, lexical_grounds, lexical_retrieval

WORDS = """The tent Alpine Explorer is our most waterproof 3000 mm 2 kg never not dry wet warranty
two years rain London Paris heavy light which how long it and but for made in Vienna 5 %""".split()
chosen = random.Random(7)


def sentence(most):
    return " ".join(chosen.choices(WORDS, k=chosen.randint(2, most))) + chosen.choice(".?")


for _ in range(300):
    document = sentence(14)
    response = document.replace(chosen.choice(WORDS), chosen.choice(WORDS)) + " " + sentence(9)
    inputs = {"response": response, "claim": response, "document": document, "query": sentence(6)}
    inputs |= {"documents": [document, sentence(9)], "ground_truth": sentence(8)}
    for task in (
        lexical_grounds.groundedness, lexical_grounds.fact_check,
        lexical_grounds.context_sufficiency, lexical_answers.relevance,
        lexical_answers.context_relevancy, lexical_answers.similarity,
        lexical_answers.correctness, lexical_retrieval.retrieval,
    ):
        print(json.dumps(task(inputs)))
'''


def test_three_hundred_checks_come_out_alike_under_every_hash_seed() -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", CHECKS],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        for seed in "0123"
    ]
    said = [run.communicate(timeout=120)[0] for run in runs]
    assert len(said[0].splitlines()) == 300 * 8
    assert {*said} == {said[0]}
