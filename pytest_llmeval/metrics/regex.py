"""Regex: does the response match a pattern?"""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator

from ..data.cases import Case
from ..errors import UsageError
from ..results import Evidence, Verdict
from ..scales import PASS_FAIL, Threshold
from ..text.shown import shown
from .ask import Ask
from .built_in import built_in


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"no regular expression: {error}") from None
    return pattern


Pattern = Annotated[str, AfterValidator(_compiles)]


@built_in(
    needs=("response",),
    scale=PASS_FAIL,
    rule=Threshold("at_least", 1),
    judged=False,
)
async def regex(
    case: Case, ask: Ask, pattern: Pattern, where: Literal["search", "fullmatch"] = "search"
) -> Verdict:
    """Whether the response matches ``pattern``, pass or fail.

    ``pattern`` is one of Python's regular expressions, flags inside (``(?i)``); ``where`` is
    ``search``, anywhere in the response, or ``fullmatch``, the response as a whole. What matched
    is the evidence. A pattern with repeats inside repeats, as ``(a+)+$``, can take forever and
    nothing stops it: write it without. Raises ``UsageError`` for a pattern that can't be, and for
    a search that every text would pass.
    """
    response, written = case.response or "", shown(pattern)
    if where == "search" and _always_found(pattern):
        raise UsageError(
            f"regex: pattern {written} is found in every text, since it may match nothing at all "
            "there; ask for a character at least (+ for *), or for where='fullmatch'"
        )
    found = re.search(pattern, response)
    if where == "fullmatch" and (whole := re.fullmatch(pattern, response)):
        return Verdict(1, f"the whole response matches {written}", (_matched(whole),))
    if found is None:
        return Verdict(0, f"nothing in the response matches {written}")
    if where == "fullmatch":
        return Verdict(0, f"only a part of the response matches {written}", (_matched(found),))
    return Verdict(1, f"the response matches {written}", (_matched(found),))


_ENDS = ("a", "7", " ", "\n", ".", "é-")
"""Texts that end in characters of every kind."""


def _always_found(pattern: str) -> bool:
    """Whether ``pattern`` matches nothing at the end of any text, whatever text that is.

    What looks back may tell one end from another in ways that no few examples can show.
    """
    compiled = re.compile(pattern)
    return not re.search(r"\(\?<[=!]", pattern) and all(
        compiled.match(text, len(text)) for text in _ENDS
    )


def _matched(found: re.Match[str]) -> Evidence:
    return Evidence("matched", found[0], f"from character {found.start()}")
