"""Datasets: cases from files, selected and called by readable ids, each made when it is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import overload

from ..errors import CaseError
from .case_ids import CaseIds
from .cases import Case
from .field_names import FieldNames
from .selection import Chosen, Select, Selection
from .sources import Source, refuse_unmet, sources_of
from .words.recognised import Recognised
from .words.shapes import fields_of, made_of

CHECKED_WHOLE = 10_000
"""How many rows of a source are made cases when it is read, so that every fault is told at once.

Making a case takes some 30 µs: of 100,000 rows that would be as long as pytest takes to collect
them. Of the rows after these, names and ids are looked at, and a value of a wrong type is told by
the test that it belongs to.
"""


@dataclass(frozen=True, slots=True, eq=False)
class CaseAt:
    """Where a case stands, and its ``id`` among the tests: all that is kept of it."""

    source: Source
    place: int
    id: str

    def case(self) -> Case:
        """The case, read and made now.

        Raises ``CaseError`` for what it can't be, and where its file has changed meanwhile.
        """
        return self.source.case(self.place)


class Cases(Sequence[Case]):
    """Cases in the order of their files. One is made whenever it is asked for, and not kept.

    ``places`` says where each stands; ``told`` in a line what was recognised of each source.
    """

    def __init__(self, places: Sequence[CaseAt], told: Sequence[str]) -> None:
        self.places = tuple(places)
        self.told = tuple(told)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The id of each case as tests show it: readable, unique, safe to type anywhere."""
        return tuple(each.id for each in self.places)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> Case: ...

    @overload
    def __getitem__(self, index: slice) -> Cases: ...

    def __getitem__(self, index: int | slice) -> Case | Cases:
        if isinstance(index, slice):
            return Cases(self.places[index], self.told)
        return self.places[index].case()

    def __repr__(self) -> str:
        names = dict.fromkeys(each.source.rows.name for each in self.places)
        return f"<{len(self)} cases of {', '.join(names)}>"


def load_cases(
    *sources: object,
    select: Select | None = None,
    limit: int | None = None,
    sample: tuple[int, int] | None = None,
    fields: Mapping[str, str | None] | None = None,
    folder: Path | None = None,
) -> Cases:
    """The cases of ``sources``: files, or patterns of files, relative to ``folder``.

    ``folder`` is the current one where none is given. ``select`` is a function of the case, or maps
    names of fields and metadata to a value or a list of values; ``sample=(n, seed)`` are n of
    those, the same wherever rows come or move; ``limit`` are the first n: none after is read.
    ``fields`` maps names in the files, also of a value in an object (``outputs.answer``), to the
    fields of a case that they are, or to None for metadata, over all that is recognised.

    Raises ``CaseError`` naming file and line for what is no row, for an unknown or misspelt field,
    a value of the wrong type, a name or an id given twice, and for a file without cases; beyond
    ``CHECKED_WHOLE`` rows a wrong type is raised when the case is asked for. Raises ``UsageError``
    for arguments that can't be, for a pattern without a match, a name in ``fields`` or ``select``
    that no row has, and where nothing is selected.
    """
    selection, names = Selection(select, limit, sample), FieldNames.of(fields)
    return selected(sources, selection, folder or Path.cwd(), names)


def selected(
    given: Sequence[object], selection: Selection, folder: Path, names: FieldNames
) -> Cases:
    """The cases that ``selection`` means of the sources ``given``, as ``load_cases`` has them."""
    chosen = Chosen(selection.select)
    whole = selection.select is not None
    ids = CaseIds()
    read = [_Read(source, ids, whole) for source in sources_of(given, folder, names)]
    meant = (at for each in read for at, case, where in each if case is None or chosen(case, where))
    if selection.sample is None:
        places = list(islice(meant, selection.limit))
    else:
        places = _sampled(list(meant), selection)[: selection.limit]
    refuse_unmet([each.source for each in read])
    while chosen.unmet and next(meant, None) is not None:
        pass  # a later row may have the name
    if not places or chosen.unmet:
        raise chosen.none_of(sum(each.recognised.count for each in read))
    held = Counter(each.source for each in places)
    return Cases(places, [each.told(held[each.source]) for each in read if held[each.source]])


def _sampled(places: list[CaseAt], selection: Selection) -> list[CaseAt]:
    """The sample of ``places``, in their order."""
    assert selection.sample is not None
    drawn = {*nsmallest(selection.sample[0], places, key=lambda each: selection.rank(each.id))}
    return [each for each in places if each in drawn]


class _Read:
    """A source as it is read: where each row stands, its case, and what was recognised so far.

    There is no case where none was made: if not ``whole``, beyond the first ``CHECKED_WHOLE``.
    Raises ``CaseError`` for rows that can't be, an id that is given twice, and no rows.
    """

    def __init__(self, source: Source, ids: CaseIds, whole: bool) -> None:
        self.source = source
        self._ids = ids
        self.recognised = Recognised(source.rows)
        self._whole = whole

    def __iter__(self) -> Iterator[tuple[CaseAt, Case | None, str]]:
        source, first = self.source, dict[str, int]()
        for place, row in source.rows:
            fields, reading = fields_of(row)
            self.recognised.add(row, reading)
            given = fields.get("id")
            if isinstance(given, str) and (earlier := first.setdefault(given, place)) != place:
                at = source.rows.row(earlier).where.rpartition(":")[2]
                at = at if at.startswith("row") else f"line {at}"
                raise CaseError(f"{row.where}: id {given!r} was given in {at} already")
            made = self._whole or self.recognised.count <= CHECKED_WHOLE
            case = made_of(fields, row.where) if made else None
            name = self._ids.of(fields, source.prefix)
            yield CaseAt(source, place, name), case, row.where
        if not self.recognised.count:
            raise CaseError(f"{source.rows.name}: found no case")

    def told(self, held: int) -> str:
        """What was recognised, in one line, and how many of the cases are ``held``."""
        line = self.recognised.line()
        return line if held == self.recognised.count else f"{line}; {held} of them selected"
