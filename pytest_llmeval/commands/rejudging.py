"""Rejudging: kept questions go to another judge, and it is told where that decides otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from ..errors import EvalError
from ..judges.answers import Reply
from ..judges.base import BaseJudge, Said
from ..judges.engine import Engine
from ..judges.heard import Answer, answer_of
from ..judges.schema import shown_schema
from ..metrics.registered import Metrics
from ..scales import Scale, Threshold
from .kept_questions import Kept, values_of


@dataclass(frozen=True, slots=True)
class Rejudged:
    """A kept question with the answers of then and now; ``error`` says why there is none now.

    ``before`` and ``after`` are the decisions: pass or fail of a score where the metric has a pass
    mark, else the plain values of the reply. ``values`` are these values of both, ``mark`` is the
    value of the pass mark on its scale, None where no mark decides. ``fall`` is how much worse the
    answer is now: by the score, or by places among the words that the judge may choose from.
    """

    kept: Kept
    before: str
    after: str | None = None
    values: tuple[str, str] | None = None
    reasons: tuple[str, str] | None = None
    error: str | None = None
    mark: str | None = None
    fall: float = 0

    @property
    def flipped(self) -> bool:
        """Whether the other judge decided otherwise."""
        return self.after is not None and self.after != self.before


def rejudge(
    kept: Iterable[Kept],
    judge: BaseJudge,
    engine: Engine,
    metrics: Metrics,
    thresholds: Mapping[str, Threshold],
) -> Iterator[Rejudged]:
    """What ``judge`` says to each question of ``kept``, all asked at once, told in their order."""

    def mark(task: str) -> _Mark | None:
        metric = metrics.get(task)
        threshold = thresholds.get(task) or (metric.threshold if metric else None)
        return _Mark(threshold, metric.scale) if metric and threshold else None

    flights: list[tuple[Kept, Future[Answer[Any]]]] = [
        (each, engine.submit(engine.ask(judge, each.question))) for each in kept
    ]
    for each, flight in flights:
        yield _compared(each, flight.result, mark(each.question.task))


@dataclass(frozen=True, slots=True)
class _Mark:
    """A metric's pass mark, and the scale that it stands on."""

    threshold: Threshold
    scale: Scale

    def __str__(self) -> str:
        return self.scale.show(self.threshold.value)


def _compared(kept: Kept, result: Callable[[], Answer[Any]], mark: _Mark | None) -> Rejudged:
    old = answer_of(None, [Said(kept.said)], kept.question).reply
    if not isinstance(getattr(old, "score", None), int | float):
        mark = None  # its values decide
    before, told = _decision(old, mark), None if mark is None else str(mark)
    try:
        new = result().reply
    except EvalError as error:
        return Rejudged(kept, before, error=str(error), mark=told)
    return Rejudged(
        kept,
        before,
        _decision(new, mark),
        (values_of(old), values_of(new)),
        (getattr(old, "reason", ""), getattr(new, "reason", "")),
        mark=told,
        fall=_fall(old, new, mark),
    )


def _fall(old: Reply, new: Reply, mark: _Mark | None) -> float:
    before, after = getattr(old, "score", None), getattr(new, "score", None)
    if before is not None and after is not None:
        falls = mark is None or mark.threshold.asks_for == "at_least"
        return float(before - after if falls else after - before)
    # Words stand in the order from good to bad: yes and no, the severities.
    fields = shown_schema(type(new)).get("properties", {}).items()
    words: dict[str, list[str]] = {name: each["enum"] for name, each in fields if "enum" in each}
    places = (
        told.index(getattr(new, name)) - told.index(getattr(old, name))
        for name, told in words.items()
    )
    return sum(places)


def _decision(reply: Reply, mark: _Mark | None) -> str:
    if mark is None:
        return values_of(reply)
    return "pass" if mark.threshold.holds(reply.score) else "fail"  # type: ignore[attr-defined]
