"""A suite: a name, and the metrics that a case is asked for under it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..errors import UsageError
from ..metrics.base import Metric
from ..text.shown import shown
from .member import Member, member_with, written_member

Given: TypeAlias = "str | Metric | Member | Suite | tuple[str | Metric, Mapping[str, Any]]"
"""What a member of a suite may be given as."""


@dataclass(frozen=True, init=False)
class Suite:
    """Metrics that together decide on a case.

    ::

        shop = Suite("shop", ["databricks", "f1 >= 0.5", ("tone", {"at_least": 5})])

    Each of ``members`` is a metric's name or row (``groundedness[yes_no]``), with a mark if it is
    to have one (``f1 >= 0.5``); a ``Metric``; a pair of either and what ``assert_metric`` takes
    beside it (``at_least``, ``at_most``, ``judge``, options); or another suite or its name, whose
    members it then has. Of two members of one row the later counts, and has from the earlier the
    mark, judge and options that it says nothing of. ``"-safety"`` takes a metric out of what stands
    before it, by its row, or every row of its name.

    With ``stop_at_first`` metrics that ask no judge go first, the others follow in causal order
    one by one, and what comes after the first failure is not asked.

    Raises ``UsageError`` for a name that can't be one and for what is no member; whether there is
    a metric of that name is found out when the suite is used in a run.
    """

    name: str
    members: tuple[Member | Suite, ...]
    stop_at_first: bool

    def __init__(
        self,
        name: str,
        members: Iterable[Given],
        stop_at_first: bool = False,
    ) -> None:
        if not (isinstance(name, str) and re.fullmatch(r"[\w.-]+", name)):
            raise UsageError(f"a suite's name is letters, digits, '_', '.' and '-'; got {name!r}")
        if isinstance(members, str) or not isinstance(members, Iterable):
            raise UsageError(f"suite {name!r}: expected a list of metrics; got {members!r:.80}")
        if not isinstance(stop_at_first, bool):
            raise UsageError(f"suite {name!r}: stop_at_first is True or False")
        made = tuple(_member(each, name) for each in members)
        if not made:
            raise UsageError(f"suite {name!r} names no metric")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "members", made)
        object.__setattr__(self, "stop_at_first", stop_at_first)


def _member(given: object, suite: str) -> Member | Suite:
    if isinstance(given, Member | Suite):
        return given
    try:
        if isinstance(given, str):
            return written_member(given)
        if isinstance(given, Metric):
            return Member(given)
        if isinstance(given, tuple) and len(given) == 2:
            metric, how = given
            if isinstance(metric, str | Metric) and isinstance(how, Mapping):
                return member_with(metric, how)
    except UsageError as error:
        raise UsageError(f"suite {suite!r}: {error}") from None
    raise UsageError(
        f"suite {suite!r}: a member is a metric or its name, (metric, {{'at_least': …}}), or a "
        f"suite; got {shown(repr(given), 80)}"
    )
