"""The verdicts of a suite: all brought at once, or one by one until the first fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, replace

from .checks import Asking, Check, outcome_of
from .data.cases import Case
from .errors import CaseError, EvalError
from .metrics import CATALOGUE
from .metrics.base import Metric
from .results import Outcome, Result, Verdict


@dataclass(frozen=True)
class Asked:
    """One metric of the suite, and the check that ``verdict`` is for.

    ``counts`` says of its result whether it is one of the suite's, or the metric is left out.
    """

    metric: Metric
    asking: Asking
    verdict: Future[Verdict]
    check: Check
    counts: Callable[[Result], bool]


def lacks(error: EvalError | None) -> str:
    """What the case lacks, where that is what ``error`` says; empty where it isn't."""
    return error.lacks if isinstance(error, CaseError) else ""


def is_asked(result: Result) -> bool:
    """Whether ``result`` counts, and not that the case lacks what the metric needs."""
    return not lacks(result.error)


def always(result: Result) -> bool:
    """True: what was asked for by name counts, also where the case lacks what it needs."""
    return True


async def conduct(case: Case, asked: Sequence[Asked], stop_at_first: bool) -> None:
    """Bring the verdicts of ``asked``: all at once, or until the first fails."""
    if not stop_at_first:
        await asyncio.gather(*(_fulfil(case, each) for each in asked))
        return
    failed = ""
    for each in asked:
        if failed:
            await _pass_over(case, each, f"not asked: {failed} failed before")
        elif await _fulfil(case, each) is Outcome.FAILED:
            failed = each.metric.row


async def _fulfil(case: Case, each: Asked) -> Outcome:
    try:
        verdict = await each.metric.verdict(case, each.asking)
    except EvalError as error:
        _settle(each.verdict, error)
        return Outcome.ERROR
    _settle(each.verdict, verdict)
    return outcome_of(verdict, each.metric.threshold)


async def _pass_over(case: Case, each: Asked, why: str) -> None:
    """Give ``each`` no verdict but ``why``, unless it would have been left out anyhow.

    Of a metric of one's own nothing runs but the look at what the case has.
    """
    if each.counts is always:
        _settle(each.verdict, Verdict(None, why, applicable=False))
        return
    metric = each.metric
    if metric.name not in CATALOGUE:
        metric = replace(metric, function=_nothing)
    try:
        await metric.verdict(case, each.asking.refusing())
    except EvalError as error:
        if lacks(error):
            _settle(each.verdict, error)
            return
    _settle(each.verdict, Verdict(None, why, applicable=False))


async def _nothing(case: Case, ask: object, **options: object) -> Verdict:
    return Verdict(None, "", applicable=False)


def _settle(future: Future[Verdict], outcome: Verdict | EvalError) -> None:
    with suppress(InvalidStateError):  # given up meanwhile
        if isinstance(outcome, EvalError):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
