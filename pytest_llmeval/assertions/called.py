"""A direct call read: which metric, which case, and which of its keywords are the metric's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..data.aliases import ALIASES, closest
from ..data.cases import Case
from ..data.steps import fields_from
from ..errors import UsageError
from ..metrics.base import Metric
from ..session import Session


@dataclass(frozen=True)
class Called:
    """``metric`` of ``case``, or of what makes it, under ``options`` of the metric."""

    case: Case | Callable[[], Case]
    metric: Metric
    options: Mapping[str, Any]


def called(
    session: Session,
    first: Case | Metric | str | None,
    second: Metric | str | None,
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
    metric = session.metric(second)  # type: ignore[arg-type]  # it refuses None by what it is
    options, fields = _apart(metric, named)
    if case is None and fields:
        return Called(lambda: Case.model_validate(_read(fields)), metric, options)
    if isinstance(case, Case) and fields:
        given = ", ".join(name for name, _ in fields.values())
        raise UsageError(f"a whole Case was given, and {given} beside it: put it into the case")
    return Called(case, metric, options)


_Fields = dict[str, tuple[str, Any]]
"""By our names: what each field was called, and its value."""


def _apart(metric: Metric, named: Mapping[str, Any]) -> tuple[dict[str, Any], _Fields]:
    """The options of ``metric`` among ``named``, and the fields of a case."""
    options: dict[str, Any] = {}
    fields: _Fields = {}
    for name, value in named.items():
        field = ALIASES.get(name, name)
        if name in metric.option_names:
            options[name] = value
        elif field not in Case.model_fields:
            known = [*metric.option_names, "at_least", "at_most", "judge", *Case.model_fields]
            raise UsageError(f"{metric.name} has no option {name!r}{closest(name, known)}")
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
