"""What gates say of numbers, and of what is missing."""

from __future__ import annotations

from collections.abc import Iterable

from .attended import Attended, Unknown
from .rule import Rule, written

_MOST_DIGITS = 17
"""As many as tell any two numbers apart."""


def told_number(value: float, bound: float | None = None) -> str:
    """``value`` with as many digits as people need, and as it takes to differ from ``bound``."""
    return _told_apart(value, bound, 4, "g")


def told_share(value: float, bound: float | None = None) -> str:
    """``value``, in [0, 1], as a percentage, with as many digits as differ from ``bound``."""
    return f"{_told_apart(100 * value, None if bound is None else 100 * bound, 1, 'f')} %"


def _told_apart(value: float, bound: float | None, digits: int, form: str) -> str:
    said = f"{value:.{digits}{form}}"
    if bound is None or value == bound or digits == _MOST_DIGITS:
        return said
    differs = said != f"{bound:.{digits}{form}}"
    return said if differs else _told_apart(value, bound, digits + 1, form)


def told_missing(
    unknown: Unknown, attended: Attended | None = None, cut_off: str = "not reached"
) -> list[str]:
    """What might have counted, in a few words each; ``cut_off`` are the words for these."""
    counts = {
        "without a verdict": unknown.errors,
        cut_off: unknown.cut_off,
        "not run": unknown.not_run,
        "deselected": unknown.unselected,
    }
    told = [f"{count} {what}" for what, count in counts.items() if count]
    if attended is not None and attended.named:
        told.append("of their files only some tests were collected")
    if attended is not None and attended.uncollected:
        told.append(f"not collected: {attended.uncollected}")
    return told


def told_set_to(rule: Rule, trials: Iterable[int]) -> str:
    """That no test has the trials that ``rule`` is on, and those that it can be on."""
    others = " or ".join(written(rule.statistic, each) for each in sorted(trials))
    return f"no test of it has {rule.k} trials" + (f": use {others}" if others else "")
