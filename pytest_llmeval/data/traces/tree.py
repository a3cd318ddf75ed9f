"""The tree of a run's spans: who stands under whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...errors import CaseError
from ...text.shown import shown
from .span import Span


class Tree:
    """The spans of one run; iterated from the roots down, level by level, each level in time.

    A span whose parent is not among them is a root. Exporters send a span again when it has ended:
    then that one counts. Raises ``CaseError`` for two other spans of one id, and for a circle of
    parents.
    """

    def __init__(self, spans: Sequence[Span]) -> None:
        self._by_id: dict[str, Span] = {}
        for place, span in enumerate(spans):
            self._add(span if span.id else replace(span, id=f"span {place + 1}"))
        self._children: dict[str | None, list[Span]] = {}
        for span in sorted(self._by_id.values(), key=_began):
            parent = span.parent if span.parent in self._by_id else None
            self._children.setdefault(parent, []).append(span)
        self._order = self.roots[:]
        for span in self._order:  # it grows meanwhile
            self._order += self.children(span)
        if len(self._order) < len(self._by_id):
            raise CaseError("trace: some of its spans are each other's parents")

    def _add(self, span: Span) -> None:
        known = self._by_id.get(span.id)
        if known is None or known.end is None:
            self._by_id[span.id] = span
        elif span.end is not None and span != known:
            raise CaseError(f"trace: two of its spans have the id {shown(span.id, 60)!r}")

    def __iter__(self) -> Iterator[Span]:
        return iter(self._order)

    @property
    def roots(self) -> list[Span]:
        """The spans under no other."""
        return self._children.get(None, [])

    def children(self, span: Span) -> list[Span]:
        """The spans right under ``span``."""
        return self._children.get(span.id, [])

    def from_the_leaves(self) -> Iterator[Span]:
        """Every span, after those under it."""
        return reversed(self._order)

    def in_time(self) -> list[Span]:
        """Every span, as they began."""
        return sorted(self._order, key=_began)

    def under(self, span: Span) -> Iterator[Span]:
        """The spans under ``span``, at any depth."""
        waiting = [*self.children(span)]
        while waiting:
            below = waiting.pop()
            yield below
            waiting += self.children(below)

    def above(self, span: Span) -> Iterator[Span]:
        """The spans that ``span`` stands under, from its parent up."""
        while span.parent in self._by_id:
            span = self._by_id[span.parent]
            yield span


def _began(span: Span) -> int:
    return span.start or 0
