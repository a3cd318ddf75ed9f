"""What gates say of numbers, and of what is missing."""

from __future__ import annotations

from collections.abc import Iterable

from .attended import Attended, Unknown
from .rule import Rule


def told_number(value: float) -> str:
    """``value`` with as many digits as people need."""
    return f"{value:.4g}"


def told_share(value: float) -> str:
    """``value``, in [0, 1], as a percentage."""
    return f"{100 * value:.1f} %"


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
    others = " or ".join(rule.statistic.replace("k", str(each)) for each in sorted(trials))
    return f"no test of it has {rule.k} trials" + (f": use {others}" if others else "")
