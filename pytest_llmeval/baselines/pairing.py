"""Pairing: which check of the baseline and which of the run are the same one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from ..records.record import Record
from ..results import Outcome
from .rows import Place, Row, placed
from .standing import Roll, Standing, heirs


@dataclass(slots=True)
class Paired:
    """Checks side by side, by their place in the run; trials of one are together.

    ``before`` and ``now`` have the same places. ``missing`` are checks of the baseline that the run
    may have had and lacks, by why, ``lost`` how many trials it lacks of a case that had others;
    ``new`` and ``gone`` are those of one side only; of those ``inapplicable`` the run found nothing
    to judge.
    """

    before: dict[Place, list[Row]] = field(default_factory=dict)
    now: dict[Place, list[Record]] = field(default_factory=dict)
    missing: dict[Standing, dict[Place, list[Row]]] = field(default_factory=dict)
    lost: dict[Place, Counter[Standing]] = field(default_factory=dict)
    new: list[Place] = field(default_factory=list)
    gone: dict[Place, list[Row]] = field(default_factory=dict)
    inapplicable: dict[Place, list[Row]] = field(default_factory=dict)


def paired(rows: Iterable[Row], records: Iterable[Record], roll: Roll) -> Paired:
    """The checks of the baseline, ``rows``, and those of the run, ``records``, in pairs.

    They are the same by test, case, metric and place; where the test is gone, by the test's name in
    another file, then by case alone, wherever that leaves one check on either side. Where the test
    that it may be now did not come to its check, that is missing.
    """
    before: defaultdict[Place, list[Row]] = defaultdict(list)
    now: defaultdict[Place, list[Record]] = defaultdict(list)
    for row in rows:
        before[row.place].append(row)
    for place, _, record in placed(records):
        now[place].append(record)
    standings = roll.standings()
    tests = {place.test for place in before}
    for place in now:
        standings.setdefault(place.test, Standing.RAN)
    heir = heirs(standings, tests)
    known = {test: standings.get(test) or roll.absent(test) for test in tests}
    meant = _renamed(
        [place for place in before if known[place.test] is Standing.GONE],
        [place for place in now if place.test not in tests],
    )
    known |= {test: heir(test) for test, each in known.items() if each is Standing.GONE}
    made = _side_by_side(before, now, known, meant)
    for place, group in made.before.items():
        ran = {record.trial for record in made.now[place]}
        lost = (row.trial for row in group if row.trial not in ran)
        made.lost[place] = Counter(roll.of_trial(place.test, trial) for trial in lost)
    return made


def _side_by_side(
    before: Mapping[Place, list[Row]],
    now: Mapping[Place, list[Record]],
    known: Mapping[str, Standing],
    meant: Mapping[Place, Place],
) -> Paired:
    made = Paired()
    for place, rows in before.items():
        here = meant.get(place, place)
        standing = known[place.test]
        if here in now and all(_is_inapplicable(record) for record in now[here]):
            made.inapplicable[here] = rows
        elif here in now:
            made.before[here], made.now[here] = rows, now[here]
        elif standing in (Standing.GONE, Standing.RAN):
            made.gone[place] = rows
        else:
            made.missing.setdefault(standing, {})[place] = rows
    known_now = {*made.now, *made.inapplicable}
    made.new = [place for place in now if place not in known_now]
    return made


def _is_inapplicable(record: Record) -> bool:
    return record.outcome is Outcome.NOT_APPLICABLE


def order_of(place: Place) -> tuple[str, str, str, int]:
    """What places are sorted by."""
    return place.test, place.metric, place.case or "", place.number


def _renamed(gone: list[Place], new: list[Place]) -> dict[Place, Place]:
    """From a place in the baseline to the one that it has now, where that is plain."""
    found: dict[Place, Place] = {}
    for key in (_in_any_file, _of_any_test):
        old = _single((place for place in gone if place not in found), key)
        taken = set(found.values())
        there = _single((place for place in new if place not in taken), key)
        found |= {place: there[name] for name, place in old.items() if name in there}
    return found


def _in_any_file(place: Place) -> Hashable:
    return place._replace(test=place.test.partition("::")[2])


def _of_any_test(place: Place) -> Hashable | None:
    return None if place.case is None else place._replace(test="")


def _single(
    places: Iterable[Place], key: Callable[[Place], Hashable | None]
) -> dict[Hashable, Place]:
    """The places that are the only one with their key."""
    by_key: defaultdict[Hashable, list[Place]] = defaultdict(list)
    for place in places:
        if (name := key(place)) is not None:
            by_key[name].append(place)
    return {name: each[0] for name, each in by_key.items() if len(each) == 1}
