"""The tables that pages show beside a baseline: each figure is what such runs come to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from compared_records import against, many

from pytest_llmeval.baselines.compared import Compared
from pytest_llmeval.rates.pass_rate import metric_rows
from pytest_llmeval.records.record import Record
from pytest_llmeval.reports.comparison import BaselineComparison
from pytest_llmeval.reports.table import table
from pytest_llmeval.reports.versus import columns
from pytest_llmeval.scales import FRACTION, ONE_TO_FIVE, YES_NO, Scale, Threshold

ROOT = Path(__file__).parent.parent


Change = tuple[str, Scale, float, dict[float, int], dict[float, int]]
"""A row of the table, its scale and pass mark, and how many cases got which score: then and now."""
SHOWN: dict[str, list[Change]] = {
    "README.md": [("groundedness[yes_no]", YES_NO, 1, {1: 41, 0: 1}, {1: 38, 0: 4})],
    "docs/baseline.md": [
        ("citation_recall", FRACTION, 1, {1: 38, 0.5: 4}, {1: 31, 0.5: 6, 0: 5}),
        ("groundedness", ONE_TO_FIVE, 4, {5: 35, 4: 6, 2: 1}, {5: 34, 4: 6, 2: 2}),
    ],
}


def told(changes: Sequence[Change], tolerance: float = 0.0) -> list[str]:
    """The table of the second of two runs, beside the first."""
    before: list[Record] = []
    now: list[Record] = []
    for row, scale, mark, *scores in changes:
        for records, counts in zip((before, now), scores, strict=True):
            each = [score for score, count in counts.items() for _ in range(count)]
            rule = Threshold("at_least", mark)
            records += many(each, metric=row, scale=scale, rule=rule)
    found = Compared("b.json", "regression", against(before, now, f1=tolerance))
    return table(metric_rows(now), (), columns(BaselineComparison.of(found)))


@pytest.mark.parametrize("page", SHOWN)
def test_the_table_beside_a_baseline_is_what_such_runs_come_to(page: str) -> None:
    assert "\n".join(told(SHOWN[page])) in ROOT.joinpath(page).read_text(encoding="utf-8")


def test_a_drop_that_is_more_than_noise_is_said_to_be_near_the_tolerance() -> None:
    fallen = [("f1", FRACTION, 1.0, {1.0: 42}, {1.0: 33, 0.0: 9})]
    assert told(fallen)[1].endswith("−21.4 pts, p = 0.0039  REGRESSED")
    near = told(fallen, 0.1)[1]
    assert near.endswith("−21.4 pts, p = 0.0039, perhaps within the tolerance")
    within = [("f1", FRACTION, 1.0, {1.0: 42}, {1.0: 38, 0.0: 4})]
    assert "inconclusive (could see " in told(within, 0.1)[1]
