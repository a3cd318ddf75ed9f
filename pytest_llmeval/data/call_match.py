"""Tool calls held against those that were expected: which is which, and what is left over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from unicodedata import normalize

from .tool_calls import ToolCall

Order = Literal["any", "same"]
Comparison = Literal["ignore", "subset", "equal"]

Pairs = dict[int, int]
"""From the place of an expected call to that of the call that was made."""


@dataclass(frozen=True, slots=True)
class Match:
    """What became of the expected calls, each by its place, and which calls nobody expected.

    ``made`` were made as expected. Of the others, ``misplaced`` were made and not in their turn,
    ``altered`` with other arguments; ``missing`` were not made at all. ``unexpected`` are places
    among the calls that were made.
    """

    made: Pairs
    misplaced: Pairs
    altered: Pairs
    missing: tuple[int, ...]
    unexpected: tuple[int, ...]


def match(
    expected: Sequence[ToolCall],
    called: Sequence[ToolCall],
    order: Order = "any",
    arguments: Comparison = "equal",
) -> Match:
    """How ``called`` meets ``expected``: as many of the expected calls as can be, each by a call of
    its own.

    ``order``: whether they are to come one after the other as expected; others may stand between.
    ``arguments``: not compared, there among others, or the same; those of an expected call that
    names none are never compared.
    """

    def agree(wanted: int, made: int) -> bool:
        return agrees(expected[wanted], called[made], arguments)

    def alike(wanted: int, made: int) -> bool:
        return same(expected[wanted].name, called[made].name)

    wanted, free = [*range(len(expected))], [*range(len(called))]
    steps = (
        (_in_order if order == "same" else _in_any_order, agree),
        (_in_any_order, agree),
        (_in_any_order, alike),
    )
    found: list[Pairs] = []
    for pairing, fits in steps:
        pairs = pairing(wanted, free, fits)
        taken = {*pairs.values()}
        wanted = [each for each in wanted if each not in pairs]
        free = [each for each in free if each not in taken]
        found.append(pairs)
    made, misplaced, altered = found
    return Match(made, misplaced, altered, tuple(wanted), tuple(free))


def agrees(expected: ToolCall, called: ToolCall, arguments: Comparison) -> bool:
    """Whether ``called`` is the call that was ``expected``."""
    if not same(expected.name, called.name):
        return False
    if arguments == "ignore" or expected.arguments is None:
        return True
    if called.arguments is None:
        return False
    wanted, made = _composed(expected.arguments), _composed(called.arguments)
    if arguments == "equal":
        return same(wanted, made)
    return all(name in made and same(value, made[name]) for name, value in wanted.items())


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: 1 is 1.0, and true is no number.

    Text is the same however its letters are composed (NFC), also in names.
    """
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        one, other = _composed(one), _composed(other)
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, str) and isinstance(other, str):
        return normalize("NFC", one) == normalize("NFC", other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _composed(given: Mapping[str, Any]) -> dict[str, Any]:
    return {normalize("NFC", name): value for name, value in given.items()}


Fits = Callable[[int, int], bool]


def _in_any_order(wanted: Sequence[int], free: Sequence[int], fits: Fits) -> Pairs:
    """The most pairs that fit: each finds a call that is free, or could be, were others to move."""
    pairs: Pairs = {}
    taken: Pairs = {}  # the other way round
    for each in wanted:
        came: Pairs = {}  # from a call to who would take it
        end = _free_end(each, free, fits, taken, came)
        while end is not None:
            moving = came[end]
            before = pairs.get(moving)
            pairs[moving], taken[end] = end, moving
            end = before
    return pairs


def _free_end(first: int, free: Sequence[int], fits: Fits, taken: Pairs, came: Pairs) -> int | None:
    """The call at the end of the shortest chain of moves that lets ``first`` have one."""
    waiting = [first]
    for moving in waiting:  # it grows meanwhile
        for made in free:
            if made in came or not fits(moving, made):
                continue
            came[made] = moving
            if made not in taken:
                return made
            waiting.append(taken[made])
    return None


def _in_order(wanted: Sequence[int], free: Sequence[int], fits: Fits) -> Pairs:
    """The most pairs that fit and do not cross: the longest common subsequence."""
    longest = [[0] * (len(free) + 1) for _ in range(len(wanted) + 1)]
    for row in reversed(range(len(wanted))):
        for column in reversed(range(len(free))):
            longest[row][column] = (
                1 + longest[row + 1][column + 1]
                if fits(wanted[row], free[column])
                else max(longest[row + 1][column], longest[row][column + 1])
            )
    pairs: Pairs = {}
    row = column = 0
    while row < len(wanted) and column < len(free):
        if fits(wanted[row], free[column]):
            pairs[wanted[row]] = free[column]
            row, column = row + 1, column + 1
        elif longest[row + 1][column] > longest[row][column + 1]:
            row += 1
        else:
            column += 1
    return pairs
