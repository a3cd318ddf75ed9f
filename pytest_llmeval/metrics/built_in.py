"""How the metrics that come with the plugin are made, each of a function in its own file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..data.cases import Case
from ..judges.loop import in_thread
from ..results import Verdict
from ..scales import Scale, Threshold
from .ask import Ask
from .base import Function, Metric
from .needs import Need

_LONG = 4_000
"""Characters from which on what is computed of texts can take long, as by the square."""


def built_in(
    *,
    needs: tuple[Need, ...],
    scale: Scale,
    rule: Threshold | None = None,
    judged: bool = True,
    identifying: tuple[str, ...] = (),
    others: tuple[Metric, ...] = (),
    of: str | None = None,
    per_document: bool = False,
    takes_empty: tuple[str, ...] = (),
    whole_turn: bool = False,
) -> Callable[[Function], Metric]:
    """Make the metric that is called as its function is; the fields are those of ``Metric``.

    ``rule`` is its default pass rule; without one its results are measured only. ``of`` names the
    metric that this one is on another scale. Raises ``UsageError`` for a rule that cannot be.
    """

    def made(function: Function) -> Metric:
        return Metric(
            name=of or function.__name__,
            function=function if judged else _off_the_loop(function),
            needs=needs,
            scale=scale,
            threshold=rule.on(scale, function.__name__) if rule else None,
            judged=judged,
            identifying=identifying,
            others=others,
            variant=scale.name if of else None,
            per_document=per_document,
            takes_empty=takes_empty,
            whole_turn=whole_turn,
        )

    return made


def _off_the_loop(function: Function) -> Function:
    """``function``, which asks no judge, in a thread of its own where the texts are long.

    The loop is the judges': what they say has to be heard meanwhile.
    """

    @wraps(function)
    async def measured(case: Case, ask: Ask, **options: Any) -> Verdict:
        if len(case.response or "") + len(case.ground_truth or "") < _LONG:
            return await function(case, ask, **options)

        def alone(one: Case) -> Verdict:
            async def given() -> Verdict:
                return await function(one, ask, **options)

            return asyncio.run(given())

        return await in_thread(alone, case)

    return measured
