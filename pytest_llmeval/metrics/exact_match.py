"""Exact match: is the response the ground truth?"""

from __future__ import annotations

import unicodedata
from itertools import takewhile

from ..data.cases import Case
from ..results import PASS_FAIL, Threshold, Verdict
from ..text.shown import shown
from .ask import Ask
from .built_in import built_in


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
    makes none. The reason tells where they differ first.
    """
    said, expected = (
        _form(text or "", ignore_case, ignore_space) for text in (case.response, case.ground_truth)
    )
    if said == expected:
        return Verdict(1, "the response is the ground truth")
    same = zip(said, expected, strict=False)
    place = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], same))
    here, there = (shown(text[place : place + 20]) or "its end" for text in (said, expected))
    reason = f"after {place} characters the response has {here!r}, the ground truth {there!r}"
    return Verdict(0, reason)


def _form(text: str, ignore_case: bool, ignore_space: bool) -> str:
    text = unicodedata.normalize("NFC", text)
    if ignore_case:
        text = unicodedata.normalize("NFC", text.casefold())
    return " ".join(text.split()) if ignore_space else text
