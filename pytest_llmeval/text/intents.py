"""Intents: the several things that one query asks for, each in its own words."""

from __future__ import annotations

import re

from .claims import asks
from .sentences import sentences
from .words import words

_AND = r"(?:and|but|or|und|oder|et|ou|y|o|e|и|або|و)"
_ASKING = (
    r"(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|will"
    r"|would|should|has|have|was|welche[rsmn]?|wer|wen|wem|wo|wann|warum|wie|quels?|quelles?|qui"
    r"|quand|où|pourquoi|comment|combien|qué|cuál|quién|cuándo|dónde|cuánto|cómo|por qué"
    r"|что|кто|где|когда|почему|как|сколько|ما|من|متى|أين|كيف|كم)"
)
_JOINT = re.compile(rf"\s*(?:[,;:،；]\s*)?\b{_AND}\s+(?={_ASKING}\b)|\s*[;；]\s*", re.I)
_OPENING = re.compile(rf"\W*{_ASKING}\b", re.I)
_MARK = re.compile(r"(?<=[?])\s+|(?<=[？؟])(?!\s*[\"'”’»)\]*_?？؟!])\s*")


def intents(query: str) -> list[str]:
    """What ``query`` asks for, in order: its questions, or all of it where it holds none.

    A sentence ends a question, and so does a conjunction that another question word follows ("How
    heavy is it, and who designed it?"). What says nothing by itself stays with what is before it;
    sentences around questions only set the scene.
    """
    pieces = [
        piece
        for span in sentences(query)
        for part in _MARK.split(span.text)
        if part.strip()
        for piece in _parts(part)
    ]
    found: list[str] = []
    for piece in pieces:
        if found and not any(word.counts for word in words(piece)):
            found[-1] = f"{found[-1]} {piece}"
        elif any(word.counts for word in words(piece)):
            found.append(piece)
    return found or [query]


def is_question(sentence: str) -> bool:
    """Whether ``sentence`` ends as questions do, or begins like one."""
    return asks(sentence) or _OPENING.match(sentence) is not None


def _parts(sentence: str) -> list[str]:
    """``sentence`` cut before each question within it; nothing where it is no question."""
    if not is_question(sentence):
        return []
    return [part for piece in _JOINT.split(sentence) if (part := piece.strip())]
