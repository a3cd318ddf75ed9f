"""The statistics of pass rates, small enough to be read."""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


def wilson(passed: int, judged: int, z: float = Z_95) -> tuple[float, float]:
    """The Wilson score interval for a rate of ``passed`` out of ``judged``, both ends in [0, 1].

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    JASA 22 (1927). Without observations nothing is known: (0, 1).
    """
    if judged == 0:
        return 0.0, 1.0
    rate = passed / judged
    spread = z * z / judged
    centre = rate + spread / 2
    half = z * sqrt(rate * (1 - rate) / judged + spread / (4 * judged))
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    return (0.0 if passed == 0 else max(0.0, low)), (1.0 if passed == judged else min(1.0, high))
