"""Claims: the sentences of a text that state something."""

from __future__ import annotations

import re

from .sentences import sentences
from .words import words

_QUESTION = re.compile(r"[?？؟][\"'”’»)\]*_]*$")
_COURTESY = re.compile(
    r"\W*(?:(?:hello|hi|hey|thanks|thank you|sure|of course|certainly|you're welcome)(?: there)?"
    r"|great question|(?:i'm|i am) (?:happy|glad) to (?:help|assist)(?: you)?(?: with that)?"
    r"|(?:i )?hope (?:this|that) helps|let me know if (?:you|there)[^.!\d]{0,60}"
    r"|(?:please )?feel free to (?:ask|reach|contact)[^.!\d]{0,60}"
    r"|here (?:is|are)[^.!\d]{0,60}:)\W*",
    re.I,
)
"""A greeting, an offer or the lead-in of a list: talk that claims nothing."""


def asks(sentence: str) -> bool:
    """Whether ``sentence`` ends as questions do."""
    return _QUESTION.search(sentence) is not None


def claims(text: str) -> list[str]:
    """The sentences of ``text`` that claim something, each a verbatim slice of it.

    Questions, courtesies and sentences without a word that counts claim nothing where others do;
    where none does, every sentence is one.
    """
    pieces = [span.text for span in sentences(text)]
    claiming = [
        piece
        for piece in pieces
        if not asks(piece)
        and not _COURTESY.fullmatch(piece.replace("’", "'"))
        and any(word.counts for word in words(piece))
    ]
    return claiming or pieces
