"""A direct call read: which metric, which case, and which of its keywords are the metric's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ..data.aliases import ALIASES, closest
from ..data.cases import Case
from ..data.words.steps import fields_from
from ..errors import CaseTypeError, UsageError
from ..metrics.base import Metric
from ..scales import Threshold
from ..session import Session
from ..suites.suite import Suite


@dataclass(frozen=True)
class Called:
    """``metric`` of ``case``, or of what makes it, under ``options`` of the metric."""

    case: Case | Callable[[], Case]
    metric: Metric
    options: Mapping[str, Any]


def called(
    session: Session,
    first: Case | Metric | str | None,
    second: Metric | Suite | str | None,
    named: Mapping[str, Any],
) -> Called:
    """What a call means that gives a case and a metric, or a metric and fields of a case.

    ``named`` are options of the metric and fields, also under the names that other tools have for
    them; a name that is both is the option. Raises ``UsageError`` for a field that is given twice,
    or beside a whole case, and for a name that is neither.
    """
    case: Any = first
    if second is None and isinstance(first, Metric | str):
        case, second = None, first
    if (
        isinstance(second, str)
        and second not in session.names.metrics
        and second in session.names.suites
    ):
        asked = f"give evaluate or assert_quality suite={second!r}"
        raise UsageError(f"{second!r} is a suite and no metric: {asked}")
    metric = session.names.metric(second)  # type: ignore[arg-type]  # it refuses None by what it is
    options, fields = _apart(metric.name, metric.option_names, named)
    return Called(_case(case, fields), metric, options)


@dataclass(frozen=True)
class CalledSuite:
    """``suite`` of ``case``; None for a case that is given by its fields."""

    case: Any
    suite: Suite | str


def suite_in(
    first: Any, second: Any, suite: Suite | str | None, rule: Threshold | None
) -> CalledSuite | None:
    """The suite that a call of ``evaluate`` gives, None where it gives a metric.

    Raises ``UsageError`` for a suite beside a metric, or beside a bound.
    """
    if isinstance(second, Suite) and suite is None:
        second, suite = None, second
    elif isinstance(first, Suite) and suite is None and second is None:
        first, suite = None, first
    if suite is None:
        return None
    if second is not None or isinstance(first, str | Metric | Suite):
        raise UsageError("evaluate takes a metric or a suite, not both")
    if rule is not None:
        raise UsageError("a suite takes no at_least or at_most: its metrics do, as 'f1 >= 0.5'")
    return CalledSuite(first, suite)


def case_of_fields(case: Case | None, named: Mapping[str, Any], of: str) -> Any:
    """``case``, or what makes one of the fields that are ``named``, for a call that has no options.

    ``of`` is what is called. Raises ``UsageError`` as ``called`` does, and ``CaseTypeError`` for a
    response that is None: a suite would leave out what judges it, and pass.
    """
    if named.get("turns") in ("last", "each"):
        raise UsageError(
            f"{of} takes no turns=: a member of it does, as ('groundedness', "
            f"{{'turns': {named['turns']!r}}}), or groundedness[each_turn]"
        )
    if named.get("response", "") is None:
        raise CaseTypeError("response: expected text, got None; leave it out where there is none")
    return _case(case, _apart(of, (), named)[1])


def _case(case: Any, fields: _Fields) -> Any:
    if case is None and fields:
        return lambda: Case.model_validate(_read(fields))
    if isinstance(case, Case) and fields:
        given = ", ".join(name for name, _ in fields.values())
        raise UsageError(f"a whole Case was given, and {given} beside it: put it into the case")
    return case


_Fields = dict[str, tuple[str, Any]]
"""By our names: what each field was called, and its value."""


def _apart(
    called: str, takes: Collection[str], named: Mapping[str, Any]
) -> tuple[dict[str, Any], _Fields]:
    """Those of ``named`` that what is ``called`` so ``takes``, and the fields of a case."""
    options: dict[str, Any] = {}
    fields: _Fields = {}
    for name, value in named.items():
        field = ALIASES.get(name, name)
        if name in takes:
            options[name] = value
        elif field not in Case.model_fields:
            known = [*takes, "at_least", "at_most", "judge", *Case.model_fields]
            raise UsageError(f"{called} has no option {name!r}{closest(name, known)}")
        elif value is not None:
            if field in fields:
                raise UsageError(f"{field} is given twice: as {fields[field][0]} and as {name}")
            fields[field] = name, value
    return options, fields


def _read(fields: _Fields) -> dict[str, Any]:
    """``fields`` as a case takes them, read as files are."""
    read: dict[str, Any] = {}
    for name, value in fields.values():
        read |= fields_from(name, value)
    return read
