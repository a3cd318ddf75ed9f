"""What trials of the same cases amount to over a run: pass@k and pass^k."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..records.assessment import Assessment
from ..records.record import Record
from ..records.tests import TestRow
from ..results import Outcome
from ..statistics.trials import pass_at_k, pass_hat_k
from .case_values import CaseValue, CaseValues

_MEANT = (Outcome.PASSED, Outcome.FAILED, Outcome.ERROR)
"""Outcomes of checks that could pass or fail; of any other there is nothing to count."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """The trials of those cases of one metric, or of one suite, that were set to as many.

    ``k`` trials were set beforehand, None where that is one and more followed. ``cases`` had these
    trials, each between ``fewest`` and ``most`` that were judged. A trial passed where every check
    of it did, and was judged where none ended in an error, or one failed. ``pass_at_k`` and
    ``pass_hat_k`` are means over the cases with k judged trials, in [0, 1], without bias, and None
    where there is no such case; ``left_out`` counts the others. Trials beyond those set beforehand
    are in neither, as they stop by what came before.
    """

    cases: int
    fewest: int
    most: int
    k: int | None
    left_out: int
    pass_at_k: float | None
    pass_hat_k: float | None


_Trials = dict[int, list[Outcome]]
"""What the checks of each trial of a case came to, by its number."""


def trial_rows(made: Iterable[Record | Assessment]) -> tuple[TrialRow, ...]:
    """What the trials among ``made``, of one metric or suite, amount to; none without any.

    There is a row for each number of trials that was set, the fewest first, and last those with
    none. A case in two tests is two here: the app may be asked in other ways.
    """
    by_k = _by_k(made)
    return tuple(
        _row(k if k > 1 else None, by_k[k]) for k in sorted(by_k, key=lambda k: (k == 1, k))
    )


def trial_values(
    statistic: Literal["pass@k", "pass^k"],
    k: int,
    made: Iterable[Record | Assessment],
    lacking: Iterable[TestRow] = (),
) -> CaseValues:
    """What each case that was set to ``k`` trials comes to, of ``made`` by one metric or suite.

    Its mean is what ``TrialRow`` tells. A case of which trials got no verdict, or are ``lacking``,
    is missing as a whole, unless those that there are decide it. One with less than ``k`` to judge
    is left out.
    """
    return _values(statistic, k, _by_k(made, lacking).get(k, ()))


def _by_k(
    made: Iterable[Record | Assessment], lacking: Iterable[TestRow] = ()
) -> dict[int, list[_Trials]]:
    """The trials of each case, by how many were set; what is ``lacking`` counts as an error."""
    tests: dict[tuple[str, int], dict[str | None, _Trials]] = {}
    for each in made:
        if each.trial is not None and each.outcome in _MEANT and not each.xfailed:
            cases = tests.setdefault((each.test, each.trials or 1), {})
            cases.setdefault(each.case_id, {}).setdefault(each.trial, []).append(each.outcome)
    for row in lacking:
        if row.trial is not None:
            cases = tests.setdefault((row.test, row.trials or 1), {})
            for trials in [*cases.values()] or [cases.setdefault(None, {})]:
                trials.setdefault(row.trial, []).append(Outcome.ERROR)
    by_k: dict[int, list[_Trials]] = {}
    for (_, k), cases in tests.items():
        by_k.setdefault(k, []).extend(cases.values())
    return by_k


def _row(k: int | None, cases: Sequence[_Trials]) -> TrialRow:
    judged = [sum(_came(each) is not None for each in trials.values()) for trials in cases]
    any_of, all_of = (_values(each, k, cases) if k else None for each in ("pass@k", "pass^k"))
    return TrialRow(
        cases=len(cases),
        fewest=min(judged),
        most=max(judged),
        k=k,
        left_out=len(cases) - any_of.judged if any_of else 0,
        pass_at_k=any_of.mean() if any_of else None,
        pass_hat_k=all_of.mean() if all_of else None,
    )


def _values(statistic: str, k: int, cases: Iterable[_Trials]) -> CaseValues:
    found = (_case(statistic, k, trials) for trials in cases)
    return CaseValues(tuple(case for case in found if case is not None), tried=True)


def _case(statistic: str, k: int, trials: _Trials) -> CaseValue | None:
    """A case by those of its ``trials`` that were set beforehand; None with less to judge."""
    came = [_came(outcomes) for number, outcomes in trials.items() if number <= k]
    if len(came) < k:
        return None
    passed, failed = came.count(True), came.count(False)
    if passed + failed == k:
        at_k = pass_at_k if statistic == "pass@k" else pass_hat_k
        return CaseValue(None, at_k(passed, k, k), judged=1)
    if statistic == "pass@k":
        return CaseValue(None, missing=1, certain=1.0 if passed else None)
    return CaseValue(None, missing=1, certain=0.0 if failed else None)


def _came(outcomes: Sequence[Outcome]) -> bool | None:
    """Whether a trial passed; None where that is not known."""
    if Outcome.FAILED in outcomes:
        return False
    return None if Outcome.ERROR in outcomes else True
