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
    r"|anything but|far from|other than|rather than|instead of)\b|n['’]t\b",
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


_DEMANDED = re.compile(
    r"\b(?:asks?|begs?|claims?|demands?|instructs?|orders?|tries|urges?|wants?)\b", re.IGNORECASE
)
"""What makes a verdict that of the text under test."""
_SUBJECT = (
    r"[\"'”’)\]]{0,2}[ \t]{1,3}(?:is|was|seems|looks|does|do|did|can|cannot|could|would|should|will"
    r"|may|might|must|has)(?:n['’]t)?\b"
)
_DENIED = re.compile(
    rf"{_SUBJECT}(?!(?: (?:be|clearly|the|thus|most|only))* (?:accurate|appropriate|apt|best"
    r"|correct|fair|fitting|justified|level|right|suitable|verdict|warranted)\b)",
    re.IGNORECASE,
)


def denied_behind(after: str) -> bool:
    """Whether what is mentioned before ``after`` is the subject there, and not called right."""
    return _DENIED.match(after) is not None


def without_contrast(prose: str, own: str, others: str) -> str:
    """``prose`` without the ``others`` to which it prefers its ``own``: "high rather than low"."""
    than = r",? (?:rather than|instead of|and not|not) (?:an? )?"
    return re.sub(rf"\b({own}){than}(?:{others})\b", r"\1", prose, flags=re.IGNORECASE)


def relation(before: str) -> Relation | None:
    """How a value has to stand to the one mentioned after ``before``; None for a denied one."""
    clause = _NO_DOUBT.sub(" ", _CLAUSE.split(before)[-1])
    for bound, plain, negated in _BOUNDS:
        if match := bound.search(clause):
            return negated if _NEGATION.search(clause[: match.start()]) else plain
    return None if _NEAR.search(clause) or _DEMANDED.search(clause) else operator.eq
