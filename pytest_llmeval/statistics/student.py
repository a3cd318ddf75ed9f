"""Student's t distribution, for whole degrees of freedom."""

from __future__ import annotations

from math import cos, pi, sin, sqrt, tan

_HALVINGS = 60


def t_quantile(probability: float, freedom: int) -> float:
    """The value that t stays below with ``probability``, strictly between 0 and 1.

    Source: Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if 0.5 + _within(middle, freedom) / 2 < probability:
            low = middle
        else:
            high = middle
    return sqrt(freedom) * tan((low + high) / 2)


def _within(angle: float, freedom: int) -> float:
    """The probability that t is between -x and x, where x is √freedom · tan(angle)."""
    square = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for step in range(freedom // 2):
        total += term
        term *= square * (2 * step + 1 + odd) / (2 * step + 2 + odd)
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
