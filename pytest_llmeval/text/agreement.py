"""Agreement: how far one text says what another does, whatever else it says, by the words used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .claims import claims
from .coverage import Support, weighed
from .faults import COPY, contradictions, negated_in, strange_names, turned_round
from .figures import strange_figures
from .passages import NEAR, RESPONSE, TRUTH, Documents
from .words import Word, words

_FAMILIAR = 0.3
"""The share of its weight that a word has which the query says already."""
_KEPT = 9
"""How much more it counts to say what is due than to say nothing else."""
_WIDTH = 24
"""Words that a passage spans at most."""
_SHOWN = 3
"""Missing words that a reason names."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How far two texts say the same, from 0 to 1, and what is missing, added or said otherwise.

    ``contradicted`` is the share, 0–1, of the one's claims that the other contradicts.
    """

    share: float
    why: str = ""
    contradicted: float = 0.0


def agreement(fact: str, response: str, query: str = "") -> Support:
    """How far ``response`` says ``fact``, in whatever place and order.

    The share of the weight of the fact's words that the response uses; a word that ``query`` holds
    weighs less than one that answers it. A fact is contradicted where the response has it
    otherwise: another number before the same word, a negation more or less, an opposite, another
    name in a sentence that is the same but for it.
    """
    said, spoken = words(fact), Documents([response], called=RESPONSE)
    quotes = list(spoken.quotes(said))
    if fact.strip() == response.strip() or any(
        not turned_round(said, quote, spoken) for quote in quotes
    ):
        return Support(1.0)
    weights, asked = weighed(said), frozenset(word.form for word in words(query))
    if not weights:
        return Support(0.0, "it has no words to look for")
    for form in asked & weights.keys():
        weights[form] *= _FAMILIAR
    held = sum(weight for form, weight in weights.items() if form in spoken)
    share = held / (sum(weights.values()) or 1)
    if quotes:
        return Support(share, negated_in(spoken).why, contradicted=True)
    if why := _against(said, weights, spoken) or _renamed(said, weights, spoken, asked):
        return Support(share, why, contradicted=True)
    return Support(share, _left(said, weights, spoken))


def likeness(response: str, truth: str, query: str = "") -> Likeness:
    """How far ``response`` says what ``truth`` says, and nothing else.

    The F-measure of the shares of words that each text has in common with the other, in which
    those of the truth weigh nine times those of the response: what is left out counts more than
    what is added. A word that ``query`` holds weighs less. Contradicted are claims of ``truth``,
    as in ``agreement``.
    """
    asked = {word.form for word in words(query)}
    said, due = _counted(response), _counted(truth)
    if response.strip() == truth.strip() or (said and said == due):
        return Likeness(1.0)
    facts = [agreement(fact, response, query) for fact in claims(truth)]
    against = [fact for fact in facts if fact.contradicted]
    both = _sum(said & due, asked)
    kept, own = both / (_sum(due, asked) or 1), both / (_sum(said, asked) or 1)
    share = (1 + _KEPT) * kept * own / (_KEPT * own + kept) if both else 0.0
    left = next((fact.why for fact in (*against, *facts) if fact.why), "")
    added = _left(words(response), weighed(words(response)), Documents([truth], called=TRUTH))
    why = f"of the ground truth, {left}" if left else added
    return Likeness(share, why, len(against) / (len(facts) or 1))


def _counted(text: str) -> Counter[str]:
    return Counter(word.form for word in words(text) if word.kind != "stop")


def _sum(counted: Counter[str], asked: set[str]) -> float:
    return sum(n * (_FAMILIAR if form in asked else 1) for form, n in counted.items())


def _against(said: Sequence[Word], weights: Mapping[str, float], spoken: Documents) -> str:
    """What of ``said`` the text has otherwise; empty where there is nothing."""
    passage = spoken.passage(weights, _WIDTH)
    faults = [*strange_figures(said, weights, passage, spoken)]
    faults += contradictions(said, passage, spoken)
    return next((fault.why for fault in faults if fault.contradicts), "")


def _renamed(
    said: Sequence[Word], weights: Mapping[str, float], spoken: Documents, asked: frozenset[str]
) -> str:
    """Which name the text has another for: one passage says nearly all of ``said`` but that."""
    theirs = strange_names(said, spoken, asked)
    strange = {name.form for name in theirs}
    rest = {form: weight for form, weight in weights.items() if form not in strange}
    passage = spoken.passage(rest, _WIDTH)
    if not theirs or not rest or passage.weight < COPY * sum(rest.values()):
        return ""
    fact = Documents([" ".join(word.text for word in said)])
    around = [word for word in spoken.within(passage, NEAR) if word.text]
    own = strange_names(around, fact, asked)
    return f"it says '{theirs[0].text}' where the response says '{own[0].text}'" if own else ""


def _left(said: Sequence[Word], weights: Mapping[str, float], spoken: Documents) -> str:
    left = [f"'{word.text}'" for word in said if word.form in weights and word.form not in spoken]
    shown = list(dict.fromkeys(left))[:_SHOWN]
    verb = "is" if len(shown) == 1 else "are"
    return f"{', '.join(shown)} {verb} {spoken.called.nowhere}" if shown else ""
