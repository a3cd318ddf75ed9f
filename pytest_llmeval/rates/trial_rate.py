"""What trials of the same cases amount to over a run: pass@k and pass^k."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..records.assessment import Assessment
from ..records.record import Record
from ..records.tests import TestRow
from ..results import Outcome
from ..statistics.trials import pass_at_k, pass_hat_k
from .case_values import CaseValue, CaseValues

LackingOf = Callable[[str], Iterable[TestRow]]
"""From a metric or suite the tests that did not come to their checks of it."""
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


@dataclass(frozen=True, slots=True)
class TrialValues:
    """What cases come to as a gate counts them.

    Of the cases that are decided, ``by_fewer`` are so by fewer trials than were set. ``left_out``
    cases count for nothing: trials of them were skipped, xfailed or had nothing to judge.
    """

    values: CaseValues
    by_fewer: int = 0
    left_out: int = 0


_Trials = dict[int, list[Outcome]]
"""What the checks of each trial of a case came to, by its number."""


def trial_rows(
    name: str, made: Sequence[Record | Assessment], lacking: LackingOf | None = None
) -> tuple[TrialRow, ...]:
    """What the trials among ``made``, of the metric or suite ``name``, amount to; none without any.

    Those of tests that are ``lacking`` were not judged.

    There is a row for each number of trials that was set, the fewest first, and last those with
    none. A case in two tests is two here: the app may be asked in other ways.
    """
    if not any(each.trial is not None for each in made):
        return ()
    by_k = _by_k(made, lacking(name) if lacking else ())
    return tuple(
        _row(k if k > 1 else None, by_k[k]) for k in sorted(by_k, key=lambda k: (k == 1, k))
    )


def trial_values(
    statistic: Literal["pass@k", "pass^k"],
    k: int,
    made: Iterable[Record | Assessment],
    lacking: Iterable[TestRow] = (),
) -> TrialValues:
    """What each case that was set to ``k`` trials comes to, of ``made`` by one metric or suite.

    A trial that passed decides pass@k, and one that failed pass^k, whatever became of the others.
    A case that is open is missing as a whole where trials got no verdict, or are ``lacking``, else
    left out: fewer than ``k`` were to be judged.
    """
    found = [(_case(statistic, k, each), each) for each in _by_k(made, lacking).get(k, ())]
    decided = [each for case, each in found if case is not None and case.judged]
    return TrialValues(
        CaseValues(tuple(case for case, _ in found if case is not None), tried=True),
        by_fewer=sum(_judged(k, each) < k for each in decided),
        left_out=sum(case is None for case, _ in found),
    )


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
    # Those that fewer trials decide would all come down on one side.
    whole = [each for each in cases if k and _judged(k, each) == k]
    return TrialRow(
        cases=len(cases),
        fewest=min(judged),
        most=max(judged),
        k=k,
        left_out=len(cases) - len(whole) if k else 0,
        pass_at_k=_mean(pass_at_k, k, whole) if k else None,
        pass_hat_k=_mean(pass_hat_k, k, whole) if k else None,
    )


def _mean(
    estimate: Callable[[int, int, int], float], k: int, cases: Iterable[_Trials]
) -> float | None:
    """The mean of what ``estimate`` makes of ``cases``, of which all ``k`` trials were judged."""
    passed = (sum(_came(trials[n]) is True for n in range(1, k + 1)) for trials in cases)
    values = tuple(CaseValue(None, estimate(count, k, k), judged=1) for count in passed)
    return CaseValues(values, tried=True).mean()


def _case(statistic: str, k: int, trials: _Trials) -> CaseValue | None:
    """A case by those of its ``trials`` that were set beforehand; None where it is left out."""
    came = [_came(outcomes) for number, outcomes in trials.items() if number <= k]
    any_of = statistic == "pass@k"
    if any_of in came:
        return CaseValue(None, float(any_of), judged=1)
    otherwise = float(not any_of)
    if None not in came:
        return CaseValue(None, otherwise, judged=1) if len(came) == k else None
    return CaseValue(None, missing=1, void=otherwise if len(came) < k else None)


def _judged(k: int, trials: _Trials) -> int:
    """Of how many of the ``k`` trials that were set it is known whether they passed."""
    return sum(number <= k and _came(each) is not None for number, each in trials.items())


def _came(outcomes: Sequence[Outcome]) -> bool | None:
    """Whether a trial passed; None where that is not known."""
    if Outcome.FAILED in outcomes:
        return False
    return None if Outcome.ERROR in outcomes else True
