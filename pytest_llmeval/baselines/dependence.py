"""Dependence: which checks are of one input, so that they do not count as independent."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from ..records.record import Record
from .rows import Place


def clusters(cases: Iterable[tuple[Place, Iterable[Record]]]) -> dict[Place, str]:
    """The name of the cluster that each of ``cases`` is in, of those of one metric.

    One cluster are the checks of one case in one test, whatever they ask; those of one ``group``;
    and, of several tests, those of one case that ask the same question. A case that asks nothing is
    of its test alone: that two mails are expected to be spam makes them no one input.
    """
    ties: dict[Hashable, Hashable] = {}
    places = []
    for place, records in cases:
        places.append(place)
        own = _root(ties, _own(place))
        for shared in (each for record in records for each in _shared(place, record)):
            ties[_root(ties, shared)] = own
    return {place: f"{_root(ties, _own(place))}" for place in places}


def _own(place: Place) -> Hashable:
    return "test", place.test, place.case


def _shared(place: Place, record: Record) -> Iterator[Hashable]:
    if record.group is not None:
        yield "group", record.group
    if place.case is not None and record.question is not None:
        yield "case", place.case, record.question


def _root(ties: dict[Hashable, Hashable], of: Hashable) -> Hashable:
    """What stands for all that ``of`` is tied to; the way there is made short."""
    root = of
    while ties.setdefault(root, root) != root:
        root = ties[root]
    while ties[of] != root:
        ties[of], of = root, ties[of]
    return root
