"""Defects: how many severities of a metric are at or above the tolerance, and each level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..records.record import Record
from ..scales import SEVERITY, Threshold

if TYPE_CHECKING:
    from .pass_rate import MetricRow


@dataclass(frozen=True, slots=True)
class Defects:
    """What the severities of one metric amount to.

    ``count`` of the checks that were judged are at or above the tolerance; ``rate``, in [0, 1], and
    its Wilson 95 % ``interval`` are what the pass rate leaves of 1. ``tolerances`` are the levels
    from which on a check was a defect, several where tests differ; ``at_or_above`` counts the
    checks by level.
    """

    count: int
    rate: float | None
    interval: tuple[float, float]
    tolerances: tuple[str, ...]
    at_or_above: Mapping[str, int]


def defects_in(records: Sequence[Record], row: MetricRow) -> Defects | None:
    """The defects of ``records``, the checks that ``row`` counts.

    None where these are no severities, or where high ones are what passes.
    """
    if {each.scale for each in records} != {SEVERITY.name}:
        return None
    rules = {rule for each in records if (rule := each.rule) is not None}
    if not rules or any(rule.asks_for == "at_least" for rule in rules):
        return None
    scores = [each.score for each in records if each.score is not None]
    levels = SEVERITY.labels.items()
    tolerances = {_tolerance(rule) for rule in rules}
    return Defects(
        count=row.judged - row.passed,
        rate=None if row.rate is None else 1 - row.rate,
        interval=(1 - row.interval[1], 1 - row.interval[0]),
        tolerances=tuple(word for word, _ in levels if word in tolerances),
        at_or_above={word: sum(score >= value for score in scores) for word, value in levels},
    )


def _tolerance(rule: Threshold) -> str | None:
    """The lowest level that ``rule`` does not let pass; None where it lets all pass."""
    return next((word for word, value in SEVERITY.labels.items() if not rule.holds(value)), None)
