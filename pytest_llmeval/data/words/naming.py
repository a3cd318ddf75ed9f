"""Names in files: one spelling of each, and which known name a misspelt one was meant for.

A name that is not known is metadata, unless it is a known one written wrongly:

- the same letters with other case, spaces, hyphens, underscores or unseen characters
  (``Response ``, ``ground-truth``, ``GroundTruth``);
- one letter too many, missing, changed or swapped with its neighbour, in names of five letters
  and more; two of these in names of thirteen and more.

It is metadata all the same, and so another word, where it differs from the known name in a digit
(``query2``), in its first letter (``preference``), by an ending ``s`` alone (``answers``; but
``guideline`` and ``expected_fact`` are meant for our fields), or is one of ``OTHER_WORDS``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

OTHER_WORDS = frozenset(
    [
        "content",
        "contents",
        "contest",
        "conversion",
        "measure",
        "trade",
        "track",
        "tract",
        "trance",
        "requested",
    ]
)
"""Words of their own that are a letter or two away from a known name."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FOLDED = re.compile(r"[\W_]+")


@lru_cache(1024)
def spelt(name: str) -> str:
    """``name`` in snake case, where it is in camel case; else as it is."""
    return _HUMP.sub("_", name).lower() if name[:1].islower() else name


def meant(name: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` that ``name``, which is none of them, is a misspelling of."""
    names = list(known)
    folded = _folded(name)
    same = next((each for each in names if _folded(each) == folded), None)
    if same is not None or folded in OTHER_WORDS:
        return same
    lowered = spelt(name.strip()).lower()
    near = ((_distance(lowered, each), each) for each in names if _comparable(lowered, each))
    return min((pair for pair in near if pair[0] <= _slips(pair[1])), default=(0, None))[1]


def _folded(name: str) -> str:
    return _FOLDED.sub("", name).lower()


def _slips(known: str) -> int:
    """How many slips of the pen a misspelling of ``known`` may have."""
    letters = len(_folded(known))
    return 0 if letters < 5 else 1 if letters < 13 else 2


def _comparable(name: str, known: str) -> bool:
    if name[:1] != known[:1] or abs(len(name) - len(known)) > 2:
        return False
    if sorted(re.findall(r"\d", name)) != sorted(re.findall(r"\d", known)):
        return False
    one, other = sorted((name, known), key=len)
    return not (other == f"{one}s" and known not in _PLURALS)


_PLURALS = ("guidelines", "expected_facts")
"""Our own fields whose singular nobody uses for something else."""


def _distance(one: str, other: str) -> int:
    """Letters added, left out, changed or swapped with their neighbour (optimal alignment)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        line = [row]
        for column, wanted in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != wanted))
            swapped = row > 1 and column > 1 and letter == other[column - 2]
            if swapped and one[row - 2] == wanted:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]
