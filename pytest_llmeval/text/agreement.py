"""Agreement: how far one text says what another does, whatever else it says, by the words used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from .claims import claims
from .coverage import FAULTY, Support, weighed
from .faults import COPY, SHORT, contradictions, negated_in, replaced_words, stands, strange_names
from .figures import figures, held, strange_figures
from .passages import NEAR, RESPONSE, TRUTH, Documents
from .words import Word, words

_NEW, _FAMILIAR = 10, 3
"""What a word counts that is new, and one which the query says already: whole, as weights are."""
_KEPT = 9
"""How much more it counts to say what is due than to say nothing else."""
_WIDTH = 24
"""Words that a passage spans at most."""
_SHOWN = 3
"""Missing words that a reason names."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How far two texts say the same, from 0 to 1, and what is missing, added or said otherwise.

    ``contradicted`` is the share, 0–1, of the one's claims that the other contradicts; ``altered``
    that it gives no figure for one of theirs, or another word in the place of one.
    """

    share: float
    why: str = ""
    contradicted: float = 0.0
    altered: bool = False


def spoken(response: str) -> Documents:
    """The response as what facts are looked for in."""
    return Documents([response], called=RESPONSE)


def agreement(fact: str, response: Documents, query: str = "") -> Support:
    """How far ``response`` (see ``spoken``) says ``fact``, in whatever place and order.

    The share of the weight of the fact's words that the response uses; a word that ``query`` holds
    weighs less than one that answers it. A fact is contradicted where the response has it
    otherwise: another number, sign or unit in its place, a negation more or less, an opposite,
    another name in a sentence that is the same but for it. A short fact is hardly said without its
    number, or with another word in the place of one.
    """
    said = words(fact)
    quoted = stands(said, response)
    if quoted or fact.strip() == response.texts[0].strip():
        return Support(1.0)
    asked = frozenset(word.form for word in words(query))
    weights = {
        form: weight * (_FAMILIAR if form in asked else _NEW)
        for form, weight in weighed(said).items()
    }
    if not weights:
        return Support(0.0, "it has no words to look for")
    there = sum(weight for form, weight in weights.items() if form in response)
    share = there / (sum(weights.values()) or 1)
    if quoted is False:
        return Support(share, negated_in(response).why, contradicted=True)
    passage = response.passage(weights, _WIDTH)
    faults = [*strange_figures(said, weights, passage, response)]
    faults += contradictions(said, passage, response)
    against = next((fault.why for fault in faults if fault.contradicts), "")
    if why := against or _renamed(said, weights, response, asked):
        return Support(share, why, contradicted=True)
    if altered := next(replaced_words(said, weights, passage, response), None):
        return Support(min(share, FAULTY), altered.why, altered=True)
    if len(weights) <= SHORT and _unsaid(said, response, asked):
        share = min(share, FAULTY)
    return Support(share, _left(said, weights, response))


def lacking(fact: str, response: Documents, query: str = "") -> str:
    """Which words of ``fact`` neither ``response`` nor ``query`` holds; empty if none."""
    said = words(fact)
    return _left(said, weighed(said).keys() - {word.form for word in words(query)}, response)


def likeness(response: str, truth: str, query: str = "") -> Likeness:
    """How far ``response`` says what ``truth`` says, and nothing else.

    The F-measure of the shares of words that each text has in common with the other, in which
    those of the truth weigh nine times those of the response: what is left out counts more than
    what is added. A word that ``query`` holds weighs less. Contradicted are claims of ``truth``,
    as in ``agreement``.
    """
    if response.strip() == truth.strip():
        return Likeness(1.0)
    asked = frozenset(word.form for word in words(query))
    theirs, whole = spoken(response), Documents([truth], called=TRUTH)
    facts = [agreement(fact, theirs, query) for fact in claims(truth)]
    against = [fact for fact in facts if fact.contradicted]
    said, due = _counted(theirs.words), _counted(whole.words)
    both = _sum(said & due, asked)
    kept, own = both / (_sum(due, asked) or 1), both / (_sum(said, asked) or 1)
    share = (1 + _KEPT) * kept * own / (_KEPT * own + kept) if both else 0.0
    left = next((fact.why for fact in (*against, *facts) if fact.why), "")
    other = next((why for claim in claims(response) if (why := _other_figure(claim, whole))), "")
    added = other or _left(theirs.words, weighed(theirs.words), whole)
    altered = bool(other) or any(fact.altered for fact in facts)
    return Likeness(
        share,
        f"of the ground truth, {left}" if left else added,
        len(against) / (len(facts) or 1),
        altered or _unsaid(whole.words, theirs, asked),
    )


def _other_figure(claim: str, truth: Documents) -> str:
    """Which figure of the response the ground truth gives otherwise."""
    said = words(claim)
    weights = weighed(said)
    found = strange_figures(said, weights, truth.passage(weights, _WIDTH), truth)
    return next((fault.why for fault in found if fault.contradicts), "")


def _counted(said: Sequence[Word]) -> Counter[str]:
    return Counter(word.form for word in said if word.kind != "stop" and word.text)


def _sum(counted: Counter[str], asked: Collection[str]) -> int:
    return sum(n * (_FAMILIAR if form in asked else _NEW) for form, n in counted.items())


def _unsaid(said: Sequence[Word], response: Documents, asked: Collection[str]) -> bool:
    """Whether a number is missing that the query does not give."""
    return any(
        figure.word.kind == "number" and figure.value not in asked and not held(figure, response)
        for figure in figures(said)
    )


def _renamed(
    said: Sequence[Word], weights: Mapping[str, float], response: Documents, asked: frozenset[str]
) -> str:
    """Which name the text has another for: one passage says nearly all of ``said`` but that."""
    theirs = strange_names(said, response, asked)
    strange = {name.form for name in theirs}
    rest = {form: weight for form, weight in weights.items() if form not in strange}
    passage = response.passage(rest, _WIDTH)
    if not theirs or not rest or passage.weight < COPY * sum(rest.values()):
        return ""
    fact = Documents([" ".join(word.text for word in said)])
    around = [word for word in response.within(passage, NEAR) if word.text]
    own = strange_names(around, fact, asked)
    return f"it says '{theirs[0].text}' where the response says '{own[0].text}'" if own else ""


def _left(said: Sequence[Word], weights: Collection[str], response: Documents) -> str:
    left = [f"'{word.text}'" for word in said if word.form in weights and word.form not in response]
    shown = list(dict.fromkeys(left))[:_SHOWN]
    verb = "is" if len(shown) == 1 else "are"
    return f"{', '.join(shown)} {verb} {response.called.nowhere}" if shown else ""
