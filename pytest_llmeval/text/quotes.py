"""Quotes: the place in a text that somebody quotes, found although they quote it loosely."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter

_MARKS = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟′″«»‹›「」『』＂＇"), "'")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
_SAME = _MARKS | _DASHES

_NUMBER_BEFORE = re.compile(r"\d[.,]?$")
_NUMBER_AFTER = re.compile(r"[.,]?\d")


def find_quote(quote: str, text: str) -> str | None:
    """The slice of ``text``, verbatim, that ``quote`` quotes; None where there is none.

    Case, white space, the forms of quotation marks and dashes, zero-width characters and how
    accents are encoded make no difference; nor do marks around the quote, an ellipsis at its
    ends, or punctuation after it; marks alone quote only a text of these marks. Words and numbers
    do, whole ones: ``2 kg`` is quoted neither from ``12 kg`` nor from ``1.2 kg``.
    """
    folded, origins = _folded(text)
    wanted = _folded.__wrapped__(quote)[0].strip()
    unwrapped = wanted.lstrip(" '.").rstrip(" '")
    bare = unwrapped.rstrip(" '.,:;!?。、-")
    if not bare:  # nothing but marks, which quote a text that is nothing else
        return text.strip() if wanted and wanted == folded.strip() else None
    for form in dict.fromkeys((wanted, unwrapped, bare)):
        if (start := _place(form, folded, _cuts(text))) is not None:
            places = origins[start : start + len(form)]
            return text[min(places) : max(places) + 1]
    return None


@lru_cache(maxsize=8)
def _folded(text: str) -> tuple[str, tuple[int, ...]]:
    """``text`` reduced to what counts, and for each of its characters the index it came from.

    Kept for a while, since many quotes are looked for in the same text.
    """
    characters: list[str] = []
    origins: list[int] = []
    for character, index in _decomposed(text):
        for piece in character.casefold():
            blank = piece.isspace()
            if unicodedata.category(piece) == "Cf" or (blank and characters[-1:] == [" "]):
                continue
            characters.append(" " if blank else piece)
            origins.append(index)
    return "".join(characters), tuple(origins)


def _decomposed(text: str) -> list[tuple[str, int]]:
    """Letters and accents apart, accents in their canonical order, each with where it was."""
    letter = 0
    keyed: list[tuple[int, int, int, str]] = []
    for index, character in enumerate(text.translate(_SAME)):
        for piece in unicodedata.normalize("NFKD", character).translate(_SAME):
            accent = unicodedata.combining(piece)
            letter += accent == 0
            keyed.append((letter, accent, index, piece))
    return [(piece, index) for _, _, index, piece in sorted(keyed, key=itemgetter(0, 1))]


def _place(form: str, folded: str, cuts: bytes) -> int | None:
    """Where ``form`` stands in ``folded`` as whole words, or None."""
    start = folded.find(form)
    while start >= 0:
        if cuts[start] and cuts[start + len(form)]:
            return start
        # A quote that stands within words is looked for again where the next word begins.
        start = folded.find(form, cuts.find(1, start + 1))
    return None


@lru_cache(maxsize=8)
def _cuts(text: str) -> bytes:
    """For each place of the folded ``text``, and its end, whether a cut there splits no word."""
    folded, origins = _folded(text)
    return bytes(not _splits(folded, origins, at) for at in range(len(folded) + 1))


def _splits(folded: str, origins: Sequence[int], at: int) -> bool:
    """Whether a cut before index ``at`` goes through a word, a number or a single character."""
    if not 0 < at < len(folded):
        return False
    if origins[at - 1] == origins[at] or unicodedata.combining(folded[at]):
        return True
    before, after = folded[max(at - 2, 0) : at], folded[at : at + 2]
    if _NUMBER_BEFORE.search(before) and _NUMBER_AFTER.match(after):
        return True
    return _spaced(before[-1]) and _spaced(after[0])


def _spaced(character: str) -> bool:
    """Whether the character is of a kind that spaces keep apart: cased letters and digits."""
    return character.isdigit() or character.upper() != character.lower()
