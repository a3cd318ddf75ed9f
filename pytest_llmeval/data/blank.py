"""Blank: what is there and says nothing, however it is written."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence


def is_blank(value: object) -> bool:
    """Whether ``value`` is None, empty, or made only of characters that nobody can see.

    These are, by their Unicode category, white space and other separators, controls, formats (of
    width or direction, tags), surrogates and unassigned ones, marks that combine with nothing, and
    the few letters and symbols that are drawn as a blank.
    """
    if value is None:
        return True
    if isinstance(value, str):
        return all(map(_is_unseen, value))
    if isinstance(content := getattr(value, "content", None), str):  # of a document, a message
        return is_blank(content)
    if isinstance(value, Mapping):
        return all(is_blank(item) for item in value.values())
    if isinstance(value, Sequence):
        return all(is_blank(item) for item in value)
    return False


_UNSEEN = {"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Cn", "Mn", "Me"}
_DRAWN_AS_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Fillers of Korean syllables, and the Braille pattern without a dot."""


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN or character in _DRAWN_AS_BLANK
