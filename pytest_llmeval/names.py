"""What names mean in a run: metrics with their marks, suites, what is put in place of rubrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .errors import UsageError
from .extended import add_metrics, add_suites, metrics_of, rubrics_in, suites_of
from .metrics.base import Metric
from .metrics.measures import measure
from .metrics.pass_rules import parse_threshold, threshold_of

if TYPE_CHECKING:
    from .additions import Addition
    from .metrics.registered import Metrics
    from .plan import Planned
    from .settings import Settings


class Names:
    """The metrics, suites, marks and rubrics of a run.

    ``metrics`` are the built-in ones, those of ``additions`` and those of files; ``suites`` the
    built-in ones, those of ``additions`` and those of settings; ``thresholds`` the marks that
    settings give; ``rubrics`` what is put in place of built-in prompts.

    Raises ``UsageError`` for an unknown metric, a threshold off its scale, an addition or a file
    that can't be.
    """

    def __init__(self, settings: Settings, additions: Iterable[Addition] = ()) -> None:
        added = tuple(additions)
        self.metrics: Metrics = metrics_of(settings, added)
        self.rubrics = rubrics_in(settings, added)
        self.thresholds = dict(parse_threshold(entry, self.metrics) for entry in settings.threshold)
        self.suites = suites_of(self.metrics, self.metric, self.thresholds, settings, added)
        self._met: dict[str, Metric] = {}

    def extend(self, additions: Iterable[Addition]) -> None:
        """Add the metrics and suites of ``additions``, which come while tests are collected.

        Raises ``UsageError`` for rubrics among them: these hold for the whole run.
        """
        for addition in additions:
            if addition.rubrics:
                raise UsageError(
                    f"{addition.source}: rubrics hold for the whole run; give them in the "
                    "conftest of the root folder"
                )
            add_metrics(self.metrics, addition)
            add_suites(self.suites, addition)

    def metric(self, metric: Metric | str) -> Metric:
        """The metric called ``metric``, or that counts under the row of that name.

        Raises ``UsageError`` where there is none, naming the closest one, and for a second metric
        of one name on another scale, which would count in the same row.
        """
        if isinstance(metric, str):
            return self.metrics[metric] if metric in self.metrics else measure(metric, self.metrics)
        if not isinstance(metric, Metric):
            advice = ": make it one by @metric(needs=…, scale=…)" if callable(metric) else ""
            came = type(metric).__name__
            raise UsageError(f"a metric is its name, or a Metric; got {came}{advice}")
        known = self._met.setdefault(metric.measure, metric)
        if known.scale != metric.scale:
            scales = f"{known.scale.name} and {metric.scale.name}"
            raise UsageError(f"two metrics are called {metric.name!r}, on the scales {scales}")
        return metric

    def planned(self, planned: Planned) -> Metric:
        """The metric that a marker names, with its options, held to its mark if it has one.

        Raises ``UsageError`` for what can't be.
        """
        metric = self.metric(planned.metric).with_options(planned.options)
        return metric.ruled_by(threshold_of(planned.at_least, planned.at_most))
