"""Verdicts in the words of the question: "This is not safe", where a yes means that it is."""

from __future__ import annotations

import re

_ASKED = re.compile(r"\bwhether\b.* (?:is|are) (?P<word>[a-z]{4,})$")
_NOT = r"(?:not|never|hardly|by no means|in no way|far from|no longer)"
_DEGREE = r"(?:(?!hardly|just|merely|never|not|only|partly)[\w-]+ ){0,2}"
_WHOLE = (
    r"(?:^|[.!?:;,\n>]\s{0,3}|\b(?:hence|overall|so|that|therefore|thus) )"
    r"(?:(?:its?|such|that|the|this) )?(?:final |given |whole )?"
    r"(?:answer|chunk|claim|content|document|it|output|reply|response|source|text|that|this)"
)
"""All that is judged, as the subject of a sentence; of a part much may be true."""
_STANDS = r"(?:['’]s| is| are| was| seems| looks| remains)"


def answered_otherwise(prose: str, value: str, asked: str) -> str | None:
    """What in ``prose`` says the opposite of ``value`` (yes or no) in the words of ``asked``.

    Only what is said of the whole counts, or as a sentence of its own, and only where the
    question is whether something is of a kind that one word names.
    """
    question = _ASKED.search(asked)
    if question is None or value not in ("yes", "no"):
        return None
    word = question["word"]
    ends = r"\b(?!\s+(?:in|that|to)\b)"
    denied = rf"(?:{_NOT} (?:an? )?{_DEGREE}{word}|{_DEGREE}(?:un|in|im|ir|non-?)-?{word})"
    if value == "yes":
        said = (
            rf"{_WHOLE}(?: (?:is|are|was)n['’]t (?:an? )?{_DEGREE}{word}|{_STANDS} {denied}){ends}"
        )
        alone = rf"(?:^|[.!?:\n]\s{{0,3}}){denied}\s{{0,3}}(?:[.!:;,\n]|$)"
    else:
        said = rf"{_WHOLE}{_STANDS} (?:an? )?{_DEGREE}{word}{ends}"
        alone = rf"(?:^|[.!?:\n]\s{{0,3}}){word}\s{{0,3}}(?:[.!:;,\n]|$)"
    found = re.search(rf"{said}|{alone}", prose, re.IGNORECASE | re.MULTILINE)
    return found[0].strip(" \t\n.!?:;,>") if found else None
