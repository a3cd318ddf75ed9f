"""Pass rates and means: what the checks of one metric amount to over the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..records import Record
from ..results import Outcome
from .defects import Defects, defects_in
from .rated import Rated
from .trial_rate import TrialRow, clusters, trial_row


@dataclass(frozen=True, slots=True)
class MetricRow(Rated):
    """One metric over the run.

    Where cases had several ``trials``, ``cases`` holds passed and judged checks of each case.

    ``passed`` of ``judged`` checks passed; errors, checks that were not applicable, and checks in
    tests that pytest reports as xfailed stand outside both, and are counted. ``mean`` is over
    the scores that there are; None without one, and on a scale of words, where the rate says it.
    ``defects`` are there where severities have to be low.
    """

    metric: str
    passed: int
    judged: int
    measured: int
    errors: int
    not_applicable: int
    xfailed: int
    mean: float | None
    trials: TrialRow | None = None
    cases: tuple[tuple[int, int], ...] = ()
    defects: Defects | None = None


def metric_rows(records: Iterable[Record]) -> list[MetricRow]:
    """One row for each metric, by name: workers bring them in any order."""
    by_metric: dict[str, list[Record]] = {}
    for record in records:
        by_metric.setdefault(record.metric, []).append(record)
    return [_row(metric, group) for metric, group in sorted(by_metric.items())]


def _row(metric: str, group: list[Record]) -> MetricRow:
    counted = [record for record in group if not record.xfailed]
    outcomes = Counter(record.outcome for record in counted)
    scores = [each.score for each in counted if each.score is not None and each.label is None]
    trials = trial_row(group)
    row = MetricRow(
        metric=metric,
        passed=outcomes[Outcome.PASSED],
        judged=outcomes[Outcome.PASSED] + outcomes[Outcome.FAILED],
        measured=outcomes[Outcome.MEASURED],
        errors=outcomes[Outcome.ERROR],
        not_applicable=outcomes[Outcome.NOT_APPLICABLE],
        xfailed=len(group) - len(counted),
        mean=sum(scores) / len(scores) if scores else None,
        trials=trials,
        cases=clusters(group) if trials else (),
    )
    return replace(row, defects=defects_in(counted, row.passed, row.judged, row.interval))
