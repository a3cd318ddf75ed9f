"""Exact match: is the response the ground truth?"""

from __future__ import annotations

import unicodedata
from itertools import takewhile

from ..data.cases import Case
from ..results import Verdict
from ..scales import PASS_FAIL, Threshold
from .ask import Ask
from .built_in import built_in

_SHOWN = 20
"""How many characters from the first difference on are shown."""


@built_in(
    needs=("response", "ground_truth"),
    scale=PASS_FAIL,
    rule=Threshold("at_least", 1),
    judged=False,
)
async def exact_match(
    case: Case, ask: Ask, ignore_case: bool = False, ignore_space: bool = False
) -> Verdict:
    """Whether the response is the ground truth, character by character, pass or fail.

    Both are brought to Unicode's normal form C first. With ``ignore_case`` capitals make no
    difference; with ``ignore_space`` white space at the ends and how much of it is between words
    makes none. The reason tells where they differ first, and by which character where that is
    white space or may look like another.
    """
    said, expected = (
        _form(text or "", ignore_case, ignore_space) for text in (case.response, case.ground_truth)
    )
    if said == expected:
        return Verdict(1, "the response is the ground truth")
    same = zip(said, expected, strict=False)
    place = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], same))
    here, there = (_rest(text[place:]) for text in (said, expected))
    return Verdict(0, f"after {place} characters the response {here}, the ground truth {there}")


def _rest(text: str) -> str:
    """How ``text`` begins, in Python's notation; its first character by name where it needs one."""
    if not text:
        return "ends"
    told = f"has {text[:_SHOWN]!r}{'…' * (len(text) > _SHOWN)}"
    first = text[0]
    if first.isascii() and not first.isspace():
        return told
    return (
        f"{told} (first {' '.join([f'U+{ord(first):04X}', unicodedata.name(first, '')]).strip()})"
    )


def _form(text: str, ignore_case: bool, ignore_space: bool) -> str:
    text = unicodedata.normalize("NFC", text)
    if ignore_case:
        text = unicodedata.normalize("NFC", text.casefold())
    return " ".join(text.split()) if ignore_space else text
