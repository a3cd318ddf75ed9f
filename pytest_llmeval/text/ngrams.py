"""N-grams: runs of neighbouring tokens, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def ngrams(tokens: Sequence[str], longest: int) -> Counter[tuple[str, ...]]:
    """How often each run of 1 to ``longest`` neighbouring ``tokens`` occurs."""
    counts: Counter[tuple[str, ...]] = Counter()
    for length in range(1, longest + 1):
        counts.update(zip(*(tokens[start:] for start in range(length)), strict=False))
    return counts
