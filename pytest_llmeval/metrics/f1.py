"""F1: how many words response and ground truth share."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter

from ..data.cases import Case
from ..results import Evidence, Part, Verdict
from ..scales import FRACTION
from ..text.tokens import WordTokenizer, compared, pieces
from .ask import Ask
from .built_in import built_in
from .identical import identical

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_LISTED = 20
"""How many words a piece of evidence lists."""


@built_in(
    needs=("response", "ground_truth"), scale=FRACTION, judged=False, identifying=("tokenizer",)
)
async def f1(case: Case, ask: Ask, tokenizer: WordTokenizer = "auto") -> Verdict:
    """The words that response and ground truth share, 0–1, 1 = the same words in any order.

    The harmonic mean of precision (of the response's words) and recall (of the ground truth's),
    which are its parts, after the usual normalisation: lower case, no punctuation, no English
    articles. ``tokenizer`` is ``words`` (between white space), ``mixed`` (characters of scripts
    without spaces are words too), ``char``, or ``auto``, which takes ``mixed`` where it is needed.
    Source: SQuAD's F1, with punctuation and characters as in MLQA's.
    """
    texts = compared(case.response, case.ground_truth)
    if texts.identical:
        return identical("precision", "recall")
    chosen = texts.tokenizer(tokenizer, "words")
    said, expected = (_words(text, chosen) for text in texts)
    missing, extra = _beyond(expected, said), _beyond(said, expected)
    shared = len(said) - len(extra)
    precision, recall = (shared / max(len(words), 1) for words in (said, expected))
    score = 2 * precision * recall / (precision + recall) if shared else 0.0
    reason = (
        f"shared words: {shared}, of {len(said)} in the response and "
        f"{len(expected)} in the ground truth (tokenizer {chosen})"
    )
    listed = (("missing", missing), ("extra", extra))
    evidence = tuple(Evidence(kind, _listed(words)) for kind, words in listed if words)
    return Verdict(
        score, reason, evidence, parts=(Part("precision", precision), Part("recall", recall))
    )


def _words(text: str, tokenizer: str) -> list[str]:
    bare = text.lower().translate(_PUNCTUATION)
    if not bare.isascii():
        bare = "".join(each for each in bare if not unicodedata.category(each).startswith("P"))
    return pieces(_ARTICLES.sub(" ", bare), tokenizer)


def _beyond(words: list[str], others: list[str]) -> list[str]:
    """The ``words`` that have no partner among ``others``."""
    partners = Counter(others)
    return [
        word for word, count in Counter(words).items() for _ in range(count - partners.get(word, 0))
    ]


def _listed(words: list[str]) -> str:
    return " ".join(words[:_LISTED]) + " …" * (len(words) > _LISTED)
