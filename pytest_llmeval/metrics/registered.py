"""The metrics of a run by name: the built-in ones, and those that users add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..errors import UsageError
from . import CATALOGUE
from .base import Metric


class Metrics(Mapping[str, Metric]):
    """The built-in metrics and those that were added, each name once."""

    def __init__(self) -> None:
        self._added: dict[str, tuple[Metric, str]] = {}

    def __getitem__(self, name: str) -> Metric:
        return self._added[name][0] if name in self._added else CATALOGUE[name]

    def __contains__(self, name: object) -> bool:
        return name in self._added or name in CATALOGUE

    def __iter__(self) -> Iterator[str]:
        yield from CATALOGUE
        yield from self._added

    def __len__(self) -> int:
        return len(CATALOGUE) + len(self._added)

    def add(self, metric: object, source: str) -> None:
        """Add ``metric``, given by ``source``; the same one may be given again.

        Raises ``UsageError`` for what is no metric, and for a name that is taken, naming who else
        took it.
        """
        if not isinstance(metric, Metric):
            raise UsageError(
                f"{source}: expected metrics, made by JudgedMetric(…) or @metric; got "
                f"{type(metric).__name__} {metric!r:.80}"
            )
        if metric.name in CATALOGUE:
            raise UsageError(f"{source}: {metric.name!r} is a built-in metric; rename yours")
        known, first = self._added.setdefault(metric.name, (metric, source))
        if known is not metric:
            raise UsageError(
                f"the metric {metric.name!r} is declared twice: in {first} and in {source}"
            )
