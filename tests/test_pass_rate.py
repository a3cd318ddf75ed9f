"""Pass rates: what counts, what stands apart, and intervals that agree with an oracle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from pytest_llmeval.rates.pass_rate import metric_rows
from pytest_llmeval.records.record import Record
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import ONE_TO_FIVE, YES_NO, Scale
from pytest_llmeval.statistics.intervals import wilson


def record(
    outcome: Outcome,
    score: float | None = None,
    metric: str = "groundedness",
    scale: Scale = ONE_TO_FIVE,
) -> Record:
    return Record.of(Result(metric, outcome, scale, None, graded=score))


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_wilsons(counts: tuple[int, int]) -> None:
    passed, judged = counts
    oracle = binomtest(passed, judged).proportion_ci(method="wilson")
    assert wilson(passed, judged) == pytest.approx((oracle.low, oracle.high), abs=1e-9)


def test_nothing_judged_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_errors_and_what_is_not_applicable_stand_outside_rate_and_mean() -> None:
    records = [
        record(Outcome.PASSED, 5),
        record(Outcome.PASSED, 4),
        record(Outcome.FAILED, 1),
        record(Outcome.FAILED),
        record(Outcome.ERROR),
        record(Outcome.NOT_APPLICABLE),
    ]
    [row] = metric_rows(records)
    assert (row.passed, row.judged, row.errors, row.not_applicable) == (2, 4, 1, 1)
    assert row.rate == 0.5
    assert row.mean == pytest.approx(10 / 3)


def test_what_was_only_measured_is_in_the_mean_and_not_in_the_rate() -> None:
    [row] = metric_rows([record(Outcome.MEASURED, 3), record(Outcome.MEASURED, 4)])
    assert (row.judged, row.measured, row.rate, row.mean) == (0, 2, None, 3.5)


def test_a_scale_of_words_has_no_mean() -> None:
    [row] = metric_rows([record(Outcome.PASSED, 1, "fact_check", YES_NO)])
    assert row.mean is None


def test_metrics_come_by_name_in_whatever_order_workers_bring_them() -> None:
    rows = metric_rows([record(Outcome.PASSED, 4, name) for name in ("b", "a", "b")])
    assert [row.metric for row in rows] == ["a", "b"]
