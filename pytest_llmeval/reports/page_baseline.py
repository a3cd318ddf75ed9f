"""The baseline on a page: how much was compared, and each case that flipped, with its reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .comparison import BaselineComparison, FlippedCase
from .cut import Block
from .markup import code
from .versus import (
    FLIPS_SHOWN,
    METRICS_SHOWN,
    SAME_CASE,
    at_most,
    counted,
    flipped_cases,
    flips_counted,
    named,
    not_compared,
)


def baseline_blocks(made: BaselineComparison | None, rank: int) -> Iterator[Block]:
    """What the page says of ``made``, as items of ``rank``; nothing without a baseline."""
    if made is None:
        return
    said = [counted(made), *not_compared(made)]
    yield Block("### Baseline\n", tuple(f"- {code(each, 400)}" for each in said), "line", rank)
    if made.flips:
        items = at_most(FLIPS_SHOWN, [*map(_item, flipped_cases(made))])
        listed = tuple(f"- {each}" for each in items)
        yield Block(f"### {flips_counted(made).capitalize()}\n", listed, "case", rank)


def _item(flips: Sequence[FlippedCase]) -> str:
    worst = flips[0]
    each = [f"{code(flip.metric, 100)} {code(' → '.join(flip.told))}" for flip in flips]
    lines = [f"{', '.join(at_most(METRICS_SHOWN, each))} · {code(named(worst))}"]
    lines += [
        f"  - {when}: {code(reason)}"
        for when, reason in zip(("was", "now"), worst.reasons, strict=True)
        if reason.strip()
    ]
    return "\n".join([*lines, *[f"  - {SAME_CASE}"] * worst.same_case])
