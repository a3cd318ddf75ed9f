"""Alignment: which words of one text stand for which of another, as METEOR has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .porter import porter_stem

Placed = list[tuple[int, str]]
"""Words with their places in a text."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Pairs of places, in the order of the first text, and how many were found by what."""

    pairs: tuple[tuple[int, int], ...]
    exact: int
    by_stem: int
    by_synonym: int

    @property
    def chunks(self) -> int:
        """How many runs the pairs make that are neighbours in both texts."""
        breaks = sum((a + 1, b + 1) != after for (a, b), after in pairwise(self.pairs))
        return breaks + 1 if self.pairs else 0


def aligned(
    words: Sequence[str],
    others: Sequence[str],
    synonyms: Callable[[str], Collection[str]] | None = None,
) -> Alignment:
    """``words`` matched with ``others``: the same word, then the same stem, then a synonym.

    Each is matched at most once, from the end of both texts on; synonyms are those of the stem,
    as in NLTK. All is compared in lower case.
    """
    left = list(enumerate(word.lower() for word in words))
    right = list(enumerate(word.lower() for word in others))
    exact, left, right = _matched(left, right, lambda word: (word,))
    left, right = _stemmed(left), _stemmed(right)
    by_stem, left, right = _matched(left, right, lambda word: (word,))
    by_synonym: list[tuple[int, int]] = []
    if synonyms is not None:
        by_synonym, _, _ = _matched(left, right, lambda word: {word, *synonyms(word)})
    pairs = tuple(sorted((*exact, *by_stem, *by_synonym)))
    return Alignment(pairs, len(exact), len(by_stem), len(by_synonym))


def _stemmed(words: Placed) -> Placed:
    return [(place, porter_stem(word)) for place, word in words]


def _matched(
    left: Placed, right: Placed, forms: Callable[[str], Collection[str]]
) -> tuple[list[tuple[int, int]], Placed, Placed]:
    """The pairs where a form of a word of ``left`` is in ``right``, and what is left of both."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in right:
        places[word].append(place)
    pairs: list[tuple[int, int]] = []
    for place, word in reversed(left):
        found = [form for form in forms(word) if places.get(form)]
        if found:
            last = max(found, key=lambda form: places[form][-1])
            pairs.append((place, places[last].pop()))
    mine, theirs = ({pair[side] for pair in pairs} for side in (0, 1))
    return (
        pairs,
        [each for each in left if each[0] not in mine],
        [each for each in right if each[0] not in theirs],
    )
