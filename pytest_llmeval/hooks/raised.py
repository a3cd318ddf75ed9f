"""What ended a phase of a test, taken apart: groups of exceptions, and what came before each."""

from __future__ import annotations

import sys
from asyncio import CancelledError
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from ..errors import CheckFailed, EvalError
from ..raising import caller_of
from ..reports.plain import told_at

RaisedT = TypeVar("RaisedT", bound=BaseException)


def parts_of(raised: BaseException) -> Iterator[BaseException]:
    """``raised`` itself, or what it is a group of, at any depth, a doctest's own kinds included."""
    doctest = sys.modules.get("doctest")
    inside: Sequence[Any] = ()
    if isinstance(raised, BaseExceptionGroup):
        inside = raised.exceptions
    elif doctest is not None and isinstance(raised, doctest.UnexpectedException):
        inside = [raised.exc_info[1]]
    elif isinstance(failures := getattr(raised, "failures", None), list):  # of a doctest
        inside = failures if all(isinstance(each, BaseException) for each in failures) else ()
    for each in inside:
        yield from parts_of(each)
    if not inside:
        yield raised


def all_of(raised: BaseException, kind: type[RaisedT] | tuple[type[RaisedT], ...]) -> list[RaisedT]:
    """The parts of ``raised`` where all are of a ``kind``; none where one is of another."""
    parts = [*parts_of(raised)]
    found = [each for each in parts if isinstance(each, kind)]
    return found if len(found) == len(parts) else []


def nothing_but_failed_checks(raised: BaseException) -> list[CheckFailed]:
    """The failed checks that ``raised`` is, or is a group of; none where there is anything else.

    That is, too, a check without a verdict told beside them, and an exception that is no failed
    check of ours and whose place one of them took.
    """
    checks = all_of(raised, CheckFailed)
    alone = not any(each.errors for each in checks) and not _hides_another(raised)
    return checks if alone else []


def text_of(parts: Sequence[BaseException]) -> str:
    """What ``parts``, failed checks and errors, say: under a headline where they are several."""
    failed = sum(isinstance(each, CheckFailed) for each in parts)
    of = "" if failed in (0, len(parts)) else f"{failed} of "
    title = f"{of}{len(parts)} checks {'failed' if failed else 'got no verdict'}"
    said = (
        str(each) if isinstance(each, CheckFailed) else f"{type(each).__name__}: {each}"
        for each in parts
    )
    return "\n\n".join([*[title] * (len(parts) > 1), *said])


def tell_group(report: Any, raised: BaseException) -> None:
    """Where ``raised`` is a group of nothing but ours, let ``report`` sum it up in their words, at
    the line of the first."""
    parts = all_of(raised, (CheckFailed, EvalError))
    place = caller_of(parts[0]) if parts and parts[0] is not raised else None
    if place is not None:
        told_at(report, text_of(parts), *place)


def _hides_another(raised: BaseException) -> bool:
    """Whether ``raised`` took the place of an exception that is no failed check of ours.

    That a task group was cancelled for what it raises is none.
    """
    met: set[int] = set()
    waiting: list[BaseException | None] = [raised]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in met:
            continue
        met.add(id(each))
        before = [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            before = [link for link in before if not isinstance(link, CancelledError)]
        elif not isinstance(each, CheckFailed) and [*parts_of(each)] == [each]:
            return True
        waiting += [*before, *parts_of(each)]
    return False
