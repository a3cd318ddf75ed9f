"""Several tests at once: p-values that hold the false discovery rate."""

from __future__ import annotations

from collections.abc import Sequence


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Each p-value as Benjamini and Hochberg adjust it, in the order given, in [0, 1].

    Those at or below a level are what may be called found there, so that at most that share of
    what is found is false, on average; under independence or positive dependence of the tests.
    Source: Y. Benjamini & Y. Hochberg, "Controlling the false discovery rate", JRSS B 57 (1995).
    """
    found = [1.0] * len(p_values)
    least = 1.0
    largest_first = sorted(range(len(p_values)), key=lambda place: p_values[place], reverse=True)
    for left, place in enumerate(largest_first):
        rank = len(p_values) - left
        least = min(least, p_values[place] * len(p_values) / rank)
        found[place] = least
    return found
