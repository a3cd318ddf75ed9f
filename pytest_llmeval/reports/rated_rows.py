"""The rows of a run, of metrics and of suites, with trials that made no check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..gates.attended import Attended
from ..rates.pass_rate import MetricRow, metric_rows
from ..rates.suite_rate import SuiteRow, suite_rows
from ..records.assessment import Assessment
from ..records.record import Record
from ..records.tests import TestRow


def rated_rows(
    records: Sequence[Record], assessments: Sequence[Assessment], tests: Iterable[TestRow]
) -> tuple[list[MetricRow], list[SuiteRow]]:
    """What each metric, and what each suite, comes to over the run of ``tests``, by name.

    What is missing of trials is as gates have it, but for what the user's selection left out.
    """
    attended = Attended(records, assessments, [*tests])

    def lacking(rows: frozenset[str], suite: str = "") -> list[TestRow]:
        return [test for test, why in attended.lacking(rows, suite) if why != "unselected"]

    weights = attended.weights
    return (
        metric_rows(records, weights, lambda row: lacking(frozenset((row,)))),
        suite_rows(assessments, weights, lambda name: lacking(frozenset(), name)),
    )
