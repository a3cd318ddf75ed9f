"""What a run has beyond what is built in: metrics and rubrics from files and from plugins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .errors import UsageError
from .metrics.prompts import Rubric
from .metrics.registered import Metrics
from .metrics.rubrics import Change, RubricExtension, Rubrics, rubrics_of

if TYPE_CHECKING:
    from .additions import Addition
    from .settings import Settings


def metrics_of(settings: Settings, additions: Iterable[Addition] = ()) -> Metrics:
    """The built-in metrics, those that plugins add and those of the files that settings name."""
    metrics = Metrics()
    for addition in additions:
        add_metrics(metrics, addition)
    if settings.metrics:
        from .metrics.markdown import metrics_in

        for source, metric in metrics_in(settings.metrics):
            metrics.add(metric, source)
    return metrics


def add_metrics(metrics: Metrics, addition: Addition) -> None:
    """Add the metrics of ``addition``."""
    for metric in addition.metrics:
        metrics.add(metric, addition.source)


def rubrics_in(settings: Settings, additions: Sequence[Addition] = ()) -> Rubrics:
    """The changes to rubrics that plugins make, then those of the settings, which win."""
    changes = [
        Change(addition.source, _rubric(rubric, addition.source))
        for addition in additions
        for rubric in addition.rubrics
    ]
    if settings.rubric:
        from .metrics.markdown import changes_in

        changes += changes_in(settings.rubric)
    return rubrics_of(changes)


def _rubric(given: object, source: str) -> Rubric | RubricExtension:
    if not isinstance(given, Rubric | RubricExtension):
        came = type(given).__name__
        raise UsageError(f"{source}: expected a Rubric or a RubricExtension; got {came}")
    return given
