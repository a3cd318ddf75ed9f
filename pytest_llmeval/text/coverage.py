"""Coverage: how far the documents bear out a sentence, and what of it they lack."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .faults import (
    COPY,
    Fault,
    contradictions,
    differ_in_negation,
    negated_in,
    replaced_words,
    stands,
    strange_names,
    written,
)
from .figures import foreign_figures, strange_figures
from .passages import Documents, Passage
from .words import Word, words

NO_NAMES: frozenset[str] = frozenset()

_WIDTH = 24
"""Words that a passage spans at most, or half as many again as the sentence when that is more."""
_DOUBT = 0.2
"""Taken off when of a sentence and its passage one holds a negation and the other none."""
FAULTY = 0.4
"""The most that a sentence with a fault is borne out."""
_SHOWN = 3
"""Missing words that a reason names."""
_ATTRIBUTION = re.compile(
    r"^\W*(?:according to|based on|as (?:stated|mentioned|noted|described) in) [^,.]{1,60},", re.I
)
"""Where a sentence says it has its matter from, which documents seldom say of themselves."""
_LIST_MARK = re.compile(r"^(?:[\s*+#>•]|[–—-](?!\d))*(?:\(?\d{1,3}[.)]\s+)?")


@dataclass(frozen=True, slots=True)
class Support:
    """How far a sentence is borne out, from 0 (not at all) to 1 (word for word), and why not.

    ``contradicted`` tells that the documents say otherwise, rather than nothing; ``altered`` that
    they have another word in the place of one, which may be its synonym.
    """

    share: float
    why: str = ""
    contradicted: bool = False
    altered: bool = False


def support(sentence: str, documents: Documents, known: frozenset[str] = NO_NAMES) -> Support:
    """How far ``documents`` bear out ``sentence``.

    The mean of two shares of the weight of its words: of those that one passage of about the
    sentence's length holds, and of those that have a neighbour in the sentence near them in a
    document as well. Words found far apart are no support, so the union of all documents does not
    count. A number, in a close copy a name, in a short one any word in the place of another, a
    negation or an opposite that the documents do not bear out is a fault, whatever the rest.
    ``known`` are forms that words may be taken from although no document holds them (those of the
    query). What a title says already needs no support.
    """
    said = words(_ATTRIBUTION.sub("", _LIST_MARK.sub("", sentence)))
    weights = weighed(said)
    if not weights:
        return Support(0.0, "it has no words to look for")
    quoted = stands(said, documents)
    if quoted or any(weights.keys() <= title for title in documents.titles):
        return Support(1.0)
    weights = {
        form: weight for form, weight in weights.items() if form not in documents.titled
    } or weights
    width = max(_WIDTH, len(said) * 3 // 2)
    share, passage = gathered(weights, documents, width)
    faults = [*strange_figures(said, weights, passage, documents)]
    faults += contradictions(said, passage, documents)
    faults += foreign_figures(said, weights, width, documents)
    if quoted is False:
        faults = [negated_in(documents)]
    faults += _replaced_names(said, weights, passage, documents, known)
    faults = faults or [*replaced_words(said, weights, passage, documents, known)]
    if faults:
        why = "; ".join(fault.why for fault in faults[:2])
        return Support(min(share, FAULTY), why, any(fault.contradicts for fault in faults))
    return _partly(share, said, weights, passage, documents)


def _partly(
    share: float,
    said: Sequence[Word],
    weights: Mapping[str, float],
    passage: Passage,
    documents: Documents,
) -> Support:
    """The support of a sentence without a fault, and what there is to say of it."""
    why = absent(weights, said, documents)
    if not why and share < 1:
        why = f"its words are in {documents.called.they}, but not together"
    if differ_in_negation(said, passage, documents):
        share = max(0.0, share - _DOUBT)
        why = why or f"one of it and {documents.called.they} holds a negation, the other none"
    return Support(share, why)


def gathered(
    weights: Mapping[str, float], documents: Documents, width: int = _WIDTH
) -> tuple[float, Passage]:
    """How far ``weights``, in their order, stand together in the documents, and where most do.

    The mean of two shares of their sum, from 0 to 1: of those that one passage of ``width`` words
    holds, and of those that stand near a neighbour of theirs.
    """
    passage = documents.passage(weights, width)
    held = passage.weight + _beside_neighbours(weights, documents)
    return held / (sum(weights.values()) or 1) / 2, passage


def weighed(said: Sequence[Word]) -> dict[str, int]:
    """The weight of every form in ``said`` that counts, or of every form where none does.

    Long words, names and numbers say more; pairs of characters overlap and each say less. Weights
    are whole numbers, so that their sum is the same in whatever order they are added.
    """
    weights: dict[str, int] = {}
    for at, word in enumerate(said):
        name = at > 0 and word.text[:1].isupper()
        if word.kind == "number":
            weight = 150
        elif word.kind == "pair":
            weight = 60
        else:
            weight = (4 + min(len(word.text), 10)) * (14 if name else 10)
        if word.counts:
            weights[word.form] = max(weight, weights.get(word.form, 0))
    return weights or {word.form: 1 for word in said if word.kind != "stop"}


def _replaced_names(
    said: Sequence[Word],
    weights: Mapping[str, float],
    passage: Passage,
    documents: Documents,
    known: frozenset[str],
) -> list[Fault]:
    """The strange names of a sentence that is a copy of its passage but for them."""
    names = strange_names(said, documents, known)
    rest = sum(weights.values()) - sum(weights[form] for form in {name.form for name in names})
    if passage.weight < COPY * rest:
        return []
    nowhere = documents.called.nowhere
    return [Fault(f"'{name.text}' is {nowhere}", contradicts=False) for name in names]


def _beside_neighbours(weights: Mapping[str, float], documents: Documents) -> float:
    """The weight of the forms that have a neighbour of theirs near them in a document too."""
    if len(weights) == 1:
        return sum(weight for form, weight in weights.items() if form in documents)
    beside: set[str] = set()
    for one, other in pairwise(weights):
        if documents.neighbours(one, other):
            beside |= {one, other}
    return sum(weights[form] for form in beside)


def absent(weights: Mapping[str, float], said: Sequence[Word], documents: Documents) -> str:
    """The weightiest words that no document holds, in a phrase; empty when there are none."""
    absent = [
        at
        for at, word in enumerate(said)
        if word.form in weights and word.form not in documents and not _runs_on(said, at, documents)
    ]
    if not absent:
        return ""
    worst = sorted(absent, key=lambda at: -weights[said[at].form])[:_SHOWN]
    shown = list(dict.fromkeys(f"'{written(said, at)}'" for at in sorted(worst)))
    return f"{', '.join(shown)} {'is' if len(shown) == 1 else 'are'} {documents.called.nowhere}"


def _runs_on(said: Sequence[Word], at: int, documents: Documents) -> bool:
    """Whether a pair goes on from a pair that is missing too, and is shown with that one."""
    before = said[at - 1] if at else None
    if before is None or before.kind != "pair" or said[at].kind != "pair":
        return False
    return before.form not in documents and before.text[-1] == said[at].text[0]
