"""What trials of the same cases amount to over a run: pass@k and pass^k."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from ..records.assessment import Assessment
from ..records.record import Record
from ..results import Outcome
from .trials import pass_at_k, pass_hat_k

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
    cases: dict[tuple[str, str | None], _Trials] = {}
    planned: dict[tuple[str, str | None], int] = {}
    for each in made:
        if each.trial is not None and each.outcome in _MEANT and not each.xfailed:
            case = (each.test, each.case_id)
            cases.setdefault(case, {}).setdefault(each.trial, []).append(each.outcome)
            planned[case] = each.trials or 1
    by_k: dict[int, list[_Trials]] = {}
    for case, trials in cases.items():
        by_k.setdefault(planned[case], []).append(trials)
    return tuple(
        _row(k if k > 1 else None, by_k[k]) for k in sorted(by_k, key=lambda k: (k == 1, k))
    )


def _row(k: int | None, cases: Sequence[_Trials]) -> TrialRow:
    judged = [sum(_came(each) is not None for each in trials.values()) for trials in cases]
    counts = [_counted(trials, k) for trials in cases] if k else []
    enough = [passed for passed, tried in counts if tried == k]
    return TrialRow(
        cases=len(cases),
        fewest=min(judged),
        most=max(judged),
        k=k,
        left_out=len(counts) - len(enough),
        pass_at_k=_mean([pass_at_k(passed, k, k) for passed in enough]) if k else None,
        pass_hat_k=_mean([pass_hat_k(passed, k, k) for passed in enough]) if k else None,
    )


def _counted(trials: _Trials, planned: int) -> tuple[int, int]:
    """How many of the trials that were set beforehand passed, and how many were judged."""
    came = [_came(outcomes) for number, outcomes in trials.items() if number <= planned]
    return came.count(True), came.count(True) + came.count(False)


def _came(outcomes: Sequence[Outcome]) -> bool | None:
    """Whether a trial passed; None where that is not known, or there was nothing to judge."""
    if Outcome.FAILED in outcomes:
        return False
    return None if Outcome.ERROR in outcomes or Outcome.PASSED not in outcomes else True


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None
