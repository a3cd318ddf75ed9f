"""The levels, words and figures that prose mentions: as a verdict, as a bound, or in passing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .bounds import relation

_RATED = (
    r"amount|category|class|danger\w*|degree|end|grade|harm\w*|hat(?:e\w*|red)|label|level|mark|one"
    r"|rank|rating|risks?|scores?|self|severit\w+|sex\w*|tier|toxic\w*|unfair\w*|verdict|violen\w*"
)
"""Nouns of what is rated: "high violence" is a verdict, "high quality" is none."""
_GOES_ON = (
    r"after|although|and|applies|are|as|at|based|because|but|by|considering|describes|despite|due"
    r"|enough|fits|for|given|here|i|if|in|instead|is|it|looks|may|might|not|now|of|on|or|overall"
    r"|per|rather|seems|should|since|so|suits|than|that|then|there|this|though|to|too|under|was|we"
    r"|were|when|which|while|will|with|would|could|\w+ly"
)
"""Words that follow a verdict, and no level that describes the noun behind it."""
_BECAUSE = r"as|because|but|for|given|here|overall|since|so|then"
_NEXT = re.compile(r"(?:[ \t]+|-)([\w'’]+)(?:\s+of((?:\s+[\w'’]+){1,3}))?", re.IGNORECASE)
_OTHER_THING = re.compile(
    r"\b(?:(?!grades|levels|passages|ratings|scores)\w{3,}s (?:are|remain|run|stay|were)"
    r"|(?:detail|mood|pace|quality|temperature|tension|tone|volume) (?:is|remains|stays|was))"
    r"(?: (?:quite|rather|so|too|very))?\s+$",
    re.IGNORECASE,
)
"""Something that has a level and is not rated: "the stakes are high"."""


def one_word(words: str) -> str:
    return "_".join(words.lower().split())


def joined(text: str, words: Iterable[str]) -> str:
    """``text`` with those of ``words`` that are several joined: "very low" is not "low"."""
    for each in words:
        if several := each.split()[1:]:
            spread = r"[\s_-]*".join(map(re.escape, [each.split()[0], *several]))
            text = re.sub(rf"\b{spread}\b", one_word(each), text, flags=re.IGNORECASE)
    return text


def another_word(
    prose: str, words: Sequence[str], value: str, called: str, alone: bool
) -> str | None:
    """What ``prose`` says of ``words`` that contests ``value``, if it does.

    ``words`` are all that the field may hold, from the lowest to the highest. A mention counts
    unless it describes something else ("a low level of detail") or is a bound that ``value``
    keeps ("nothing goes beyond very low"); so does one of ``value`` itself that is denied.
    ``called`` is the pattern of the field's names: unless the field decides ``alone``, only
    what is said behind one of these counts, and a word that is a sentence of its own.
    """
    order, own = [one_word(each) for each in words], one_word(value)
    either = "|".join(map(re.escape, sorted(order, key=len, reverse=True)))
    prose = _without_scales(prose, order, either)
    for match in re.finditer(rf"\b(?:{either})\b", prose, re.IGNORECASE):
        before = prose[max(0, match.start() - 120) : match.start()]
        after = prose[match.end() : match.end() + 100]
        if not (alone or _attributed(before, after, called)):
            continue
        word = match[0].lower()
        headed = before.rstrip(" \t\n\"'").endswith((":", "=")) and re.search(
            rf"(?:{called})\W{{0,5}}$", before, re.IGNORECASE
        )
        if not headed and (_in_passing(word, after, either) or _OTHER_THING.search(before)):
            continue
        fits = relation(before)
        if after.startswith("?") or fits is None or not fits(order.index(own), order.index(word)):
            said = match[0].replace("_", " ")
            return f"not {said}" if word == own else said
    return None


def _attributed(before: str, after: str, called: str) -> bool:
    sentence = re.split(r"[.!?;\n]", before)[-1]
    alone = not re.search(r"\w", sentence) and re.match(r"[ \t]*(?:[.!,;:\n]|$)", after)
    return bool(alone or re.search(called, sentence, re.IGNORECASE))


def _without_scales(prose: str, order: Sequence[str], either: str) -> str:
    """``prose`` without lists of all that may be said ("low, medium or high") and their ends."""

    def kept(match: re.Match[str]) -> str:
        named = {each.lower() for each in re.findall(rf"\b(?:{either})\b", match[0], re.I)}
        listed = named == {*order} and (len(order) > 2 or not re.search(r"\band\b", match[0], re.I))
        return " " if listed else match[0]

    item = rf"\b(?:{either})\b"
    run = rf"{item}(?:\s*(?:[,/]|\bor\b|\band\b|, (?:or|and)\b)\s*{item})+"
    ends = rf"\bfrom {re.escape(order[0])} to {re.escape(order[-1])}\b" if order[2:] else r"(?!)"
    return re.sub(ends, " ", re.sub(run, kept, prose, flags=re.I), flags=re.I)


def _in_passing(word: str, after: str, either: str) -> bool:
    """Whether the mention describes the noun behind it, which is nothing that is rated."""
    following = _NEXT.match(after)
    if following is None:
        return False
    if word in ("yes", "no"):
        return word == "no" and not re.fullmatch(_BECAUSE, following[1], re.IGNORECASE)
    if re.fullmatch(rf"{either}|{_GOES_ON}", following[1], re.IGNORECASE):
        return False
    if hyphened := re.match(r"-level ([\w'’]+)", after):
        return re.fullmatch(rf"{_GOES_ON}|{_RATED}", hyphened[1], re.IGNORECASE) is None
    if re.fullmatch(r"amount|degree|level", following[1], re.IGNORECASE) and following[2]:
        return re.search(rf"\b(?:{_RATED})\b", following[2], re.IGNORECASE) is None
    return re.fullmatch(_RATED, following[1], re.IGNORECASE) is None


FIGURES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
"""Figures in words, each at its value."""
_SPELT = {word: number for number, word in enumerate(FIGURES) if number > 1}
"""Those that are no other word: "one" and "zero" may count nothing."""
_FIGURE = re.compile(
    r"(?:(?:^[ \t>*-]{0,9}|(?<=[.!?])\s{1,3})(?=[\d.]{1,9}[ \t]{0,9}$)|:\s{1,3}"
    r"|\b(?:as|assign|at|be|choose|chose|conclude|deserves?|earns?|gets?|gives?|grade[ds]?|hence"
    r"|is|it|it['’]s|least|level|merits?|most|pick|rate[ds]?|response|say|score[ds]?|select|so|than"
    r"|therefore|this|thus|not|isn['’]t|with|worth|above|below|under|over|beyond),?\s{1,3}"
    r"(?:(?:a|an|it|just|only|the|this|to|level|response|score|rating|of)\s{1,3}){0,4})"
    rf"(\d{{1,9}}(?:\.\d{{1,9}})?|{'|'.join(_SPELT)})(?![\w]|\.\d)"
    r"(?=\s{0,3}(?:[.!;,)\n]|$|/\s?\d|out of\b|stars?\b|points?\b"
    r"|(?:as|at best|at most|because|but|given|here|overall|since)\b))",
    re.IGNORECASE | re.MULTILINE,
)
"""A figure that is no count of anything: "So it is 2.", "I give it a 2, since …"."""


def another_figure(prose: str, value: float) -> str | None:
    """The figure that ``prose`` mentions as a verdict and that is not ``value``, if it does."""
    for match in _FIGURE.finditer(prose):
        number = _SPELT.get(match[1].lower()) or float(match[1])
        fits = relation(prose[max(0, match.start(1) - 200) : match.start(1)])
        if fits is None or not fits(value, number):
            return f"not {match[1]}" if number == value else match[1]
    return None
