"""Aggregates: what the checks of a run amount to, under the keys of the reference systems."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..records.record import Record
from ..results import Outcome
from .case_values import CaseValues, Weights
from .keys import OWN_QUESTION, place_of, value_of
from .rated import valued


@dataclass(frozen=True, slots=True)
class Amount:
    """The mean of ``judged`` checks, a share of yes in [0, 1] where the answer is yes or no.

    ``not_judged`` checks have no value: errors, and blank responses on scales of numbers, which
    fail with no score. ``not_applicable`` ones had nothing to judge. ``value`` is None where
    nothing was judged.
    """

    value: float | None
    judged: int
    not_judged: int
    not_applicable: int


def aggregates(records: Iterable[Record], weights: Weights | None = None) -> dict[str, Amount]:
    """What ``records`` amount to, by key, sorted; ``weights`` are as those of ``metric_rows``.

    Every check counts once, so that a case which a metric judges twice counts twice, but for
    trials: where cases had these, each case counts once. Checks in tests that pytest reports as
    xfailed, and questions of one's own, stay outside. Source: Databricks Agent Evaluation's metrics
    of a run.
    """
    by_key: dict[str, list[Record]] = {}
    for record in records:
        if is_counted(record):
            by_key.setdefault(place_of(record).aggregate, []).append(record)
    return {key: amount_of(group, weights) for key, group in sorted(by_key.items())}


def is_counted(record: Record) -> bool:
    """Whether ``record`` is of a metric, in a test that was not expected to fail."""
    return not record.xfailed and record.metric != OWN_QUESTION


def amount_of(group: Collection[Record], weights: Weights | None = None) -> Amount:
    """What the checks of ``group`` amount to; ``weights`` are as those of ``metric_rows``."""
    applicable = [each for each in group if each.outcome is not Outcome.NOT_APPLICABLE]
    values = CaseValues.of(valued(each, value_of(each), weights or {}) for each in applicable)
    return Amount(
        value=values.mean(),
        judged=values.judged,
        not_judged=values.missing,
        not_applicable=len(group) - len(applicable),
    )
