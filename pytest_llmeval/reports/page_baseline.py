"""The baseline on a page: how much was compared, and each case that flipped, with both reasons."""

from __future__ import annotations

from collections.abc import Iterator

from .comparison import BaselineComparison, FlippedCase
from .cut import Block
from .markup import code
from .versus import FLIPS_SHOWN, SAME_CASE, counted, flips_counted, named, not_compared


def baseline_blocks(made: BaselineComparison | None, rank: int) -> Iterator[Block]:
    """What the page says of ``made``, as items of ``rank``; nothing without a baseline."""
    if made is None:
        return
    said = [counted(made), *not_compared(made)]
    yield Block("### Baseline\n", tuple(f"- {code(each, 400)}" for each in said), "line", rank)
    if count := len(made.flips):
        items = [_item(flip) for flip in made.flips[:FLIPS_SHOWN]]
        more = [f"- and {count - FLIPS_SHOWN} more"] * (count > FLIPS_SHOWN)
        yield Block(f"### {flips_counted(made).capitalize()}\n", (*items, *more), "flip", rank)


def _item(flip: FlippedCase) -> str:
    lines = [f"- {code(flip.metric, 100)} {code(' → '.join(flip.told))} · {code(named(flip))}"]
    lines += [
        f"  - {when}: {code(reason)}"
        for when, reason in zip(("was", "now"), flip.reasons, strict=True)
        if reason.strip()
    ]
    return "\n".join([*lines, *[f"  - {SAME_CASE}"] * flip.same_case])
