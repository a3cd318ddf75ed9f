"""Root causes of a run: which metrics failed first, and what to do about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..rates.suite_rate import SuiteRow
from ..records.assessment import Assessment


def causes_of(row: SuiteRow, called: Callable[[str], str] = str) -> str:
    """The root causes that ``row`` counts, the most frequent first, with names as ``called``."""
    told = [f"{called(cause)} {count}" for cause, count in row.causes.items()]
    told += [f"{row.uncertain} uncertain"] if row.uncertain else []
    return " · ".join(told)


def advice(assessments: Iterable[Assessment]) -> dict[tuple[str, str], str]:
    """What to do, by suite and root cause, where that is the same for all of its cases."""
    found: dict[tuple[str, str], set[str]] = {}
    for each in assessments:
        if each.root_cause is not None and not each.xfailed:
            found.setdefault((each.suite, each.root_cause), set()).add(each.fix or "")
    return {cause: min(fixes) for cause, fixes in found.items() if len(fixes) == 1 and any(fixes)}
