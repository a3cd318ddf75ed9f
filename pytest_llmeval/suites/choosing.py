"""Which metrics of a suite a case is asked for, in which order; which are left out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..data.cases import Case
from .order import causal_place, has_truth
from .registered import Wanted


def chosen(
    wanted: Iterable[Wanted], case: Case, cheap_first: bool = False
) -> tuple[list[Wanted], dict[str, str]]:
    """Those of ``wanted`` that are for such a case, in causal order, and why the others are not.

    What a metric itself needs is not looked at here. With ``cheap_first`` those that ask no judge
    come before the others.
    """
    members: list[Wanted] = []
    left_out: dict[str, str] = {}
    for each in wanted:
        if why := each.when(case) if each.when else "":
            left_out[each.metric.row] = why
        else:
            members.append(each)
    truth = has_truth(case)

    def place(each: Wanted) -> tuple[bool, int]:
        return cheap_first and each.metric.judged, causal_place(each.metric.name, truth)

    return sorted(members, key=place), left_out


def by_reason(left_out: Mapping[str, str]) -> str:
    """``left_out`` on one line, the rows of one reason together."""
    rows: dict[str, list[str]] = {}
    for row, why in left_out.items():
        rows.setdefault(why, []).append(row)
    return "; ".join(f"{', '.join(each)} ({why})" for why, each in rows.items())


def nothing_asked(suite: str, case: Case | None, left_out: Mapping[str, str]) -> str:
    """That the case has what none of the metrics needs which were ``left_out``."""
    of = f"case {case.id!r}" if case is not None and case.id is not None else "the case"
    return f"suite {suite!r} has nothing to ask of {of}: {by_reason(left_out)}"
