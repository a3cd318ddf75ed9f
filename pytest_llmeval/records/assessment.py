"""What a run keeps of a suite on a case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ..results import Outcome
from .tried import Tried


def suite_row(suite: str) -> str:
    """What the row of ``suite`` is called, beside those of metrics."""
    return f"quality ({suite})"


@dataclass(frozen=True, slots=True)
class Assessment(Tried):
    """A suite of metrics on one case: whether all passed, and if not, why.

    ``outcome`` is failed where a check failed, error where none did and one got no verdict, else
    passed; not applicable where there was nothing to judge, and measured where nothing has a mark.
    ``root_cause`` is the first failing metric in causal order, ``fix`` what to do about it,
    ``uncertain`` the rows before it that got no verdict. ``failed`` and ``errors`` are the rows of
    these checks, ``left_out`` the metrics that were not asked, each with why. ``judged`` is the
    digest of the case, None where nothing was asked. ``message`` says what an error is. ``trial``,
    ``trials`` and ``question`` are as those of ``Record``.
    """

    suite: str
    outcome: Outcome
    root_cause: str | None
    fix: str | None
    failed: tuple[str, ...]
    errors: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    case_id: str | None
    judged: str | None
    uncertain: tuple[str, ...] = ()
    message: str = ""
    nodeid: str = ""
    xfailed: bool = False
    trial: int | None = None
    trials: int | None = None
    question: str | None = None

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """What ``plain`` made ``values`` of."""
        return cls(
            **{
                **values,
                "uncertain": tuple(values["uncertain"]),
                "outcome": Outcome(values["outcome"]),
                "failed": tuple(values["failed"]),
                "errors": tuple(values["errors"]),
                "left_out": tuple((name, why) for name, why in values["left_out"]),
            }
        )
