"""How prose bounds what it mentions: "at least medium", "nothing beyond low", "not high"."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence

Relation = Callable[[float, float], bool]
"""Whether a value stands to the one that is mentioned as the prose says."""

_CLAUSE = re.compile(
    r"[.!?…;:,\n()\[\]—–→=]|\s-\s"
    r"|\b(?:and|because|(?<!anything )but|hence|since|so|therefore|thus|which|while)\b",
    re.IGNORECASE,
)
_NO_DOUBT = re.compile(
    r"\b(?:without|no|beyond)\W+(?:\w+\W+)?(?:doubt|question)\b"
    r"|\bnot\W+(?:only|just|merely|simply)\b",
    re.IGNORECASE,
)
"""What negates nothing."""
_NEGATION = re.compile(
    r"\b(?:not|never|nor|neither|no|none|nothing|nobody|hardly|scarcely|cannot|without"
    r"|anything but|far from|other than)\b|n['’]t\b",
    re.IGNORECASE,
)
_NEAR = re.compile(rf"(?:{_NEGATION.pattern})\W+(?:[\w'’]+\W+){{0,5}}$", re.IGNORECASE)
_LINKED = r"\W+(?:(?:a|an|as|be|is|it|level|of|rated|that|the|to)\W+){0,4}$"
_MORE = "more|higher|worse|graver|greater|better|stronger"
_LESS = "less|lower|milder|weaker"
_BOUNDS: Sequence[tuple[re.Pattern[str], Relation, Relation]] = [
    (re.compile(rf"\b(?:{words}){_LINKED}", re.IGNORECASE), plain, negated)
    for words, plain, negated in (
        (rf"at least|(?:no|not) (?:{_LESS}) than", operator.ge, operator.lt),
        (rf"at most|up to|(?:no|not) (?:{_MORE}) than", operator.le, operator.gt),
        (
            rf"(?:{_MORE}) than|above|beyond|over|past|exceed(?:s|ed|ing)?",
            operator.gt,
            operator.le,
        ),
        (rf"(?:{_LESS}) than|below|short of", operator.lt, operator.ge),
        (
            r"amounts? to|comes? (?:close|near) to|goes? as far as|reach(?:es|ing)?|rises? to",
            operator.eq,
            operator.lt,
        ),
    )
]
"""What bounds a value, how the true one stands to it, and how where the clause is negated."""


def relation(before: str) -> Relation | None:
    """How a value has to stand to the one mentioned after ``before``; None for a denied one."""
    clause = _NO_DOUBT.sub(" ", _CLAUSE.split(before)[-1])
    for bound, plain, negated in _BOUNDS:
        if match := bound.search(clause):
            return negated if _NEGATION.search(clause[: match.start()]) else plain
    return None if _NEAR.search(clause) else operator.eq
