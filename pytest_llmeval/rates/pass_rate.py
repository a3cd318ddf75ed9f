"""Pass rates and means: what the checks of one metric amount to over the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..records.record import Record
from ..results import Outcome
from .case_values import CaseValues, Weights
from .defects import Defects, defects_in
from .rated import Rated, shares, valued
from .trial_rate import LackingOf, TrialRow, trial_rows


@dataclass(frozen=True, slots=True)
class MetricRow(Rated):
    """One metric over the run.

    ``passed`` of ``judged`` checks passed; errors, checks that were not applicable, and checks in
    tests that pytest reports as xfailed stand outside both, and are counted. ``mean`` is over
    the scores that there are; None without one, and on a scale of words, where the rate says it.
    Where cases had ``trials``, rate and mean take each case once. ``defects`` are there where
    severities have to be low.
    """

    metric: str
    passed: int
    judged: int
    measured: int
    errors: int
    not_applicable: int
    xfailed: int
    mean: float | None
    trials: tuple[TrialRow, ...]
    passes: CaseValues
    defects: Defects | None = None


def metric_rows(
    records: Iterable[Record], weights: Weights | None = None, lacking: LackingOf | None = None
) -> list[MetricRow]:
    """One row for each metric, by name: workers bring them in any order.

    ``weights`` are what trials weigh within their case, by node id, where that is not 1; of what is
    ``lacking`` trials are told.
    """
    by_metric: dict[str, list[Record]] = {}
    for record in records:
        by_metric.setdefault(record.metric, []).append(record)
    return [_row(*each, weights or {}, lacking) for each in sorted(by_metric.items())]


def _row(
    metric: str, group: list[Record], weights: Weights, lacking: LackingOf | None
) -> MetricRow:
    counted = [record for record in group if not record.xfailed]
    outcomes = Counter(record.outcome for record in counted)
    scored = [
        valued(each, each.score, weights)
        for each in counted
        if each.score is not None and each.label is None
    ]
    row = MetricRow(
        metric=metric,
        passed=outcomes[Outcome.PASSED],
        judged=outcomes[Outcome.PASSED] + outcomes[Outcome.FAILED],
        measured=outcomes[Outcome.MEASURED],
        errors=outcomes[Outcome.ERROR],
        not_applicable=outcomes[Outcome.NOT_APPLICABLE],
        xfailed=len(group) - len(counted),
        mean=CaseValues.of(scored).mean(),
        trials=trial_rows(metric, group, lacking),
        passes=CaseValues.of(shares(counted, weights)),
    )
    return replace(row, defects=defects_in(counted, row))
