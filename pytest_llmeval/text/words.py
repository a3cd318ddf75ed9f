"""Words: a text cut into what can be compared, in any script."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from .lexicon import FUNCTION_WORDS, LIGHT_STEMS, NEGATIONS, stem
from .numerals import COUNTER, MAGNITUDES, NUMBER_WORDS, NUMERAL, digits
from .spelling import CURRENCIES, UNSPACED, comparable, plain
from .units import UNITS

Kind = Literal["content", "number", "pair", "function", "negation", "stop"]


class Word(NamedTuple):
    """A word of a text: the form it is compared by, what it is, and how it was written.

    A ``pair`` is two neighbouring characters of a script without spaces (Chinese, Japanese, Thai,
    Lao, Khmer, Burmese) or of Korean; these overlap. ``function`` is what claims nothing. A
    ``negation`` has the form ``not``, or ``-not`` where it follows what it negates. A ``stop`` is
    no word: it is where a sentence or a part of one ends.
    """

    form: str
    kind: Kind
    text: str

    @property
    def counts(self) -> bool:
        """Whether the word says something, so that it can be right or wrong."""
        return self.kind in ("content", "number", "pair")

    @property
    def digital(self) -> bool:
        """Whether it is a number that was written in digits."""
        return self.kind == "number" and self.text.lstrip("-")[:1].isdecimal()


COMBINING = "".join(
    chr(code)
    for code in (*range(0x300, 0x2000), *range(0xA800, 0xAC00))
    if unicodedata.category(chr(code)).startswith("M")
)
"""The marks of all scripts, which belong to the letter before them."""
_PIECE = re.compile(
    r"(?:(?<![^\s(\[:=~])-)?(?:\d{1,3}(?:,\d{3}){1,9}(?!\d)(?:\.\d+)?|\d+,\d{1,2}(?!\d)"
    rf"|\d+(?:\.\d+)*)|[%{CURRENCIES}]|[.!?;:。؟؛।](?!\w)|(?:[^\W\d_]\.){{2,}}"
    rf"|[^\W\d_][\w{COMBINING}]*(?:'[^\W\d_]+)*"
)
_UNSPACED_NEGATION = re.compile("(不|没|沒|无|ไม่|無い|ない|ません|なかった|않|없)")
_FOLLOWING = frozenset(("無い", "ない", "ません", "なかった", "않", "없"))
_GRAMMAR = re.compile("[的了是在和与與也就都而及着很把被]|^[\u3040-\u309f]+$")
_STOPS = ".!?;:。؟؛।"
_TENS = re.compile("[2-9]0")
_US = frozenset(("US", "USA", "U.S.", "U.S.A."))


def words(text: str) -> list[Word]:
    """The words of ``text`` in reading order; citation marks such as ``[1]`` or ``¹`` are none.

    Case, accents, widths and English endings make no difference to the form; ``2,000`` is
    ``2000``, *two* is ``2``, *1.3 million* is ``1300000`` and ``%`` is *percent*.
    """
    spelled = comparable(text)
    if spelled.isupper():  # shouted: capitals tell no acronyms
        spelled = spelled.lower()
    found: list[Word] = []
    for piece in _PIECE.findall(spelled):
        number = found[-1] if found and found[-1].kind == "number" else None
        if not piece.isascii() and UNSPACED.match(piece) and piece not in NUMBER_WORDS:
            if number and piece[0] in MAGNITUDES:
                found[-1] = _joined(number, Word("", "pair", piece[0])) or number
                piece = piece[1:]
            found.extend(_unspaced(piece, counted=number is not None))
            continue
        word = _word(piece)
        if number and (joined := _joined(number, word)):
            found[-1] = joined
        elif number and (unit := UNITS.get(piece.casefold())):
            found.append(Word(unit, "content", piece))
        elif word.kind == "number" and found and found[-1].text.casefold() == "minus":
            found[-1] = Word(f"-{word.form}", "number", f"{found[-1].text} {piece}")
        else:
            found.append(word)
    return found


def tokens(text: str) -> list[str]:
    """``text`` as plain lower-case words, single characters in scripts without spaces.

    Numbers are kept as written and punctuation is left out; nothing is trimmed or dropped.
    """
    found: list[str] = []
    for piece in _PIECE.findall(plain(text).casefold()):
        piece = piece.lstrip("-")
        if piece not in _STOPS + CURRENCIES:
            found.extend(piece if UNSPACED.match(piece) else (piece,))
    return found


@lru_cache(maxsize=65536)
def _word(piece: str) -> Word:
    low = piece.casefold()
    if low[-1].isdecimal() and low.lstrip("-")[0].isdecimal():
        return Word(_figure(low), "number", piece)
    if len(low) == 1 and low in _STOPS:
        return Word(".", "stop", piece)
    if low in NEGATIONS or low.endswith("n't"):
        return Word("not", "negation", piece)
    if piece in _US:
        return Word("US", "content", piece)
    if low in FUNCTION_WORDS:
        acronym = len(piece) > 1 and piece.isupper()
        return Word(piece, "content", piece) if acronym else Word(low, "function", piece)
    if low in NUMBER_WORDS:
        return Word(NUMBER_WORDS[low], "number", piece)
    if piece == "%":
        return Word("percent", "content", piece)
    form = stem(low.replace(".", ""))
    return Word(form, "function" if form in LIGHT_STEMS else "content", piece)


def _joined(number: Word, word: Word) -> Word | None:
    """The one number that *1.3* and *million*, or *twenty* and *one*, are together."""
    low = word.text.casefold()
    if low in MAGNITUDES:
        form = _scaled(number.form, MAGNITUDES[low])
        return Word(form, "number", f"{number.text} {word.text}")
    unit = "1" if low == "one" else NUMBER_WORDS.get(low, "")
    if len(unit) == 1 and unit > "0" and not number.digital and _TENS.fullmatch(number.form):
        return Word(number.form[0] + unit, "number", f"{number.text}-{word.text}")
    return None


def _figure(piece: str) -> str:
    """The digits of a number in one way of writing: ``2,000`` and ``٢٠٠٠`` are ``2000``."""
    sign, piece = piece[: piece.startswith("-")], piece.lstrip("-")
    if re.search(r"^\d+,\d{1,2}$", piece):
        piece = piece.replace(",", ".")
    piece = piece.replace(",", "")
    if piece.count(".") == 1:
        piece = piece.rstrip("0").rstrip(".")
    return sign + (piece.lstrip("0") or "0")


def _scaled(figure: str, power: int) -> str:
    """``figure`` times ten to the ``power``, in plain digits."""
    if len(figure) > 20 or figure.count(".") > 1:
        return figure
    return format((Decimal(figure) * 10**power).normalize(), "f")


def _unspaced(run: str, counted: bool) -> list[Word]:
    """The words of a run without spaces: numbers, what they count, and pairs of characters.

    ``counted`` tells that a number stands before it.
    """
    found: list[Word] = []
    while run:
        if counted and (unit := COUNTER.match(run)):
            found.append(Word(UNITS.get(unit[0], unit[0]), "pair", unit[0]))
            run = run[unit.end() :]
        number = NUMERAL.search(run)
        found.extend(_pairs(run[: number.start()] if number else run))
        if number is None:
            break
        found.append(Word(digits(number[0]), "number", number[0]))
        run, counted = run[number.end() :], True
    return found


def _pairs(run: str) -> list[Word]:
    """The overlapping pairs of characters of ``run``, cut at negations."""
    found: list[Word] = []
    for piece in _UNSPACED_NEGATION.split(run):
        if _UNSPACED_NEGATION.fullmatch(piece):
            form = "-not" if piece in _FOLLOWING else "not"
            found.append(Word(form, "negation", piece))
        elif piece:
            pairs = [piece[at : at + 2] for at in range(max(1, len(piece) - 1))]
            found.extend(
                Word(pair, "function" if _GRAMMAR.search(pair) else "pair", pair) for pair in pairs
            )
    return found
