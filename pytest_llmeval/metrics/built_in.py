"""How the metrics that come with the plugin are made, each of a function in its own file."""

from __future__ import annotations

from collections.abc import Callable

from ..results import Scale, Threshold
from .base import Function, Metric, Need


def built_in(
    *,
    needs: tuple[Need, ...],
    scale: Scale,
    rule: Threshold | None = None,
    judged: bool = True,
    identifying: tuple[str, ...] = (),
    others: tuple[Metric, ...] = (),
    of: str | None = None,
) -> Callable[[Function], Metric]:
    """Make the metric that is called as its function is; the fields are those of ``Metric``.

    ``rule`` is its default pass rule; without one its results are measured only. ``of`` names the
    metric that this one is on another scale. Raises ``UsageError`` for a rule that cannot be.
    """

    def made(function: Function) -> Metric:
        return Metric(
            name=of or function.__name__,
            function=function,
            needs=needs,
            scale=scale,
            threshold=rule.on(scale, function.__name__) if rule else None,
            judged=judged,
            identifying=identifying,
            others=others,
            variant=scale.name if of else None,
        )

    return made
