"""Figures: the numbers of a sentence, with what they count, held against those of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .faults import COPY, SHORT, Fault, otherwise
from .passages import CROWD, NEAR, Documents, Passage
from .units import KIN
from .words import Word

_LEAD = 2
"""Words before a number that tell what it is about."""
_RANGE = 3
"""Words before a unit within which a number belongs to it: *5 to 10 kg*."""


class Figure(NamedTuple):
    """A number, the words before it, and what it counts: the word after it, if that says anything.

    *One* is a figure where the other text counts, too; by itself it seldom is.
    """

    value: str
    word: Word
    lead: Sequence[Word]
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
            after = said[at + 1] if at + 1 < len(said) else None
            unit = after if after and after.kind in ("content", "pair") else None
            yield Figure(value, word, said[max(0, at - _LEAD) : at], unit)


def strange_figures(
    said: Sequence[Word], weights: Mapping[str, float], passage: Passage, documents: Documents
) -> Iterator[Fault]:
    """Figures of ``said`` that the documents give otherwise, or that no document holds.

    Otherwise is another number before the same unit, the same number before another unit of the
    same dimension, and another number in the same place of ``passage``: after the same word, or
    where it says all the rest. In a short sentence it is also another number wherever the
    documents have one after the word that this one stands after. Without any of these a number is
    missed only if it is in digits.
    """
    own = [*figures(said)]
    values = {figure.value for figure in own}
    inside = figures(documents.words, max(0, passage.first - NEAR), passage.last + NEAR)
    others = [figure for figure in inside if figure.value not in values]
    rest = sum(weight for form, weight in weights.items() if form not in values)
    copied = 0 < COPY * rest <= passage.weight and len(values) == 1
    for figure in own:
        strange = not held(figure, documents)
        theirs = _other_count(figure, documents) or _other_unit(figure, documents)
        if not theirs and len(weights) <= SHORT and not figure.unit:
            theirs = _other_behind(figure, documents)
        if not theirs and strange:
            placed = (each.text for each in others if copied or _after_the_same(each, figure))
            theirs = next(placed, "")
        if theirs:
            yield Fault(otherwise(figure.text, theirs, documents))
        elif strange and figure.word.digital:
            yield Fault(f"'{figure.text}' is {documents.called.nowhere}", contradicts=False)


def held(figure: Figure, documents: Documents) -> bool:
    """Whether the documents have the number anywhere, *one* as a word or in digits."""
    return figure.value in documents or (figure.value == "1" and "one" in documents)


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

    Before a word with a capital a number is part of a name, and no count, unless it is a unit.
    """
    if unit is None or (unit.text[:1].isupper() and unit.form not in KIN):
        return []
    found: list[Figure] = []
    for place in documents.places.get(unit.form, [])[:CROWD]:
        before = [*figures(documents.words, max(0, place - _RANGE), place - 1)]
        there = documents.words[place]
        named = there.text[:1].isupper() and there.form not in KIN
        if before and not named and before[-1].word is documents.words[place - 1]:
            found += [each._replace(unit=there) for each in before]
    return found


def _other_behind(figure: Figure, documents: Documents) -> str:
    """What the documents have behind the word that ``figure`` stands behind, if never it."""
    form = _behind(figure)
    theirs = [
        each
        for place in documents.places.get(form, [])[:CROWD]
        for each in [*figures(documents.words, place + 1, place + _LEAD)][:1]
        if _behind(each) == form
    ]
    if not theirs or figure.value in {each.value for each in theirs}:
        return ""
    return theirs[0].text


def _behind(figure: Figure) -> str:
    """The nearest word before a figure that says something; empty where a sentence begins."""
    near = next((word for word in reversed(figure.lead) if word.kind != "function"), None)
    return near.form if near and near.kind in ("content", "pair") else ""


def _other_unit(figure: Figure, documents: Documents) -> str:
    """The same number in the documents, before another unit of that dimension wherever it is."""
    kin = KIN.get(figure.unit.form) if figure.unit else None
    places = documents.places.get(figure.value, [])[:CROWD]
    theirs = [next(figures(documents.words, place, place)) for place in places]
    if not kin or not theirs or any(not each.unit or each.unit.form not in kin for each in theirs):
        return ""
    return theirs[0].text


def _after_the_same(one: Figure, other: Figure) -> bool:
    """Whether the two numbers stand after the same word, whatever it says."""
    lead = [each.lead[-1] for each in (one, other) if each.lead]
    if len(lead) < 2 or any(word.kind == "stop" or not word.text for word in lead):
        return False
    return lead[0].form == lead[1].form
