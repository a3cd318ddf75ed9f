"""Selection: which of the cases of a file are meant, by what they are, how many, or by a sample."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from ..errors import EvalError, UsageError
from .aliases import ALIASES, closest
from .call_match import same
from .cases import Case

Select = Callable[[Case], object] | Mapping[str, Any]
"""A function of the case that says whether it is meant, or what its fields or metadata hold."""

_SHOWN = 5


@dataclass(frozen=True)
class Selection:
    """What ``select=``, ``sample=`` and ``limit=`` say, which hold in this order.

    ``select`` is a function of the case, or maps the names of fields and of metadata
    (``metadata.topic``, or ``topic`` alone) to a value or a list of values; a list in the case
    (tags) matches by any of its values, None by absence. ``sample=(n, seed)`` are the n cases with
    the smallest digest of seed and id, so that rows which come or move change as little of it as
    can be. ``limit`` are the first n. Raises ``UsageError`` naming what can't be.
    """

    select: Select | None = None
    limit: int | None = None
    sample: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        select, limit, sample = self.select, self.limit, self.sample
        if inspect.iscoroutinefunction(select):
            raise UsageError("select is a plain function of a case; got a coroutine function")
        if not (select is None or callable(select) or _maps_names(select)):
            kinds = "a function of a case, or maps names of fields or metadata to values"
            raise UsageError(f"select is {kinds}; got {select!r}")
        if not (limit is None or (_is_number(limit) and limit > 0)):
            raise UsageError(f"limit is how many cases, 1 or more; got {limit!r}")
        if not (sample is None or _is_sample(sample)):
            raise UsageError(f"sample is (how many, seed), as in (50, 7); got {sample!r}")

    def rank(self, name: str) -> bytes:
        """Where the case with the id ``name`` stands in line for the sample."""
        assert self.sample is not None
        return sha256(f"{self.sample[1]}:{name}".encode()).digest()


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_sample(sample: object) -> bool:
    if not (isinstance(sample, tuple | list) and len(sample) == 2):
        return False
    return all(map(_is_number, sample)) and sample[0] > 0


def _maps_names(select: object) -> bool:
    return isinstance(select, Mapping) and all(isinstance(name, str) for name in select)


@dataclass
class Chosen:
    """Whether cases are those that ``select`` means; it notes what it met, for who gets none."""

    select: Select | None
    _met: dict[str, dict[str, None]] = field(default_factory=dict)
    _names: dict[str, None] = field(default_factory=dict)

    def __call__(self, case: Case, where: str) -> bool:
        """Whether ``case``, which stands at ``where``, is meant."""
        if self.select is None:
            return True
        if isinstance(self.select, Mapping):
            holds = [self._holds(case, *each) for each in self.select.items()]  # noting all of it
            return all(holds)
        try:
            return bool(self.select(case))
        except EvalError:
            raise
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            raise UsageError(f"select raised {told} for the case at {where}") from error

    def _holds(self, case: Case, name: str, wanted: object) -> bool:
        self._names.update(dict.fromkeys(case.metadata or ()))
        values = _each(_value(case, name))
        for value in values:
            if len(met := self._met.setdefault(name, {})) <= _SHOWN:
                met[repr(value)] = None
        wants = (None,) if wanted is None else _each(wanted)
        return any(
            any(same(want, value) for value in values) or (want is None and not values)
            for want in wants
        )

    @property
    def unmet(self) -> list[str]:
        """The names to select by that no case had so far, and no case is bound to have."""
        names = self.select if isinstance(self.select, Mapping) else ()
        met = self._met.keys() | self._names.keys()
        free = [name for name in names if name not in Case.model_fields and name not in ALIASES]
        return [name for name in free if met.isdisjoint((name, name.removeprefix("metadata.")))]

    def none_of(self, count: int) -> UsageError:
        """What is told where none of ``count`` cases is meant."""
        if not isinstance(self.select, Mapping):
            return UsageError(f"select selects none of {count} cases")
        for name in self.select:
            if name not in self._met and (name in self.unmet or self.select[name] is not None):
                known = [*Case.model_fields, *self._names]
                advice = "" if name in known else closest(name, known)
                return UsageError(f"select: none of {count} cases has {name!r}{advice}")
        told = []
        for name in self.select:
            values = [*self._met[name]]
            more = ", …" if len(values) > _SHOWN else ""
            told.append(f"{name!r} is {', '.join(values[:_SHOWN])}{more}")
        return UsageError(
            f"select={self.select!r} selects none of {count} cases; {'; '.join(told)}"
        )


def _value(case: Case, name: str) -> object:
    """What ``case`` holds under ``name``: a field, a name in its metadata, or a path there."""
    if name in Case.model_fields:
        return getattr(case, name)
    value: Any = case.metadata or {}
    if name in value:
        return value[name]
    if name in ALIASES:
        return getattr(case, ALIASES[name])
    for part in name.removeprefix("metadata.").split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _each(value: object) -> tuple[object, ...]:
    """The values that ``value`` offers: those of a list, else itself; none where it is absent."""
    if value is None:
        return ()
    if isinstance(value, list | tuple | set | frozenset | range):
        return tuple(value)
    return (value,)
