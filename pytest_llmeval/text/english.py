"""English: whether a text is in the language that the patterns for prose are written in."""

from __future__ import annotations

import re


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_OURS = _set(
    """
    the this that these those and not with but which who from there here it its it's they them
    their you your are were be been because would should could than then what where when while how
    only any some each every other both does do did doing doesn't don't isn't can cannot nothing
    none nobody into such hence therefore thus if though although since whether through about
    between against below above beyond without within throughout have she her my let let's

    answer assessment claim claims clear clearly correctness evaluated everything follows fully
    graded grounded harmful harmless hope judgement judgment missing needed one quoted rated reads
    sentence sentences shown states stated steps supported unsafe unsupported works wrong yes
    """
)
"""Words that judges use in English, and that hardly any other language has."""
_SHARED = _set(
    """
    a all an and as at by content document for had harm has he high i in is line low me medium no
    of on or passage please policy question reason reply response result safe score so source
    story support sure text thanks to us user verdict very violence violent was we well will
    """
)
"""Other frequent ones."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NOT_LATIN = re.compile(r"[^\W\d_a-zA-Z\u00aa-\u02b8\u1e00-\u1eff]")
_ONE_IN = 8


def is_english(text: str) -> bool:
    """Whether ``text`` is English, as far as words tell that are in nearly every sentence of it.

    One word in eight has to be one of these, one of them a word of English alone, and no letter
    of another script. A text without a word is.
    """
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    known = sum(word in _OURS or word in _SHARED for word in words)
    told = any(word in _OURS for word in words) and known * _ONE_IN >= len(words)
    return not words or (told and _NOT_LATIN.search(text) is None)
