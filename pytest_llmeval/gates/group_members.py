"""Which tests are in which group, and names in groups that no test answers to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from ..records.tests import Group, TestRow
from .group import NamedGroup


def members(tests: Iterable[TestRow], named: Iterable[NamedGroup]) -> dict[Group, list[TestRow]]:
    """The tests of each group that one is in, and of each that settings have ``named``."""
    found: dict[Group, list[TestRow]] = {each.group: [] for each in named}
    for test in tests:
        for group in test.groups:
            found.setdefault(group, []).append(test)
    return found


def is_called(test: TestRow, name: str) -> bool:
    """Whether ``name`` means ``test``: its case's id, its parameters, its function or node id."""
    return name == test.nodeid or name in test.names


def called_nothing(
    tests: Sequence[TestRow], named: Sequence[NamedGroup]
) -> Mapping[str, Sequence[str]]:
    """What in the groups of a run means none of its ``tests``, by the name of the group.

    A line each, with what is closest: tags that no test has, and tests that must pass and are not
    in the group. It may well be in a file that is not collected.
    """
    told: dict[str, list[str]] = {}
    tags = {each.group: each.tags for each in named}
    for each in named:
        for tag in each.tags:
            if not any(tag in test.tags for test in tests):
                hint = closest_tag(tag, tests)
                told.setdefault(each.group.name, []).append(f"no test has the tag {tag!r}{hint}")
    for group, inside in members(tests, named).items():
        for name in group.must_pass:
            if not any(is_called(test, name) for test in inside):
                hint = outside(name, tests, tags.get(group, ())) or closest_name(name, inside)
                line = f"must_pass {name!r} is in no test of it{hint}"
                told.setdefault(group.name, []).append(line)
    return told


def outside(name: str, tests: Iterable[TestRow], tags: Sequence[str]) -> str:
    """Which of ``tests`` has the ``name`` that none of a group has, and what would put it there.

    That is one of ``tags``, or for a group without them its marker. "" where none is called so.
    """
    for test in tests:
        if is_called(test, name):
            other = (
                f"has no tag {' or '.join(map(repr, tags))}" if tags else "is not under its marker"
            )
            return f" ({test.nodeid} {other}, which would put it there)"
    return ""


def closest_tag(tag: str, tests: Iterable[TestRow]) -> str:
    """`` (did you mean 'returns'?)`` for the tag of ``tests`` next to ``tag``; "" for none."""
    return _closest(tag, (each for test in tests for each in test.tags))


def closest_name(name: str, tests: Iterable[TestRow]) -> str:
    """As ``closest_tag``, for what ``tests`` are called; a class of them is no name."""
    tests = [*tests]
    if any(name in test.nodeid.partition("[")[0].split("::")[1:-1] for test in tests):
        return " (a class can't be named; name its tests)"
    return _closest(name, (each for test in tests for each in test.names))


def _closest(name: str, known: Iterable[str]) -> str:
    by_lower = {each.lower(): each for each in known}
    near = get_close_matches(name.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""
