"""Measures by name: a metric, on another scale, by other options, or held to the opposite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from ..data.aliases import closest
from ..errors import UsageError
from ..scales import Threshold
from .base import Metric
from .each_turn import EACH_TURN
from .options import options_of


def measure(name: str, metrics: Mapping[str, Metric]) -> Metric:
    """The one of ``metrics`` that counts under the row ``name``.

    ``groundedness``, ``groundedness[yes_no]``, ``rouge[rouge1]``, ``fact_check[no]``,
    ``groundedness[each_turn]``. Raises ``UsageError`` where there is none, with the closest name
    that there is.
    """
    plain = name.partition("[")[0]
    if plain not in metrics:
        raise UsageError(f"there is no metric {name!r}{closest(name, metrics)}")
    metric = metrics[plain]
    if name == plain:
        return metric
    qualities = name.removesuffix("]").partition("[")[2].split(",")
    if EACH_TURN in qualities:
        metric = metric.over("each")
    scales = [metric, *(each.over(metric.turns) for each in metric.others)]
    known = {each.row: each for each in (*scales, *_reversed(scales))}
    chosen = _with_qualities(metric, qualities)
    known[chosen.row] = chosen
    if name not in known:
        over_turns = (each.over("each").row for each in scales if "turns" in each.option_names)
        raise UsageError(f"there is no metric {name!r}{closest(name, [*known, *over_turns])}")
    return known[name]


def _reversed(measures: Iterable[Metric]) -> Iterable[Metric]:
    """Those of ``measures`` that judge by two words, each held to the other word, and severities
    that are to be as high as a level."""
    for each in measures:
        for level in each.scale.tolerances:
            yield each.held_to(Threshold("at_least", word=level))
        if len(each.scale.labels) == 2:
            best, worst = each.scale.highest, each.scale.lowest
            bound, end = ("at_most", worst) if each.scale.higher_is_better else ("at_least", best)
            yield each.held_to(Threshold(bound, end))  # type: ignore[arg-type]


def _with_qualities(metric: Metric, qualities: Iterable[str]) -> Metric:
    """``metric`` with those of its identifying options that take one of ``qualities``."""
    known = options_of(metric.function)
    options: dict[str, str] = {}
    for quality in qualities:
        for name in metric.identifying:
            with suppress(UsageError):
                known[name].check(metric.name, quality)
                options.setdefault(name, quality)
                break
    return metric.with_options(options) if options else metric
