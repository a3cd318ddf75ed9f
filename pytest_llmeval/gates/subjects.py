"""Keys of aggregates, and the metrics whose checks count under them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..data.aliases import closest
from ..errors import UsageError
from ..metrics.base import Metric
from ..metrics.measures import measure
from ..rates.keys import place_of


@dataclass(frozen=True, slots=True)
class _Held:
    """What of a check its key is made of, for a metric held to no pass rule."""

    metric: str
    scale: str
    higher_is_better: bool
    per_document: bool
    bound: str | None = None


def keyed_metric(key: str, metrics: Mapping[str, Metric]) -> Metric:
    """The one of ``metrics`` whose checks count under the aggregate ``key``.

    Raises ``UsageError`` where there is none, with the closest key that there is.
    """
    plain, qualities = re.sub(r"\[[^\]/]*\]", "", key), re.search(r"\[[^\]/]*\]", key)
    known = dict(_keys(metrics))
    if plain not in known:
        raise UsageError(f"there is no aggregate {key!r}{closest(key, known)}")
    metric = known[plain]
    if qualities is None:
        return metric
    meant = measure(metric.name + qualities[0], metrics)
    if _key(meant) != key:
        raise UsageError(f"there is no aggregate {key!r}: did you mean {_key(meant)!r}?")
    return meant


def _keys(metrics: Mapping[str, Metric]) -> Iterator[tuple[str, Metric]]:
    for metric in metrics.values():
        for each in (metric, *metric.others):
            yield _key(each), each


def _key(metric: Metric) -> str:
    scale = metric.scale
    held = _Held(metric.measure, scale.name, scale.higher_is_better, metric.per_document)
    return place_of(held).aggregate
