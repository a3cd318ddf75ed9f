"""What a run has beyond what is built in: metrics, suites, rubrics, gates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from .errors import UsageError
from .metrics.prompts import Rubric
from .metrics.registered import Metrics
from .metrics.rubrics import Change, RubricExtension, Rubrics, rubrics_of

if TYPE_CHECKING:
    from .additions import Addition
    from .gates.rule import Rule
    from .scales import Threshold
    from .settings import Settings
    from .suites.registered import Find, Suites


def metrics_of(settings: Settings, additions: Iterable[Addition] = ()) -> Metrics:
    """The built-in metrics, those that plugins add and those of the files that settings name."""
    metrics = Metrics()
    for addition in additions:
        add_metrics(metrics, addition)
    if settings.metrics:
        from .metrics.own.markdown import metrics_in

        for source, metric in metrics_in(settings.metrics):
            metrics.add(metric, source)
    return metrics


def add_metrics(metrics: Metrics, addition: Addition) -> None:
    """Add the metrics of ``addition``."""
    for metric in addition.metrics:
        metrics.add(metric, addition.source)


def suites_of(
    metrics: Metrics,
    find: Find,
    thresholds: Mapping[str, Threshold],
    settings: Settings,
    additions: Iterable[Addition] = (),
) -> Suites:
    """The built-in suites, those that plugins add and those of the settings."""
    from .suites.registered import Suites
    from .suites.written import parse_suite

    suites = Suites(metrics, find, thresholds)
    for addition in additions:
        add_suites(suites, addition)
    written = {suite.name: suite for suite in map(parse_suite, settings.suite)}
    for suite in written.values():
        suites.add(suite, "llm_eval_suite")
    return suites


def add_suites(suites: Suites, addition: Addition) -> None:
    """Add the suites of ``addition``."""
    for suite in addition.suites:
        suites.add(suite, addition.source)


def rules_in(settings: Settings, metrics: Metrics, suites: Suites) -> tuple[Rule, ...]:
    """The gates on aggregates that settings name, each once.

    Raises ``UsageError`` for one that can't be.
    """
    if not settings.gate:
        return ()
    from .gates.expression import parse_gate

    return tuple(dict.fromkeys(parse_gate(text, metrics, suites) for text in settings.gate))


def rubrics_in(settings: Settings, additions: Sequence[Addition] = ()) -> Rubrics:
    """The changes to rubrics that plugins make, then those of the settings, which win."""
    changes = [
        Change(addition.source, _rubric(rubric, addition.source))
        for addition in additions
        for rubric in addition.rubrics
    ]
    if settings.rubric:
        from .metrics.own.markdown import changes_in

        changes += changes_in(settings.rubric)
    return rubrics_of(changes)


def _rubric(given: object, source: str) -> Rubric | RubricExtension:
    if not isinstance(given, Rubric | RubricExtension):
        came = type(given).__name__
        raise UsageError(f"{source}: expected a Rubric or a RubricExtension; got {came}")
    return given
