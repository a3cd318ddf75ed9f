"""Search by words: BM25 over a handful of texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Set
from math import log

SATURATION = 1.2
"""How much repeating a word adds to a text's score (``k1`` in the literature)."""

LENGTH = 0.75
"""How much a long text is marked down for its length, from 0 to 1 (``b``)."""

_COMMON = """
a an and are at be can do does for from how i if in is it its long many much my of on or our should
that the there to what when where which who with you your
"""
COMMON_WORDS = frozenset(_COMMON.split())
"""Words that stand in every text and every question, and tell none apart."""


class Index:
    """Texts that can be searched. Source: Robertson and Zaragoza, "BM25 and Beyond" (2009)."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [Counter(_words(text)) for text in texts]
        self._mean_length = sum(text.total() for text in self._texts) / len(self._texts)
        self._holding = Counter(term for text in self._texts for term in text)

    def search(self, wanted: Set[str], share: float = 0) -> list[int]:
        """Where the texts with a wanted term are, the best match first.

        Texts that score less than ``share`` of the best are left out.
        """
        scores = [self._score(wanted, text) for text in self._texts]
        enough = share * max(scores)
        found = [place for place, score in enumerate(scores) if score > 0 and score >= enough]
        return sorted(found, key=lambda place: scores[place], reverse=True)

    def _score(self, wanted: Set[str], text: Counter[str]) -> float:
        length = 1 - LENGTH + LENGTH * text.total() / self._mean_length
        return sum(
            self._rarity(term) * text[term] * (SATURATION + 1) / (text[term] + SATURATION * length)
            for term in wanted & text.keys()
        )

    def _rarity(self, term: str) -> float:
        holding = self._holding[term]
        return log(1 + (len(self._texts) - holding + 0.5) / (holding + 0.5))


def terms(text: str) -> set[str]:
    """What can be searched for in ``text``: its words, without case, plural and common words."""
    return set(_words(text))


def _words(text: str) -> list[str]:
    words = re.findall(r"\w\w+|\d", text.casefold())
    return [word.removesuffix("s") for word in words if word not in COMMON_WORDS]
