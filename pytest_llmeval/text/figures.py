"""Figures: the numbers of a sentence, with what they count, held against those of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .faults import COPY, Fault, otherwise
from .passages import CROWD, NEAR, Documents, Passage
from .units import KIN
from .words import Word

_RANGE = 3
"""Words before a unit within which a number belongs to it: *5 to 10 kg*."""


class Figure(NamedTuple):
    """A number, the word before it, and what it counts: the word after it, if that says anything.

    *One* is a figure where the other text counts, too; by itself it seldom is.
    """

    value: str
    word: Word
    before: Word | None
    unit: Word | None

    @property
    def text(self) -> str:
        """The number with its unit, as they are written."""
        if self.unit is None or (len(self.unit.text) > 12 and self.unit.form not in KIN):
            return self.word.text
        if self.unit.text in "$€£¥₹₽":
            return f"{self.unit.text}{self.word.text}"
        joint = "" if self.unit.kind == "pair" or self.unit.text == "%" else " "
        return f"{self.word.text}{joint}{self.unit.text}"


def figures(said: Sequence[Word], first: int = 0, last: int | None = None) -> Iterator[Figure]:
    """The figures among ``said``, or only those from ``first`` to ``last``."""
    for at in range(first, len(said) if last is None else min(last + 1, len(said))):
        word = said[at]
        value = word.form if word.kind == "number" else "1" if word.form == "one" else ""
        if value:
            before = said[at - 1] if at and said[at - 1].text else None
            after = said[at + 1] if at + 1 < len(said) else None
            yield Figure(value, word, before, after if after and after.counts else None)


def strange_figures(
    said: Sequence[Word], weights: Mapping[str, float], passage: Passage, documents: Documents
) -> Iterator[Fault]:
    """Figures of ``said`` that the documents give otherwise, or that no document holds.

    Otherwise is another number before the same unit, the same number before another unit of the
    same dimension, and another number in the same place of ``passage``: after the same word, or
    where it says all the rest. Without any of these a number is missed only if it is in digits.
    """
    own = [*figures(said)]
    values = {figure.value for figure in own}
    inside = figures(documents.words, max(0, passage.first - NEAR), passage.last + NEAR)
    others = [figure for figure in inside if figure.value not in values]
    rest = sum(weight for form, weight in weights.items() if form not in values)
    copied = 0 < COPY * rest <= passage.weight and len(values) == 1
    for figure in own:
        strange = figure.value not in documents and not _ones(figure, documents)
        theirs = _other_count(figure, documents) or _other_unit(figure, documents)
        if not theirs and strange:
            placed = (each for each in others if copied or _after_the_same(each, figure))
            theirs = next((each.text for each in placed), "")
        if theirs:
            yield Fault(otherwise(figure.text, theirs, documents))
        elif strange and figure.word.digital:
            yield Fault(f"'{figure.text}' is {documents.called.nowhere}", contradicts=False)


def foreign_figures(
    said: Sequence[Word], weights: Mapping[str, float], width: int, documents: Documents
) -> Iterator[Fault]:
    """Numbers that some document holds, and another where the documents say all the rest.

    Two products on two pages: the weight of the one is not that of the other.
    """
    own = [figure for figure in figures(said) if figure.word.kind == "number"]
    rest = dict(weights)
    for figure in own:
        rest.pop(figure.value, None)
    if len(rest) == len(weights) or len(documents.texts) == 1:
        return
    due = COPY * sum(rest.values())
    holding = [each for each in documents.apart if each.passage(rest, width).weight >= due]
    for figure in own:
        counts = [_counts(figure.unit, each) for each in holding]
        if counts and all(counts):
            theirs = [count for each in counts for count in each]
            if figure.value not in {count.value for count in theirs}:
                yield Fault(otherwise(figure.text, theirs[0].text, documents))


def _other_count(figure: Figure, documents: Documents) -> str:
    """What the documents count where ``figure`` stands in none of their counts of its unit."""
    counts = _counts(figure.unit, documents)
    if not counts or figure.value in {count.value for count in counts}:
        return ""
    return counts[0].text


def _counts(unit: Word | None, documents: Documents) -> list[Figure]:
    """The numbers that stand before ``unit``, or before another number there (a range).

    Before a word in capitals a number is part of a name, and none of the documents' is a count.
    """
    if unit is None or (unit.text[:1].isupper() and unit.form not in KIN):
        return []
    found: list[Figure] = []
    for place in documents.places.get(unit.form, [])[:CROWD]:
        before = [*figures(documents.words, max(0, place - _RANGE), place - 1)]
        if before and before[-1].word is documents.words[place - 1]:
            found += [each._replace(unit=documents.words[place]) for each in before]
    return found


def _other_unit(figure: Figure, documents: Documents) -> str:
    """The same number in the documents, before another unit of that dimension wherever it is."""
    kin = KIN.get(figure.unit.form) if figure.unit else None
    places = documents.places.get(figure.value, [])[:CROWD]
    theirs = [next(figures(documents.words, place, place)) for place in places]
    if not kin or not theirs or any(not each.unit or each.unit.form not in kin for each in theirs):
        return ""
    return theirs[0].text


def _after_the_same(one: Figure, other: Figure) -> bool:
    """Whether the two numbers stand after the same word."""
    if one.before is None or other.before is None or "stop" in (one.before.kind, other.before.kind):
        return False
    return one.before.form == other.before.form


def _ones(figure: Figure, documents: Documents) -> bool:
    """Whether the documents hold *one* for ``1``, or the other way round."""
    return figure.value == "1" and ("one" in documents or "1" in documents)
