"""Which metrics of a suite a case is asked for, in which order; which are left out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..data.cases import Case
from ..data.conversation import as_judged, faults_of
from ..errors import CaseError
from ..metrics.needs import lacks_response
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


def check_answered(case: Case, members: Iterable[Wanted]) -> None:
    """Raise ``CaseError`` for a ``case`` without a response, of which one of ``members`` is.

    The others would pass for an app that gave none. So it is for a conversation without a query.
    """
    judged = as_judged(case)
    lacking = any(lacks_response(judged, each.metric.needs) for each in members)
    if not lacking and judged.query is not None:
        return
    of = f"case {case.id!r}" if case.id is not None else "the case"
    fault = next(iter(faults_of(case).values()), "")
    if lacking and not fault:
        told = ", nor does its trace tell one" if case.trace is not None else ""
        fault = f'it has no response{told} (an empty one is "", and fails)'
    if fault:
        raise CaseError(f"{of} can't be judged: {fault}")


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
