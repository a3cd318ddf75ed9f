"""What suites amount to over a run: how many cases are good, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..records import Assessment
from ..results import Outcome
from .rated import Rated
from .trial_rate import TrialRow, clusters, trial_row


@dataclass(frozen=True, slots=True)
class SuiteRow(Rated):
    """One suite over the run.

    ``passed`` of ``judged`` cases passed it. Outside both, and counted: cases without an answer
    (``errors``), with nothing to judge, with nothing that has a mark, and those in tests that
    pytest reports as xfailed. ``causes`` counts the root causes of the judged cases, the most
    frequent first; of these ``uncertain`` are such that a metric before them got no verdict. Where
    cases had several ``trials``, each trial counts, and ``cases`` holds how many of each passed and
    were judged.
    """

    suite: str
    passed: int
    judged: int
    errors: int
    not_applicable: int
    measured: int
    xfailed: int
    causes: dict[str, int]
    uncertain: int
    trials: TrialRow | None = None
    cases: tuple[tuple[int, int], ...] = ()


def suite_rows(assessments: Iterable[Assessment]) -> list[SuiteRow]:
    """One row for each suite, by name."""
    by_suite: dict[str, list[Assessment]] = {}
    for assessment in assessments:
        by_suite.setdefault(assessment.suite, []).append(assessment)
    return [_row(suite, group) for suite, group in sorted(by_suite.items())]


def _row(suite: str, group: list[Assessment]) -> SuiteRow:
    counted = [each for each in group if not each.xfailed]
    outcomes = Counter(each.outcome for each in counted)
    causes = Counter(each.root_cause for each in counted if each.root_cause is not None)
    trials = trial_row(group)
    return SuiteRow(
        suite=suite,
        passed=outcomes[Outcome.PASSED],
        judged=outcomes[Outcome.PASSED] + outcomes[Outcome.FAILED],
        errors=outcomes[Outcome.ERROR],
        not_applicable=outcomes[Outcome.NOT_APPLICABLE],
        measured=outcomes[Outcome.MEASURED],
        xfailed=len(group) - len(counted),
        causes=dict(sorted(causes.items(), key=lambda each: (-each[1], each[0]))),
        uncertain=sum(1 for each in counted if each.uncertain),
        trials=trials,
        cases=clusters(group) if trials else (),
    )
