"""ROUGE: how much of the ground truth's wording the response has, and the other way round."""

from __future__ import annotations

import sys
from functools import lru_cache, partial
from typing import Any, Literal

from ..data.cases import Case
from ..judges.loop import in_thread
from ..results import Part, Verdict
from ..scales import FRACTION
from ..text.tokens import WordTokenizer, compared, plain_words
from .ask import Ask
from .built_in import built_in
from .identical import identical

Variant = Literal["rougeL", "rougeLsum", "rouge1", "rouge2"]
Measure = Literal["f1", "precision", "recall"]


@built_in(
    needs=("response", "ground_truth"),
    scale=FRACTION,
    judged=False,
    identifying=("variant", "measure", "tokenizer"),
)
async def rouge(
    case: Case,
    ask: Ask,
    variant: Variant = "rougeL",
    measure: Measure = "f1",
    tokenizer: WordTokenizer = "auto",
) -> Verdict:
    """ROUGE of the response against the ground truth, 0–1, 1 = the same wording.

    ``variant``: ``rouge1`` and ``rouge2`` count shared words and pairs of words, ``rougeL`` the
    longest common subsequence of words, ``rougeLsum`` the same line by line. ``measure`` is which
    of F1, precision and recall is the score; all three are parts. ``tokenizer`` is ``words``
    (runs of letters and digits, in lower case), ``mixed`` (characters of scripts without spaces
    are words too), ``char``, or ``auto``: ``mixed`` where it is needed, else ``words``.
    Source: rouge-score without stemming; it gives the same on text in ASCII, and takes no other
    letters for words.
    """
    texts = compared(case.response, case.ground_truth)
    if texts.identical:
        return identical("f1", "precision", "recall")
    chosen = texts.tokenizer(tokenizer, "words")
    if "rouge_score.rouge_scorer" not in sys.modules:
        await in_thread(partial(_scorer, variant), chosen)  # it imports NLTK, which takes seconds
    found = _scorer(variant, chosen).score(texts.reference, texts.response)[variant]
    scores = {"f1": found.fmeasure, "precision": found.precision, "recall": found.recall}
    told = ", ".join(f"{name} {score:.3g}" for name, score in scores.items())
    parts = tuple(Part(name, float(score)) for name, score in scores.items())
    return Verdict(float(scores[measure]), f"{variant} {told} (tokenizer {chosen})", parts=parts)


class _Tokenizer:
    """Our words in place of rouge-score's, which knows no letters beyond a to z."""

    def __init__(self, name: str) -> None:
        self._name = name

    def tokenize(self, text: str) -> list[str]:
        return plain_words(text, self._name)


@lru_cache(maxsize=16)
def _scorer(variant: str, tokenizer: str) -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer([variant], tokenizer=_Tokenizer(tokenizer))
