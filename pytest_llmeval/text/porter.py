"""Porter's stemmer: English words without their endings, as METEOR compares them.

The algorithm of M. F. Porter, "An algorithm for suffix stripping" (1980), with the changes that
NLTK made to it, so that a METEOR score is the one that NLTK gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

_IRREGULAR = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
}
_AS_THEY_ARE = frozenset(
    ("sky", "news", "inning", "outing", "canning", "howe", "proceed", "exceed", "succeed")
)

_LONG_ENDINGS = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "fulli": "ful",
}
_MIDDLE_ENDINGS = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
_SHORT_ENDINGS = dict.fromkeys(
    (
        "al",
        "ance",
        "ence",
        "er",
        "ic",
        "able",
        "ible",
        "ant",
        "ement",
        "ment",
        "ent",
        "ion",
        "ou",
        "ism",
        "ate",
        "iti",
        "ous",
        "ive",
        "ize",
    ),
    "",
)


@lru_cache(maxsize=65536)
def porter_stem(word: str) -> str:
    """``word``, which is in lower case, without its English endings."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2 or word in _AS_THEY_ARE:
        return word
    word = _without_past(_without_plural(word))
    if word.endswith("y") and len(word) > 2 and _shape(word[:-1]).endswith("c"):
        word = word[:-1] + "i"
    word = _without_long_ending(word)
    word = _replaced(word, _MIDDLE_ENDINGS, lambda stem: _measure(stem) > 0)
    word = _without_short_ending(word)
    return _without_e(word)


def _shape(word: str) -> str:
    """``word`` as consonants and vowels, ``c`` and ``v``; a y after a consonant is a vowel."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """How many times a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def _ends_short(stem: str) -> bool:
    """Whether ``stem`` ends as *hop* does, so that an *e* may have gone."""
    shape = _shape(stem)
    return (shape.endswith("cvc") and stem[-1] not in "wxy") or shape == "vc"


def _replaced(word: str, endings: Mapping[str, str], when: Callable[[str], bool]) -> str:
    """``word`` with the first of ``endings`` that it has replaced, if its stem allows ``when``."""
    for ending, replacement in endings.items():
        if word.endswith(ending):
            stem = word[: -len(ending)]
            return stem + replacement if when(stem) else word
    return word


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem != word and "v" in _shape(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """``stem`` as it was before *ed* or *ing* was put to it: *hopp* is *hop*, *fil* is *file*."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-2:-1] == stem[-1] and _shape(stem).endswith("c"):
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _without_long_ending(word: str) -> str:
    if word.endswith("alli"):
        return _without_long_ending(word[:-2]) if _measure(word[:-4]) > 0 else word
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _LONG_ENDINGS, lambda stem: _measure(stem) > 0)


def _without_short_ending(word: str) -> str:
    def long_enough(stem: str) -> bool:
        return _measure(stem) > 1 and (not word.endswith("ion") or stem[-1] in "st")

    return _replaced(word, _SHORT_ENDINGS, long_enough)


def _without_e(word: str) -> str:
    stem = word.removesuffix("e")
    if stem != word:
        measure = _measure(stem)
        word = stem if measure > 1 or (measure == 1 and not _ends_short(stem)) else word
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
