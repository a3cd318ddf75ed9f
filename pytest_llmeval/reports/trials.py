"""Trials in the summary: pass@k and pass^k of metrics and suites, and how their rates are made."""

from __future__ import annotations

from collections.abc import Iterable
from math import isclose

from ..gates.told import told_share
from ..rates.pass_rate import MetricRow
from ..rates.suite_rate import SuiteRow
from ..rates.trial_rate import TrialRow
from ..text.plural import many
from .table import name_of


def trial_lines(rows: Iterable[MetricRow | SuiteRow]) -> Iterable[str]:
    """A line for each number of trials that cases of one of ``rows`` had.

    One more says how the rate is made where it is not that of the checks.
    """
    for row in rows:
        for trials in row.trials:
            yield f"{name_of(row)}: {''.join(_parts(trials))}"
        of_checks = row.passed / row.judged if row.judged else 0.0
        if row.rate is not None and not isclose(row.rate, of_checks, abs_tol=5e-4):
            made = f"{told_share(row.rate)} is the mean of the cases' rates"
            if any(trials.most > (trials.k or 1) for trials in row.trials):
                made += ", each without the bias of stopping early"
            yield f"{name_of(row)}: {made}; of the checks {told_share(of_checks)} passed"


def _parts(row: TrialRow) -> Iterable[str]:
    if row.k is None or row.pass_at_k is None or row.pass_hat_k is None:
        yield f"{many(row.cases, 'case')} × {_count(row)}"
        if row.k is not None:
            yield f"; none was judged {row.k} times, as pass@{row.k} needs"
        return
    tried = f"{many(row.cases - row.left_out, 'case')} × {many(row.k, 'trial')}"
    yield f"pass@{row.k} {row.pass_at_k:.2f} · pass^{row.k} {row.pass_hat_k:.2f} over {tried}"
    if row.left_out:
        yield f" ({row.left_out} more had fewer than {row.k} judged)"
    if row.most > row.k:
        yield f"; in all {_count(row)} a case"


def _count(row: TrialRow) -> str:
    if row.fewest == row.most:
        return many(row.most, "trial")
    return f"{row.fewest}–{row.most} trials"
