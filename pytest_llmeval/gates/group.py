"""Groups as users write them: a pass rate, and which tests are held to it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from ..data.aliases import closest
from ..errors import UsageError
from ..records.tests import Group


@dataclass(frozen=True, slots=True)
class NamedGroup:
    """A group of the settings: its tests are those with one of ``tags``, without tags all."""

    group: Group
    tags: tuple[str, ...] = ()

    def takes(self, tags: Iterable[str]) -> bool:
        """Whether a test with ``tags`` is in it."""
        return not self.tags or not set(self.tags).isdisjoint(tags)


def parse_group(line: str) -> NamedGroup:
    """``support: min_pass_rate=0.9 tags=support must_pass=case-1,case-2`` as a group.

    Words are split as in a shell. Raises ``UsageError`` that names the group, for what is written
    otherwise and for a rate that can't be.
    """
    name, colon, rest = (part.strip() for part in line.partition(":"))
    try:
        if not colon or not re.fullmatch(r"[\w.-]+", name):
            raise UsageError(
                "expected NAME: min_pass_rate=RATE, then tags=TAG,… and must_pass=CASE,… if need be"
            )
        given = dict(_entry(word) for word in _words(rest))
        if "min_pass_rate" not in given:
            raise UsageError("it has no min_pass_rate=")
        return NamedGroup(
            Group(name, given["min_pass_rate"], given.get("must_pass", ())), given.get("tags", ())
        )
    except UsageError as error:
        raise UsageError(f"group {name!r}: {error}") from None


def groups_of(lines: Iterable[str]) -> tuple[NamedGroup, ...]:
    """The groups that ``lines`` of settings describe; of two with one name the later counts."""
    by_name = {each.group.name: each for each in map(parse_group, lines)}
    return tuple(by_name.values())


def rate_of(value: object) -> float:
    """``value`` as a pass rate. Raises ``UsageError`` unless it is above 0 and at most 1."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    rate = float(value) if number else 0.0  # type: ignore[arg-type]
    if not 0 < rate <= 1:
        meant = f": did you mean {rate / 100:g}?" if 1 < rate <= 100 else ""
        raise UsageError(f"min_pass_rate is above 0 and at most 1; got {value!r}{meant}")
    return rate


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{error}; quote it as in a shell") from None


def _entry(word: str) -> tuple[str, Any]:
    name, equals, text = word.partition("=")
    if name not in _FIELDS:
        raise UsageError(f"there is no {name!r}{closest(name, _FIELDS)}")
    if not equals or not text:
        raise UsageError(f"expected {name}=…; got {word!r}")
    return name, _FIELDS[name](text)


def _rate(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        raise UsageError(f"min_pass_rate is a number; got {text!r}") from None
    return rate_of(value / 100 if text.endswith("%") else value)


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


_FIELDS: dict[str, Callable[[str], Any]] = {
    "min_pass_rate": _rate,
    "tags": _list,
    "must_pass": _list,
}
