"""Figures in prose: those that count or number something, and those that are a score."""

from __future__ import annotations

import re
from itertools import pairwise

from .bounds import denied_behind, relation, without_contrast
from .mentions import GOES_ON

FIGURES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Figures in words, each at its value."""
_SPELT = {word: number for number, word in enumerate(FIGURES) if number > 1}
"""Those that are no other word: "one" and "zero" may count nothing."""
_FIGURE = re.compile(
    rf"(?<![\w.,/$€£'’:–-])(\d{{1,9}}(?:\.\d{{1,9}})?|{'|'.join(_SPELT)})(?![\w%]|[.,:]\d)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\b(?:chunk|citation|claim|criteri(?:on|a)|document|example|fact|figure|guideline|intent|item"
    r"|line|option|page|paragraph|part|passage|point|quote|reason|rule|section|sentence|source"
    r"|statement|step|turn)s?\s{1,3}#?\d{1,3}(?:(?:,|,? and|,? or| to|[-–])\s{0,3}\d{1,3}){0,9}"
    r"|[(\[]\d{1,3}[)\]]"
    r"|(?<=[\w,]\s)(?-i:(?!Grade|Level|Rating|Score|Severity|Verdict)[A-Z][a-z]{1,30})\s\d{1,3}\b",
    re.IGNORECASE,
)
"""Figures that number something or stand in a name: "sentences 2 and 3", "(1)", "Article 5"."""
_ITEM = re.compile(r"^[ \t>*-]{0,9}(\d{1,3})[.)][ \t]{1,9}(?=\S)", re.MULTILINE)
_NO_NOUN = (
    rf"{GOES_ON}|above|below|grades?|level|marks?|out|points?|ratings?|scores?|stars?|verdict"
)
_NOUN = re.compile(
    r"(?:\s{1,3}of (?:the |its |these |those |all )?(?:\d{1,3}|[a-z]{3,5})?(?=\s)"
    r"|\s?(?:[-–]|to|or)\s?\d{1,3})?"
    rf"[ \t-]{{1,3}}(?!(?:{_NO_NOUN})\b)[^\W\d]",
    re.IGNORECASE,
)
"""What is counted: "3 sentences", "two of 3 claims", "2 to 3 lines"."""
_DEFINED = re.compile(r"\s?(?:=|\bmeans?\b|\bstands for\b)")
"""What follows a figure of the scale as it is explained: "5 = perfect"."""
_POINTS = re.compile(r"[ \t]{1,3}(?:stars?|points?)\b", re.IGNORECASE)
_HAS_POINTS = re.compile(
    r"\b(?:all|covers?|has|have|in|its|lists?|makes?|names?|of|the|these)\s{1,3}$", re.IGNORECASE
)
"""Before "3 points", where these are no score."""


def another_figure(prose: str, value: float, ends: tuple[float, float] | None) -> str | None:
    """The figure that ``prose`` gives as a score and that is not ``value``, if it does.

    A figure is a score unless it counts ("3 sentences") or numbers something ("sentence 2"), or
    lies beyond the ``ends`` of the scale; so is one of ``value`` itself that is denied.
    """
    text = _without_scale(_without_items(_NUMBERED.sub(" ", prose)), ends)
    text = without_contrast(text, f"{value:g}", rf"\d{{1,9}}|{'|'.join(FIGURES)}")
    for match in _FIGURE.finditer(text):
        number = _SPELT.get(match[1].lower()) or float(match[1])
        before, after = text[max(0, match.start() - 200) : match.start()], text[match.end() :][:80]
        if _counts(before, after) or (ends and not ends[0] <= number <= ends[1]):
            continue
        fits = relation(before)
        if fits is None or not fits(value, number) or (number == value and denied_behind(after)):
            return f"not {match[1]}" if number == value else match[1]
    return None


def _counts(before: str, after: str) -> bool:
    if _POINTS.match(after):
        return _HAS_POINTS.search(before) is not None
    return _NOUN.match(after) is not None or _DEFINED.match(after) is not None


def _without_items(text: str) -> str:
    """``text`` without the numbers of its lists, which count from 1."""
    numbers = [int(each) for each in _ITEM.findall(text)]
    pairs = pairwise(numbers)
    counted = numbers[:1] == [1] and all(later in (1, former + 1) for former, later in pairs)
    return _ITEM.sub(" ", text) if counted and len(numbers) > 1 else text


def _without_scale(text: str, ends: tuple[float, float] | None) -> str:
    """``text`` without "from 1 to 5" and what of "4/5" and "4 out of 5" is the scale's end."""
    if ends is None:
        return re.sub(r"(\d)\s?(?:/|out of)\s?\d{1,3}\b", r"\1", text)
    low, high = (f"{end:g}" for end in ends)
    text = re.sub(rf"\b{low}\s?(?:[-–—]|to|and)\s?{high}\b", " ", text)
    return re.sub(rf"(?:/|\b(?:out )?of)\s{{0,2}}(?:{high}|{_word(high)})\b", " ", text)


def _word(figure: str) -> str:
    return FIGURES[int(figure)] if figure.isdigit() and int(figure) < len(FIGURES) else figure
