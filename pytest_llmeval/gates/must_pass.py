"""The tests of a group that have to pass, whatever its rate: what each name of them came to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from ..records.tests import TestRow
from .came import Came, counted
from .group_members import is_called

_SELECTED: dict[Came, Came] = {"unselected": "passed"}


@dataclass(frozen=True, slots=True)
class Needed:
    """One name in ``must_pass``, and what each test of the group came to that it means.

    It may mean several: the trials of a case, the parameters of a function. None of them may fail,
    one at least has to pass, and none may be missing; those that are skipped or xfailed, as trials
    are that are not needed any more, count nothing.
    """

    name: str
    came: tuple[tuple[TestRow, Came], ...]

    @classmethod
    def of(cls, name: str, came: Iterable[tuple[TestRow, Came]]) -> Self:
        """What ``name`` means among the tests of a group, which came to ``came``."""
        return cls(name, tuple(each for each in came if is_called(each[0], name)))

    @property
    def failed(self) -> bool:
        """Whether one failed, so that nothing can save the group."""
        return any(what == "failed" for _, what in self.came)

    @property
    def sure(self) -> bool:
        """Whether all is well, whatever the tests that are missing would have come to."""
        kinds = {what for _, what in self.came}
        return kinds <= {"passed", "idle", "nothing"} and self.has_a_pass

    @property
    def has_a_pass(self) -> bool:
        """Whether one passed, be it with nothing to judge."""
        return any(what in ("passed", "idle") for _, what in self.came)

    def as_if_selected(self) -> Self:
        """The same, had the tests passed that the user left out."""
        came = ((test, _SELECTED.get(what, what)) for test, what in self.came)
        return replace(self, came=tuple(came))

    def told(self) -> str:
        """The name, and where it is not one test that failed, what the tests came to."""
        if self.failed and len(self.came) == 1:
            return self.name
        said = counted(self.came)
        return f"{self.name} ({said.removeprefix('1 ') if len(self.came) == 1 else said})"


def told_needed(needed: Sequence[Needed], hint: Callable[[str], str]) -> list[str]:
    """Why the ``needed`` ones keep their group from being held, in a few words for each kind.

    ``hint`` tells what is known of a name that no test of the group answers to.
    """
    present = [each for each in needed if each.came and not each.sure]
    whole = [each for each in present if not each.failed]
    kinds = {
        "failed": [each.told() for each in present if each.failed],
        "is not in the group": [
            f"{each.name}{hint(each.name)}" for each in needed if not each.came
        ],
        "has no pass": [each.told() for each in whole if not each.has_a_pass],
        "is not sure": [each.told() for each in whole if each.has_a_pass],
    }
    return [f"must pass and {kind}: {', '.join(names)}" for kind, names in kinds.items() if names]
