"""Tests by chance signs: how often differences as these come about if nothing has changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import gcd
from random import Random

DRAWS = 9_999
"""How many assignments of signs are drawn where there are too many to go through."""

_WORK = 500_000
_BITS = 53  # random() has as many, and it alone is promised to stay the same in every Python
_CHUNK = 8


def mcnemar(worse: int, better: int) -> float:
    """The two-sided exact p-value of McNemar's test, from the pairs that differ.

    Source: Q. McNemar, "Note on the sampling error of the difference between correlated
    proportions", Psychometrika 12 (1947), with the binomial distribution in place of its limit.
    """
    flips = worse + better
    tail, ways = 0, 1
    for count in range(min(worse, better) + 1):
        tail += ways
        ways = ways * (flips - count) // (count + 1)
    return min(1.0, 2 * tail / (1 << flips))


def sign_flip(differences: Sequence[int], seed: int) -> tuple[float, bool]:
    """The two-sided p-value of the sum of ``differences`` under chance signs, and if it is exact.

    Each difference is as likely to have come with the other sign, if nothing has changed. Where
    there are few sums every one is counted, else ``DRAWS`` assignments are drawn, and the one that
    was observed counts among them. The order of the differences does not matter; on values of
    -1, 0 and 1 it is McNemar's exact test. Source: R. A. Fisher, The Design of Experiments (1935)
    §21; B. Phipson & G. K. Smyth, "Permutation p-values should never be zero" (2010).
    """
    sizes = sorted(abs(each) for each in differences if each)
    unit = gcd(*sizes)
    sizes = [size // unit for size in sizes]
    observed = abs(sum(differences)) // max(unit, 1)
    if _sums_to_make(sizes) <= _WORK:
        return _share_of_all(sizes, observed), True
    as_far = sum(abs(total) >= observed for total in _drawn(sizes, seed))
    return (1 + as_far) / (1 + DRAWS), False


def _sums_to_make(sizes: Sequence[int]) -> int:
    return sum(
        min(2 ** min(count, 64), reach + 1) for count, reach in enumerate(accumulate(sizes), 1)
    )


def _share_of_all(sizes: Sequence[int], observed: int) -> float:
    """The share of all assignments of signs whose sum is as far from 0 as ``observed``."""
    ways = {0: 1}
    for size in sizes:
        longer: dict[int, int] = {}
        for total, count in ways.items():
            for reached in (total - size, total + size):
                longer[reached] = longer.get(reached, 0) + count
        ways = longer
    return sum(count for total, count in ways.items() if abs(total) >= observed) / (1 << len(sizes))


def _drawn(sizes: Sequence[int], seed: int) -> Iterator[int]:
    """The sums of ``DRAWS`` assignments of signs."""
    tables = [_sums_of(sizes[start : start + _CHUNK]) for start in range(0, len(sizes), _CHUNK)]
    chance = Random(seed)
    for _ in range(DRAWS):
        total = bits = left = 0
        for table in tables:
            if left < _CHUNK:
                bits, left = int(chance.random() * 2**_BITS), _BITS
            total += table[bits % len(table)]
            bits, left = bits >> _CHUNK, left - _CHUNK
        yield total


def _sums_of(sizes: Sequence[int]) -> list[int]:
    """The sums of ``sizes`` with every assignment of signs."""
    sums = [0]
    for size in sizes:
        sums = [total + signed for total in sums for signed in (-size, size)]
    return sums
