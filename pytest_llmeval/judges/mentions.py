"""The levels and words that prose mentions: as a verdict, as a bound, or in passing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .bounds import denied_behind, relation, without_contrast

_RATED = (
    r"amount|category|class|danger\w*|degree|end|grade|harm\w*|hat(?:e\w*|red)|label|level|mark|one"
    r"|rank|rating|risks?|scores?|self|severit\w+|sex\w*|tier|toxic\w*|unfair\w*|verdict|violen\w*"
)
"""Nouns of what is rated: "high violence" is a verdict, "high quality" is none."""
GOES_ON = (
    r"after|although|and|applies|are|as|at|based|because|but|by|can(?:not|['’]t)?|considering|could"
    r"|describes|despite|did(?:n['’]t)?|does(?:n['’]t)?|due"
    r"|enough|fits|for|given|has|here|i|if|in|instead|is(?:n['’]t)?|it|looks|may|might|must|not|now|of|on|or|overall"
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

_SORTED = re.compile(
    r"\b(?:(?:arrange|list|order|sort)(?:s|d|ed|ing)?\b[^.!?;:\n]*|(?:costs?|prices?|values?)\s*)$",
    re.IGNORECASE,
)
"""What runs from low to high, and is not rated."""


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
    prose = _without_scales(without_contrast(prose, own, either), order, either)
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
        if (
            after.startswith("?")
            or fits is None
            or not fits(order.index(own), order.index(word))
            or (word == own and denied_behind(after))
        ):
            said = match[0].replace("_", " ")
            return f"not {said}" if word == own else said
    return None


def _attributed(before: str, after: str, called: str) -> bool:
    sentence = re.split(r"[.!?;\n]", before)[-1]
    alone = not re.search(r"\w", sentence) and re.match(r"[ \t]*(?:[.!,;:\n]|$)", after)
    return bool(alone or re.search(called, sentence, re.IGNORECASE))


def _without_scales(prose: str, order: Sequence[str], either: str) -> str:
    """``prose`` without lists of all that may be said ("low, medium or high") and their ends.

    Also without a range of something else: "from low to high price", "sorted from high to low".
    """

    def kept(match: re.Match[str]) -> str:
        named = {each.lower() for each in re.findall(rf"\b(?:{either})\b", match[0], re.I)}
        listed = named == {*order} and (len(order) > 2 or not re.search(r"\band\b", match[0], re.I))
        return " " if listed else match[0]

    def ranged(match: re.Match[str]) -> str:
        of_other = _in_passing(match[1].lower(), prose[match.end() :][:100], either)
        return " " if of_other or _SORTED.search(prose[: match.start()][-60:]) else match[0]

    item = rf"\b(?:{either})\b"
    prose = re.sub(rf"(?:\bfrom )?{item}[ -]to[ -]({either})\b", ranged, prose, flags=re.I)
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
    if re.fullmatch(rf"{either}|{GOES_ON}", following[1], re.IGNORECASE):
        return False
    if hyphened := re.match(r"-level ([\w'’]+)", after):
        return re.fullmatch(rf"{GOES_ON}|{_RATED}", hyphened[1], re.IGNORECASE) is None
    if re.fullmatch(r"amount|degree|level", following[1], re.IGNORECASE) and following[2]:
        return re.search(rf"\b(?:{_RATED})\b", following[2], re.IGNORECASE) is None
    return re.fullmatch(_RATED, following[1], re.IGNORECASE) is None
