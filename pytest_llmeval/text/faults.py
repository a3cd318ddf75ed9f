"""Faults: what a sentence says and no document does, told by signs rather than by sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .lexicon import OPPOSITES
from .passages import CROWD, NEAR, Documents, Passage
from .words import Word

_SCOPE = 3
"""Words after a negation, or before one that follows, that it turns round."""
COPY = 0.9
"""Share of a sentence, but for one word, from which on a text says all of it but that word."""
SHORT = 6
"""Words that say something, up to which each of them is most of what a sentence says."""
_BREAKS = frozenset(
    ("and", "but", "or", "which", "who", "that", "only", "und", "et", "y", "и", "و", "और")
)
"""Words that a negation does not reach beyond."""


class Fault(NamedTuple):
    """What is wrong, and whether the documents say otherwise rather than nothing."""

    why: str
    contradicts: bool = True


def otherwise(said: str, theirs: str, documents: Documents) -> str:
    """Why, where the documents say one thing and the sentence another in its place."""
    called = documents.called
    return f"it says '{said}' where {called.they} {called.say} '{theirs}'"


def strange_names(said: Sequence[Word], documents: Documents, known: frozenset[str]) -> list[Word]:
    """Capitalised words that no document holds, unless nearly all are capitalised (a heading).

    ``known`` are forms that may come from elsewhere. Acronyms are let pass: they may be the
    writer's own for what the documents write out.
    """
    content = [(at, word) for at, word in enumerate(said) if word.kind == "content"]
    names = [(at, word) for at, word in content if word.text[0].isupper()]
    if len(names) > max(4, 0.7 * len(content)):
        return []
    return [
        word
        for at, word in names
        if word.form not in documents
        and word.form not in known | documents.titled
        and not (word.text[:-1].isupper() and len(word.text) < 6)
        and not (len(word.form) > 4 and word.form[:5] in documents.beginnings)
        and not (at == 0 and word.text.endswith(("ly", "ing", "ed")))
    ]


def replaced_words(
    said: Sequence[Word],
    weights: Mapping[str, float],
    passage: Passage,
    documents: Documents,
    known: frozenset[str] = frozenset(),
) -> Iterator[Fault]:
    """The one word of a short ``said`` in whose place ``passage`` has another.

    It says all the rest, and they stand between the same words. In a long sentence another word
    is more often a synonym, in a short one it is the answer. Names are looked at elsewhere, and
    forms that are ``known`` may come from there.
    """
    missing = [at for at, word in enumerate(said) if word.counts and word.form not in documents]
    if len(weights) > SHORT or len({said[at].form for at in missing}) != 1:
        return
    at = missing[0]
    rest = sum(weight for form, weight in weights.items() if form != said[at].form)
    name = (at > 0 and said[at].text[:1].isupper()) or said[at].form in known
    if name or said[at].kind != "content" or passage.weight < COPY * rest:
        return
    own = {word.form for word in said}
    first, last = max(0, passage.first - NEAR), passage.last + NEAR
    for place, word in enumerate(documents.words[first : last + 1], first):
        fresh = word.kind == "content" and word.form not in own
        if fresh and _in_one_place(_around(said, at), _around(documents.words, place)):
            yield Fault(otherwise(said[at].text, word.text, documents), contradicts=False)
            return


def _around(stretch: Sequence[Word], at: int) -> list[tuple[str, bool]]:
    """The word before and the one after, and whether it says something; empty at an end."""
    beside = [stretch[at + way] if 0 <= at + way < len(stretch) else None for way in (-1, 1)]
    return [
        (word.form, word.counts) if word and word.kind != "stop" else ("", False) for word in beside
    ]


def _in_one_place(ours: Sequence[tuple[str, bool]], theirs: Sequence[tuple[str, bool]]) -> bool:
    """Whether one word beside is the same, and the other at least no other that says something."""
    sides = [*zip(ours, theirs, strict=True)]
    same = any(one == other and one[0] for one, other in sides)
    return same and all(one == other or not (one[1] or other[1]) for one, other in sides)


def contradictions(said: Sequence[Word], passage: Passage, documents: Documents) -> Iterator[Fault]:
    """Words that ``said`` negates and ``passage`` does not, or the other way round; opposites."""
    place_of = {word.form: at for at, word in enumerate(said) if word.counts}
    inside = {word.form for word in documents.within(passage)}
    theirs_alone = inside - place_of.keys()
    for form, at in place_of.items():
        for opposite in sorted(OPPOSITES.get(form, frozenset()) & theirs_alone):
            if form not in inside:
                theirs = documents.words[documents.places[opposite][0]].text
                yield Fault(otherwise(said[at].text, theirs, documents))
    if differ_in_negation(said, passage, documents):
        turned = (_turned(form, at, said, passage, documents) for form, at in place_of.items())
        yield from [Fault(why) for why in turned if why][:1]


def differ_in_negation(said: Sequence[Word], passage: Passage, documents: Documents) -> bool:
    """Whether of a sentence and its passage one holds a negation and the other none."""
    return _negated(said) != _negated(documents.within(passage, NEAR))


def _negated(stretch: Sequence[Word]) -> bool:
    return any(word.kind == "negation" for word in stretch)


def _turned(
    form: str, at: int, said: Sequence[Word], passage: Passage, documents: Documents
) -> str:
    """Why, if a negation reaches a word of ``passage`` in one of the two; only one holds any."""
    here = _reached(said, at)
    there = [
        _reached(documents.words, place)
        for place in documents.places.get(form, [])[:CROWD]
        if passage.first <= place <= passage.last
    ]
    they, do = documents.called.they, documents.called.do
    if here and there:
        return f"it negates '{written(said, at)}', which {they} {do} not"
    if there and all(there):
        return f"it does not negate '{written(said, at)}', which {they} {do}"
    return ""


def stands(said: Sequence[Word], documents: Documents) -> bool | None:
    """Whether ``said`` stands there word for word; False if a negation turns it each time round.

    None where it does not stand there at all.
    """
    turned = None
    for quote in documents.quotes(said):
        if not _turned_round(said, quote, documents):
            return True
        turned = False
    return turned


def _turned_round(said: Sequence[Word], quote: Passage, documents: Documents) -> bool:
    """Whether a negation around ``quote``, where ``said`` stands word for word, turns it round."""
    if _negated(said):
        return False
    before = documents.words[max(0, quote.first - _SCOPE) : quote.first][::-1]
    after = documents.words[quote.last + 1 : quote.last + 1 + _SCOPE]
    return _meets("not", before) or _meets("-not", after)


def _reached(stretch: Sequence[Word], at: int) -> bool:
    """Whether a negation is so close to the word ``at`` that it turns it round."""
    before = stretch[max(0, at - _SCOPE) : at][::-1]
    after = stretch[at + 1 : at + 1 + _SCOPE]
    return _meets("not", before) or _meets("-not", after)


def _meets(form: str, way: Sequence[Word]) -> bool:
    for word in way:
        if word.form == form and word.kind == "negation":
            return True
        if word.kind == "stop" or word.form in _BREAKS:
            return False
    return False


def negated_in(documents: Documents) -> Fault:
    """What is wrong with a quote that is turned round wherever it stands."""
    return Fault(f"{documents.called.they} {documents.called.say} it with a negation")


def written(said: Sequence[Word], at: int) -> str:
    """A word as it was written, a pair of characters with those that run on from it."""
    text = said[at].text
    for word in said[at + 1 : at + 6]:
        if said[at].kind != "pair" or word.text[:1] != text[-1] or len(word.text) != 2:
            break
        text += word.text[1]
    return text
