"""What a run keeps of its tests, and of the groups that they are in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

from .tried import Tried

TestState = Literal[
    "passed", "failed", "error", "skipped", "xfailed", "xpassed", "tolerated", "not_run"
]


@dataclass(frozen=True, slots=True)
class Group:
    """Tests that together are held to a pass rate in (0, 1].

    Of those in it, the tests that ``must_pass`` names have to pass, whatever the rate.
    """

    name: str
    min_pass_rate: float
    must_pass: tuple[str, ...] = ()

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """What ``plain`` made ``values`` of."""
        return cls(**{**values, "must_pass": tuple(values["must_pass"])})


class Weight(NamedTuple):
    """What a trial ``weighs`` within its case, and after how few trials that may end, ``soonest``.

    ``soonest`` is None where all trials of the case run whatever they come to.
    """

    weighs: float = 1.0
    soonest: int | None = None


@dataclass(frozen=True, slots=True)
class TestRow(Tried):
    """A test that asks judges, or may: what became of it, and what it was going to check.

    ``metrics`` are the rows, and ``suite`` the suite, that its marker names; ``of_suite`` are the
    rows that this suite may ask. ``unselected`` tells that it was left out by the user's selection.
    ``groups`` are those that it is in, ``names`` by what they may call it, ``tags`` those by which
    groups may take it; ``trial`` and ``trials`` are as in ``Record``; ``weight`` is what it weighs
    within its case, 1 but where trials that stop early came to both ends: their mean over the
    trials of a case is 1; ``soonest`` is the fewest trials after which its case may have ended,
    None where all run. ``marked`` is false where neither a marker nor the baseline tells that it
    asks judges: it is here since it did, or since another such test of its file did.
    """

    __test__: ClassVar = False  # pytest is not to collect it

    nodeid: str
    state: TestState = "not_run"
    metrics: tuple[str, ...] = ()
    suite: str | None = None
    unselected: bool = False
    of_suite: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    names: tuple[str, ...] = ()
    trial: int | None = None
    trials: int | None = None
    weight: float = 1.0
    soonest: int | None = None
    tags: tuple[str, ...] = ()
    marked: bool = True

    @property
    def weighed(self) -> Weight:
        """What it weighs within its case, and how soon that may have ended."""
        return Weight(self.weight, self.soonest)

    @property
    def function(self) -> str:
        """The node id, without parameters."""
        file, _, name = self.nodeid.partition("::")
        return f"{file}::{name.partition('[')[0]}"

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """What ``plain`` made ``values`` of."""
        lists = {name: tuple(values[name]) for name in _LISTS}
        groups = tuple(map(Group.from_plain, values["groups"]))
        return cls(**{**values, **lists, "groups": groups})


_LISTS = ("metrics", "of_suite", "names", "tags")
