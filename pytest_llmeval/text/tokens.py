"""Tokens: how text is cut for the metrics that count what two texts share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

from .words import COMBINING

WordTokenizer = Literal["auto", "words", "mixed", "char"]
"""For metrics of words: f1 and rouge."""

MachineTokenizer = Literal["auto", "13a", "intl", "zh", "char", "mixed", "none"]
"""For metrics of machine translation, by sacrebleu's names; ``mixed`` is our own."""

_LETTERS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u0f40-\u0fbc\u1000-\u109f\u1780-\u17d3\ua9e0-\ua9fe"
    "\uaa60-\uaa7f\u2e80-\u2fdf\u3005-\u3007\u3041-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
"""Of Thai, Lao, Tibetan, Burmese, Khmer, Chinese and Japanese."""

_MARKS = f"{COMBINING}\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_UNSPACED = re.compile(f"[{_LETTERS}]")
_APART = re.compile(f"[{_LETTERS}][{_MARKS}]*|[\u3001-\u3003\u3008-\u303f\uff01-\uff65]")
_WORD = re.compile(rf"[^\W_](?:[^\W_]|[{_MARKS}])*")
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")


class Texts(NamedTuple):
    """Two texts to compare, with one form for what only looks the same."""

    response: str
    reference: str

    @property
    def identical(self) -> bool:
        """Whether they are the same but for white space."""
        return self.response.split() == self.reference.split()

    def tokenizer(self, asked: str, plain: str) -> str:
        """The tokenizer for both: the one ``asked`` for; ``auto`` takes what fits their scripts.

        That is ``plain``, or ``mixed`` where either text has letters of a script without spaces.
        """
        if asked != "auto":
            return asked
        return "mixed" if any(map(_UNSPACED.search, self)) else plain


def compared(response: str | None, reference: str | None) -> Texts:
    """The texts in Unicode's normal form C, without soft hyphens and zero-width spaces."""
    return Texts(_normal(response or ""), _normal(reference or ""))


def _normal(text: str) -> str:
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFC", text))


def set_apart(text: str) -> str:
    """``text`` with each character of a script without spaces, marks included, by itself."""
    return text if text.isascii() else _APART.sub(r" \g<0> ", text)


def pieces(text: str, tokenizer: str) -> list[str]:
    """``text`` between its white space; ``mixed`` and ``char`` cut that as they are called."""
    if tokenizer == "char":
        return [character for character in text if not character.isspace()]
    return (set_apart(text) if tokenizer == "mixed" else text).split()


def plain_words(text: str, tokenizer: str) -> list[str]:
    """The words of ``text`` in lower case: runs of letters and digits, in any script."""
    found = _WORD.findall((set_apart(text) if tokenizer == "mixed" else text).lower())
    return [letter for word in found for letter in word] if tokenizer == "char" else found


def machine_tokens(text: str, tokenizer: str) -> list[str]:
    """``text`` cut by one of ``MachineTokenizer``, ``auto`` aside; case and punctuation stay."""
    if tokenizer == "mixed":
        return _sacrebleu("13a")(set_apart(text).rstrip()).split()
    return _sacrebleu(tokenizer)(text.rstrip()).split()


@lru_cache(maxsize=8)
def _sacrebleu(name: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    tokenize: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    return tokenize
