"""What suites amount to over a run: how many cases are good, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ..records.assessment import Assessment
from ..results import Outcome
from .case_values import CaseValues, Weights
from .rated import Rated, shares
from .trial_rate import LackingOf, TrialRow, trial_rows


@dataclass(frozen=True, slots=True)
class SuiteRow(Rated):
    """One suite over the run.

    ``passed`` of ``judged`` cases passed it. Outside both, and counted: cases without an answer
    (``errors``), with nothing to judge, with nothing that has a mark, and those in tests that
    pytest reports as xfailed. ``causes`` counts the root causes of the judged cases, the most
    frequent first; of these ``uncertain`` are such that a metric before them got no verdict. Where
    cases had ``trials``, each of these is counted, and the rate takes each case once.
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
    trials: tuple[TrialRow, ...]
    passes: CaseValues


def suite_rows(
    assessments: Iterable[Assessment],
    weights: Weights | None = None,
    lacking: LackingOf | None = None,
) -> list[SuiteRow]:
    """One row for each suite, by name; ``weights`` and ``lacking`` are as for ``metric_rows``."""
    by_suite: dict[str, list[Assessment]] = {}
    for assessment in assessments:
        by_suite.setdefault(assessment.suite, []).append(assessment)
    return [_row(*each, weights or {}, lacking) for each in sorted(by_suite.items())]


def _row(
    suite: str, group: list[Assessment], weights: Weights, lacking: LackingOf | None
) -> SuiteRow:
    counted = [each for each in group if not each.xfailed]
    outcomes = Counter(each.outcome for each in counted)
    causes = Counter(each.root_cause for each in counted if each.root_cause is not None)
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
        trials=trial_rows(suite, group, lacking),
        passes=CaseValues.of(shares(counted, weights)),
    )
