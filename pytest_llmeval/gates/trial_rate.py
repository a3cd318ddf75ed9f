"""What trials of the same cases amount to over a run: pass@k and pass^k."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from ..records import Assessment, Record
from ..results import Outcome
from .trials import pass_at_k, pass_hat_k

_JUDGED = (Outcome.PASSED, Outcome.FAILED)
_MEANT = (*_JUDGED, Outcome.ERROR)
"""Outcomes of checks that could pass or fail; of any other there is nothing to count."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """The trials of the cases of one metric, or of one suite.

    A trial passed where every check of it did, and was judged where none ended in an error, or one
    failed. ``cases`` had trials, each between ``fewest`` and ``most`` that were judged. ``k`` is
    how many trials were set beforehand, the fewest where that differs, and None where that is one.
    ``pass_at_k`` and ``pass_hat_k`` are means over the cases with k judged trials or more, in
    [0, 1], without bias, and None where there is no such case; ``left_out`` counts the others.
    Trials beyond those set beforehand are in neither, as they stop by what came before.
    """

    cases: int
    fewest: int
    most: int
    k: int | None
    left_out: int
    pass_at_k: float | None
    pass_hat_k: float | None


def trial_row(made: Iterable[Record | Assessment]) -> TrialRow | None:
    """What the trials among ``made``, of one metric or suite, amount to; None without any.

    A case in two tests is two here: the app may be asked in other ways.
    """
    cases: dict[tuple[str, str | None], dict[int, list[Outcome]]] = {}
    planned: dict[tuple[str, str | None], int] = {}
    for each in made:
        if each.trial is not None and each.outcome in _MEANT and not each.xfailed:
            case = (each.test, each.case_id)
            cases.setdefault(case, {}).setdefault(each.trial, []).append(each.outcome)
            planned[case] = each.trials or 1
    if not cases:
        return None
    judged = [sum(_came(each) is not None for each in trials.values()) for trials in cases.values()]
    several = [case for case, count in planned.items() if count > 1]
    k = min((planned[case] for case in several), default=None)
    counts = [_counted(cases[case], planned[case]) for case in several]
    enough = [(passed, tried) for passed, tried in counts if k is not None and tried >= k]
    return TrialRow(
        cases=len(cases),
        fewest=min(judged),
        most=max(judged),
        k=k,
        left_out=len(several) - len(enough),
        pass_at_k=_mean([pass_at_k(*each, k) for each in enough]) if k else None,
        pass_hat_k=_mean([pass_hat_k(*each, k) for each in enough]) if k else None,
    )


def clusters(made: Iterable[Record | Assessment]) -> tuple[tuple[int, int], ...]:
    """Passed and judged checks of each case, wherever it is judged; without cases of no check."""
    counts: dict[str | None, list[int]] = {}
    for each in made:
        if each.outcome in _JUDGED and not each.xfailed:
            count = counts.setdefault(each.case_id, [0, 0])
            count[0] += each.outcome is Outcome.PASSED
            count[1] += 1
    return tuple((passed, judged) for passed, judged in counts.values())


def _counted(trials: dict[int, list[Outcome]], planned: int) -> tuple[int, int]:
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
