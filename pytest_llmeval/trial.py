"""A trial: one of several runs of a test, and the name that all of them have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trial:
    """One of several runs of a test: ``number``, from 1, of ``fixed`` that were set beforehand.

    More may follow, ``most`` in all, as long as it is not decided whether the app is good enough.
    """

    number: int
    fixed: int
    most: int

    @property
    def extra(self) -> bool:
        """Whether this one runs only as long as nothing is decided."""
        return self.number > self.fixed


def test_of(nodeid: str, trial: int | None) -> str:
    """The node id that all trials of a test have in common, of that of one.

    It has no group of xdist's either where that was given to trials to keep them together.
    """
    if trial is None:
        return nodeid
    name = re.sub(rf"@{TOGETHER}[0-9a-f]+$", "", nodeid)
    found = re.fullmatch(rf"(.*)([\[-])trial{trial}([-\]])(.*)", name, re.DOTALL)
    if found is None:
        return name
    before, opening, closing, after = found.groups()
    return before + _JOINTS[opening + closing] + after


TOGETHER = "trials-"
"""How a group of xdist begins that keeps the trials of a case in one process."""

_JOINTS = {"[]": "", "[-": "[", "-]": "]", "--": "-"}
"""What is left between the ids of other parameters, by what stood around that of the trial."""
