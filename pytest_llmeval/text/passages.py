"""Passages: where in the documents most of a set of words stands together."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from .words import Word, words

NEAR = 4
"""Words within which two words are neighbours."""
CROWD = 200
"""Times from which on a word counts as standing everywhere: it tells nothing, and costs time."""
_TITLES = ("content", "pair")
_GAP = [Word("", "function", "")] * 24


class Called(NamedTuple):
    """How reasons speak of texts that something is looked for in."""

    nowhere: str
    they: str
    say: str
    do: str


DOCUMENTS = Called("in no document", "the documents", "say", "do")
TRUTH = Called("not in the ground truth", "the ground truth", "says", "does")
RESPONSE = Called("not in the response", "the response", "says", "does")


class Passage(NamedTuple):
    """A stretch of the documents: the weight that it holds, and the places of its two ends."""

    weight: float
    first: int
    last: int


class Documents:
    """Documents, indexed by where each word stands in them.

    ``titles`` are what they are called: a sentence may take its words from there, and not its
    numbers. ``called`` is how reasons speak of the documents.
    """

    def __init__(
        self, texts: Iterable[str], titles: Iterable[str] = (), called: Called = DOCUMENTS
    ) -> None:
        self.called = called
        self.texts = tuple(texts)
        self.titles = [
            frozenset(word.form for word in words(title) if word.kind in _TITLES)
            for title in titles
        ]
        self.titled = frozenset[str]().union(*self.titles)
        self.words: list[Word] = []
        self.places: dict[str, list[int]] = defaultdict(list)
        for text in self.texts:
            found = words(text)
            for place, word in enumerate(found, len(self.words)):
                self.places[word.form].append(place)
            self.words += found + _GAP  # no short passage spans two documents

    def __contains__(self, form: str) -> bool:
        return form in self.places

    @cached_property
    def apart(self) -> tuple[Documents, ...]:
        """Each of the documents by itself."""
        return tuple(Documents([text], called=self.called) for text in self.texts)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """The first five letters of every word: *Portuguese* is no stranger to *Portugal*."""
        return frozenset(form[:5] for form in self.places)

    def quotes(self, said: Sequence[Word]) -> Iterator[Passage]:
        """Where the words ``said`` stand in a document one after the other, at most ``CROWD``."""
        spelled = [word.text.casefold() for word in said if word.kind != "stop"]
        if not spelled:
            return
        text, spoken = self._spoken
        rare = min(range(len(spelled)), key=lambda at: len(spoken.get(spelled[at], ())))
        starts = (at - rare for at in spoken.get(spelled[rare], ()) if at >= rare)
        found = (at for at in starts if text[at : at + len(spelled)] == spelled)
        for at in islice(found, CROWD):
            yield Passage(
                float(len(spelled)), self._places[at], self._places[at + len(spelled) - 1]
            )

    @cached_property
    def _places(self) -> list[int]:
        """Where the words stand that are no stops."""
        return [place for place, word in enumerate(self.words) if word.kind != "stop"]

    @cached_property
    def _spoken(self) -> tuple[list[str], Mapping[str, list[int]]]:
        """These words as they are written, in lower case, and which of them each spelling is."""
        spelled = [self.words[place].text.casefold() for place in self._places]
        places: dict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(spelled):
            places[word].append(at)
        return spelled, places

    def within(self, passage: Passage, margin: int = 0) -> list[Word]:
        """The words of ``passage``, with ``margin`` more on either side."""
        return self.words[max(0, passage.first - margin) : passage.last + margin + 1]

    def passage(self, weights: Mapping[str, float], width: int) -> Passage:
        """The stretch of at most ``width`` words that holds the most of ``weights``."""
        rare = [form for form in weights if form in self and not self._crowds(form)]
        weight = sum(weights[form] for form in weights if form in self) - sum(
            weights[form] for form in rare
        )
        best = Passage(weight, 0, width if weight else -1)
        inside: Counter[str] = Counter()
        hits = sorted((place, form) for form in rare for place in self.places[form])
        left = 0
        for place, form in hits:
            weight += 0 if inside[form] else weights[form]
            inside[form] += 1
            while hits[left][0] <= place - width:
                dropped = hits[left][1]
                inside[dropped] -= 1
                weight -= 0 if inside[dropped] else weights[dropped]
                left += 1
            if weight > best.weight:
                best = Passage(weight, hits[left][0], place)
        return best

    def neighbours(self, one: str, other: str) -> bool:
        """Whether two words stand within a few words of each other somewhere."""
        if one not in self or other not in self:
            return False
        if self._crowds(one) or self._crowds(other):
            return True
        others = self.places[other]
        for place in self.places[one]:
            at = bisect_left(others, place - NEAR)
            if at < len(others) and others[at] <= place + NEAR:
                return True
        return False

    def _crowds(self, form: str) -> bool:
        return len(self.places[form]) > CROWD
