"""Datasets: cases from files, selected and called by readable ids, each made when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import overload

from ..errors import CaseError
from .case_ids import CaseIds, given_id
from .cases import Case
from .rows import Row
from .selection import Chosen, Select, Selection
from .shapes import case_of
from .sources import Source, sources_of

CHECKED_WHOLE = 10_000
"""How many rows of a source are made cases when it is read, so that every fault is told at once.

Making a case takes some 30 µs: of 100,000 rows that would be as long as pytest takes to collect
them. Of the rows after these, only the first with the same names is made one: what names can be
wrong is then told all the same, and a value of the wrong type by the test that it belongs to.
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

    ``places`` says where each stands; ``told`` what was found in each source.
    """

    def __init__(self, places: Sequence[CaseAt], told: Sequence[tuple[str, int]]) -> None:
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
        return f"<{len(self)} cases of {', '.join(name for name, _ in self.told)}>"


def load_cases(
    *sources: object,
    select: Select | None = None,
    limit: int | None = None,
    sample: tuple[int, int] | None = None,
    folder: Path | None = None,
) -> Cases:
    """The cases of ``sources``: files, or patterns of files, relative to ``folder``.

    ``folder`` is the current one where none is given. ``select`` is a function of the case, or maps
    names of fields and metadata to a value or a list of values; ``sample=(n, seed)`` are n of
    those, the same wherever rows come or move; ``limit`` are the first n: none after is read.

    Raises ``CaseError`` naming file and line for what is no row, for an unknown or misspelt field,
    a value of the wrong type, a name or an id given twice, and for a file without cases; beyond
    ``CHECKED_WHOLE`` rows a wrong type is raised when the case is asked for. Raises ``UsageError``
    for arguments that can't be, for a pattern without a match, and where nothing is selected.
    """
    return selected(sources, Selection(select, limit, sample), folder or Path.cwd())


def selected(given: Sequence[object], selection: Selection, folder: Path) -> Cases:
    """The cases that ``selection`` means of the sources ``given``, as ``load_cases`` has them."""
    sources = sources_of(given, folder)
    chosen = Chosen(selection.select)
    read = 0

    def meant() -> Iterator[CaseAt]:
        nonlocal read
        for source in sources:
            for at, row, case in _read(source):
                read += 1
                if selection.select is None or chosen(case or case_of(row), row.where):
                    yield at

    if selection.sample is None:
        places = list(islice(meant(), selection.limit))
    else:
        places = _sampled(list(meant()), selection)[: selection.limit]
    if not places:
        raise chosen.none_of(read)
    counts = dict.fromkeys(sources, 0)
    for each in places:
        counts[each.source] += 1
    return Cases(places, [(source.name, count) for source, count in counts.items()])


def _sampled(places: list[CaseAt], selection: Selection) -> list[CaseAt]:
    """The sample of ``places``, in their order."""
    assert selection.sample is not None
    drawn = {*nsmallest(selection.sample[0], places, key=lambda each: selection.rank(each.id))}
    return [each for each in places if each in drawn]


def _read(source: Source) -> Iterator[tuple[CaseAt, Row, Case | None]]:
    """Every row of ``source`` and where it stands, with the case it is, where that was made."""
    ids = CaseIds(source.prefix)
    first: dict[str, int] = {}
    made: set[tuple[str, ...]] = set()
    place = None
    for number, (place, row) in enumerate(source.rows, start=1):
        given = given_id(row.values)
        if given is not None and (earlier := first.setdefault(given, place)) != place:
            line = source.rows.row(earlier).where.rpartition(":")[2]
            raise CaseError(f"{row.where}: id {given!r} was given in line {line} already")
        names = tuple(row.values)
        case = None
        if number <= CHECKED_WHOLE or names not in made:
            case = case_of(row)
            made.add(names)
        yield CaseAt(source, place, ids.of(row.values)), row, case
    if place is None:
        raise CaseError(f"{source.name}: expected rows of cases, found no case")
