"""Trials in the summary: pass@k and pass^k of each metric and suite whose cases had several."""

from __future__ import annotations

from collections.abc import Iterable

from ..gates.pass_rate import MetricRow
from ..gates.suite_rate import SuiteRow
from ..gates.trial_rate import TrialRow
from .table import name_of


def trial_lines(rows: Iterable[MetricRow | SuiteRow]) -> Iterable[str]:
    """A line for each of ``rows`` that has trials."""
    for row in rows:
        if row.trials is not None:
            yield f"{name_of(row)}: {' '.join(_parts(row.trials))}"


def _parts(row: TrialRow) -> Iterable[str]:
    tried = f"{row.cases} case{'s' * (row.cases != 1)} × {_count(row)}"
    if row.k is None:
        yield tried
        return
    if row.pass_at_k is None or row.pass_hat_k is None:
        yield f"{tried}; none was judged {row.k} times, as pass@{row.k} needs"
        return
    yield f"pass@{row.k} {row.pass_at_k:.2f} · pass^{row.k} {row.pass_hat_k:.2f} over {tried}"
    if row.left_out:
        yield f"(without {row.left_out} that had fewer than {row.k} judged)"


def _count(row: TrialRow) -> str:
    if row.fewest == row.most:
        return f"{row.most} trial" + "s" * (row.most != 1)
    return f"{row.fewest}–{row.most} trials"
