"""Answering: how far a response takes up what a query asks, by the words it uses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .coverage import Support, absent, gathered, weighed
from .passages import Documents
from .sentences import sentences
from .words import Word, words


@dataclass(frozen=True, slots=True)
class Address:
    """How far a response addresses a query.

    ``share`` is the weight, from 0 to 1, of the query's words that the response takes up, or
    does not have to; ``declines`` and ``evades`` that it is no answer all the same; ``why`` says
    what the response does or does not do, and is empty when nothing is missing.
    """

    share: float
    declines: bool = False
    evades: bool = False
    why: str = ""


_DECLINES = re.compile(
    r"\b(?:i|we)(?: do not| don't|(?: am|'m| are|'re| was)? ?(?:unable to|not able to)"
    r"| (?:cannot|can't|can not|could not|couldn't)) (?:\w+ )?"
    r"(?:know|answer|find|help|assist|determine|say|tell|have (?:\w+ )?"
    r"(?:information|access|data|details|context|personal|opinions?|idea))\b"
    r"|\bas an ai\b|^\W*(?:i'm |i am )?(?:so |very )?sorry\b"
    r"|\bno (?:information|mention) (?:on|of|about)\b"
    r"|\b(?:context|documents?|texts?|passages?|sources?|information)\b[^.]{0,40}\b(?:do|does) not "
    r"(?:provide|mention|contain|specify|state|say|include|give)\b"
    r"|\bnot (?:mentioned|provided|specified|given|stated) in the\b"
    r"|\b(?:not possible|impossible) to (?:determine|answer|say|tell)\b"
    r"|weiß (?:ich|es) nicht|je ne sais pas|no lo sé|non lo so|não sei|не знаю|لا أعرف"
    r"|不知道|不清楚|無法回答|无法回答|わかりません|分かりません|ไม่ทราบ|모르",
    re.I,
)
_POLAR = re.compile(
    r"\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\b", re.I
)
_YES_NO = re.compile(r"\W*(?:yes|no|yeah|nope)\b", re.I)
_WANTS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|far|old|tall|high|often|fast|heavy|deep)\b"
    r"|\b(?:what|which) (?:year|date|percentage|number|age)\b"
    r"|^\W*when (?:is|are|was|were|do|does|did|will|has|have|had|can|should)\b",
    re.I,
)
_KIND = re.compile(r"\bhow (?:long|often|far|old|soon|late)\b", re.I)
"""What asks for a time or a distance, and is seldom repeated by what gives it."""
_TIME = re.compile(
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december|may"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|century|today|yesterday|tomorrow|always|never"
    r"|every|after|before|during|while|until|years?|months?|weeks?|days?|hours?|minutes?)\b",
    re.I,
)
_WANTS_NAME = re.compile(r"\W*(?:who|whose|whom)\b", re.I)
_SHORT = 6
"""Words that say something, up to which a response may answer without repeating the question."""
_PASSAGE = 24
"""Words of a document that stand together."""
_QUERY = 18
"""Words of a document within which those of a query stand together."""
_ANSWERED = 0.5
"""Share that such a response is given when it is of the kind that was asked for."""


def address(query: str, response: str, documents: Documents) -> Address:
    """How far ``response`` addresses ``query``; ``documents`` may be empty.

    A word of the query is taken up when the response uses it. A response of a few words need not:
    it answers when it is of the kind that was asked for (a number or time, a name, yes or no; in
    English), or as far as its words stand beside those of the query in a document. A response
    whose first sentence declines, that says nothing but the query, or that is not of the kind
    asked for is no answer.
    """
    asked, said = _asked(query), words(response)
    weights = weighed(asked)
    taken = {word.form for word in said}
    new = [word for word in said if word.counts and word.form not in weights]
    opening = next((span.text for span in sentences(response)), "")
    if _DECLINES.search(opening.replace("’", "'")):
        return Address(0.0, declines=True, why="declines to answer")
    taken_up = sum(weight for form, weight in weights.items() if form in taken)
    share = taken_up / (sum(weights.values()) or 1)
    fits, why = _kind(query, response, said, new)
    if fits is False:
        return Address(share, evades=True, why=why)
    if len(new) <= _SHORT:
        answered = max(_beside(new, weights, documents), _ANSWERED if fits else 0.0)
        if answered > share:
            return Address(answered, why="answers without repeating the query")
    left = [f"'{word.text}'" for word in asked if word.form in weights.keys() - taken]
    return Address(share, why=f"does not take up {', '.join(left[:3])}" if left else "")


def bearing(query: str, documents: Documents) -> Support:
    """How far ``documents`` speak of what ``query`` asks, from 0 to 1, and what they lack of it.

    Counted is what stands together there (see ``gathered``): the words of a query that are spread
    over a document only tell that it is from the same field. A title's words hold anywhere.
    """
    if any(True for _ in documents.quotes(words(query))):
        return Support(1.0)
    asked = _asked(query)
    weights = weighed(asked)
    rest = {form: weight for form, weight in weights.items() if form not in documents.titled}
    if not rest:
        return Support(1.0 if weights else 0.0)
    share, _ = gathered(rest, documents, _QUERY)
    return Support(share, absent(rest, asked, documents))


def _asked(query: str) -> list[Word]:
    """The words of ``query`` but those that only tell what kind of answer is wanted."""
    return words(_KIND.sub("how", query))


def _kind(
    query: str, response: str, said: Sequence[Word], new: Sequence[Word]
) -> tuple[bool | None, str]:
    """Whether the response is of the kind asked for, None if that cannot be told; and why not."""
    if _POLAR.match(query) and _YES_NO.match(response):
        return True, ""
    if not new:
        return False, "says nothing that the query does not say"
    if _WANTS_NUMBER.search(query):
        found = bool(_TIME.search(response)) or any(word.kind == "number" for word in said)
        return found, "" if found else "gives neither a number nor a time"
    if _WANTS_NAME.match(query) and response != response.lower():
        found = any(word.text[0].isupper() for word in new)
        return found, "" if found else "names nobody"
    return None, ""


def _beside(new: Sequence[Word], weights: Mapping[str, float], documents: Documents) -> float:
    """How much of ``new`` stands around the passage that has most of the query."""
    passage = documents.passage(weights, _PASSAGE)
    if not new or passage.weight < _ANSWERED * sum(weights.values()):
        return 0.0
    around = {word.form for word in documents.within(passage, _PASSAGE)}
    return sum(word.form in around for word in new) / len(new)
