"""A text of blocks that fits a limit: what is left out of each is counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..text.plural import many

Size = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading that is always there, and items of which as many are as fit.

    ``what`` is one item, in words. Blocks of a lower ``rank`` have their items first.
    """

    head: str
    items: tuple[str, ...] = ()
    what: str = "line"
    rank: int = 0

    def text(self, shown: int) -> str:
        """This with the first ``shown`` of its items."""
        lines = [self.head, *self.items[:shown]]
        if left := len(self.items) - shown:
            lines += ["", self.left_out(left)]
        return "\n".join(lines) + "\n"

    def left_out(self, count: int) -> str:
        """What is said for ``count`` items that are not there."""
        return f"and {many(count, f'more {self.what}')}, left out here"


def fitted(blocks: Sequence[Block], limit: int, size: Size) -> str:
    """``blocks`` in order, blank lines between, in at most ``limit`` by ``size``.

    Blank where not even what is always there would fit.
    """
    left = limit - sum(size(f"{each.head}\n\n\n{each.left_out(10**9)}\n\n") for each in blocks)
    if left < 0:
        return ""
    shown = [0] * len(blocks)
    for place in sorted(range(len(blocks)), key=lambda place: blocks[place].rank):
        for item in blocks[place].items:
            if size(item) + 1 > left:
                break
            left -= size(item) + 1
            shown[place] += 1
    return "\n".join(each.text(count) for each, count in zip(blocks, shown, strict=True))
