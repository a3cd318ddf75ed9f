"""Spelling: one way of writing for what only looks different."""

from __future__ import annotations

import re
import unicodedata

from .numerals import MAGNITUDES

UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+"
)
CURRENCIES = "$€£¥₹₽"
_CITATION = re.compile(r"\[\s*\^?\d+(?:\s*[,;–-]\s*\d+)*\s*\]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_DIGIT_SPACE = re.compile("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")
_SUPERSCRIPT = re.compile(r"(?:(?<!\w)|(?<=[^\W\d_]{3}))[⁰¹²³⁴-⁹]+")
_OTHER_DIGIT = re.compile(r"(?=\d)[^0-9]")
_SIGN = re.compile(rf"(?<![^\s(\[:=~])[−–](?=[{CURRENCIES}]?\d)")
_PRICE = re.compile(
    rf"((?:(?<![^\s(\[:=~])-)?)([{CURRENCIES}])\s?(\d+(?:[.,]\d+)*(?:\s?(?:{'|'.join(MAGNITUDES)})\b)?)",
    re.I,
)
"""A currency before its number, which is compared like a unit behind it."""
_NUMERO = re.compile(r"\b[Nn]os?\. ?(?=\d)")
_BARE_NO = re.compile(r"\b(no|nope|nein|non|não|nee|нет|لا)\s*[,،]", re.I)
"""A no that answers, and negates nothing of what comes after it."""


def plain(text: str) -> str:
    """``text`` with one form for what only looks different, unspaced scripts set apart."""
    if not text.isascii():
        text = _SUPERSCRIPT.sub("", _DIGIT_SPACE.sub(",", text))
        text = unicodedata.normalize("NFKC", text).replace("’", "'")
        text = _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)
        text = UNSPACED.sub(r" \g<0> ", _INVISIBLE.sub("", text))
    return text


def comparable(text: str) -> str:
    """``plain`` text without citation marks, signs and prices of all texts written alike."""
    text = _NUMERO.sub("", _CITATION.sub(" ", plain(text)))
    text = _SIGN.sub("-", _BARE_NO.sub(r"\1; ", text))
    return _PRICE.sub(r" \1\3 \2 ", text)
