"""Field names: which name in a file is which field of a case, where the user says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from .aliases import closest
from .cases import Case
from .literals import literal
from .measured import Measured

TARGETS = (*Case.model_fields, *(f"measured.{name}" for name in Measured.model_fields))
"""What a name may be said to be; None besides, which is metadata."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """What ``fields=`` says: pairs of a name in the file and the field that it is, None: metadata.

    A name may lead into objects (``outputs.answer``), also told as text, or mean a whole one
    (``outputs``), which in a flat file may be columns. What is said here holds over whatever the
    names would be taken for.
    """

    pairs: tuple[tuple[str, str | None], ...] = ()

    @classmethod
    def of(cls, given: object) -> FieldNames:
        """``fields=`` as it is given. Raises ``UsageError`` for what can't be."""
        if given is None:
            return cls()
        if not isinstance(given, Mapping):
            example = "as in {'prompt': 'query', 'gold': 'ground_truth'}"
            raise UsageError(f"fields maps names in the file to ours, {example}; got {given!r}")
        for name, field in given.items():
            if not (isinstance(name, str) and name):
                raise UsageError(f"fields: a name in the file is text; got {name!r}")
            if field is not None and field not in TARGETS:
                told = closest(str(field), Case.model_fields)
                raise UsageError(f"fields: {name!r} can't be {field!r}{told}, or None for metadata")
        deepest = sorted(given.items(), key=lambda pair: -pair[0].count("."))
        return cls(tuple(deepest))

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def of_name(self, name: str) -> str | None:
        """The field that ``name`` is said to be."""
        return dict(self.pairs).get(name)

    def taken(self, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What ``values`` hold under these names, and what else they hold."""
        told: dict[str, Any] = {}
        rest = dict(values)
        for name, _ in self.pairs:
            found, rest = _taken(rest, name)
            told.update(found)
        return told, rest

    def met(self, values: Mapping[str, Any]) -> Iterator[str]:
        """Which of these names are among ``values``."""
        return iter(self.taken(values)[0])


UNNAMED = FieldNames()
"""Of rows whose names nobody has said anything about."""


def _taken(values: dict[str, Any], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    if name in values:
        return {name: values[name]}, {each: values[each] for each in values if each != name}
    columns = [each for each in values if isinstance(each, str) and each.startswith(f"{name}.")]
    if columns:
        held = {each[len(name) + 1 :]: values[each] for each in columns}
        return {name: held}, {each: values[each] for each in values if each not in columns}
    outer, dot, inner = name.partition(".")
    within: Any = values.get(outer) if dot else None
    if isinstance(within, str) and within.lstrip()[:1] == "{":
        within = literal(within.strip())
    if not isinstance(within, Mapping):
        return {}, values
    found, left = _taken({**within}, inner)
    if not found:
        return {}, values
    rest = {**values, outer: left} if left else {k: v for k, v in values.items() if k != outer}
    return {name: found[inner]}, rest
