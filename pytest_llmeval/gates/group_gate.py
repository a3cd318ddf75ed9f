"""Gates on groups of tests, decided: how many have to pass, and which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from ..records import Group, TestRow
from ..results import Outcome
from .attended import Attended, Unknown
from .gate import GateResult, GateState
from .told import told_missing

Came = Literal["passed", "failed", "error", "not_run", "unselected", "idle", "nothing"]
"""What a test counts as in its group: idle where it passed with nothing to judge, nothing where it
made no check at all."""

_WITHOUT = {"skipped": "skipped", "xfailed": "xfailed"}
"""What keeps a test that is fine from having a result, by its state."""


def decide_groups(attended: Attended, named: Iterable[Group] = ()) -> list[GateResult]:
    """What each group comes to: those that tests are in, and those ``named`` by settings."""
    members: dict[Group, list[TestRow]] = {group: [] for group in named}
    for test in attended.tests:
        for group in test.groups:
            members.setdefault(group, []).append(test)
    by_name = sorted(members.items(), key=lambda each: (each[0].name, each[0].min_pass_rate))
    return [_decide(group, tests, attended) for group, tests in by_name]


def name_of(group: Group) -> str:
    """What the gate of ``group`` is called."""
    return f"{group.name} min_pass_rate={group.min_pass_rate:g}"


def _decide(group: Group, tests: Sequence[TestRow], attended: Attended) -> GateResult:
    """A group is held or broken as a rule is; a test that must pass and failed breaks it."""
    came = [_came(test, attended) for test in tests]
    needed = {
        name: [what for test, what in zip(tests, came, strict=True) if is_called(test, name)]
        for name in group.must_pass
    }
    unknown = Unknown(came.count("error"), came.count("not_run"), came.count("unselected"))
    passed, failed = came.count("passed"), came.count("failed")
    name = name_of(group)
    lost = [each for each, what in needed.items() if "failed" in what]
    absent = [each for each, what in needed.items() if not what]
    open_ones = bool(attended.named or attended.uncollected or absent)
    state = _state(group, passed, failed, unknown.total, needed.values(), open_ones)
    told = [f"{passed}/{passed + failed} passed"] if passed + failed else []
    told += [f"must pass and failed: {', '.join(lost)}"] if lost else []
    if state is not GateState.NOT_DECIDED:
        return GateResult(name, state, ", ".join([*told, *told_missing(unknown)]))
    told += [f"must pass and is in no test: {', '.join(absent)}"] if absent else []
    without = [each for each, what in needed.items() if what and not _are_sure(what)]
    told += [f"must pass and has no pass: {', '.join(without)}"] if without else []
    says = ", ".join([*told, *told_missing(unknown, attended)]) or _told_nothing(tests, came)
    run = [[each for each in what if each != "unselected"] for what in needed.values()]
    otherwise = _state(group, passed, failed, unknown.unwanted, run, False)
    chosen = bool(attended.named or unknown.unselected) and not attended.uncollected
    chosen &= attended.named or not absent
    chosen &= otherwise is not GateState.NOT_DECIDED or not (passed + failed + unknown.unwanted)
    return GateResult(name, state, says, "selection" if chosen else "missing")


def _state(
    group: Group,
    passed: int,
    failed: int,
    unknown: int,
    needed: Iterable[Sequence[Came]],
    open_ones: bool,
) -> GateState:
    """``open_ones`` tells that tests of the group are missing and nobody knows how many."""
    needed = [*needed]
    if any("failed" in what for what in needed):
        return GateState.BROKEN
    count = passed + failed + unknown
    if open_ones or not count:
        return GateState.NOT_DECIDED
    if (passed + unknown) / count < group.min_pass_rate:
        return GateState.BROKEN
    sure = all(map(_are_sure, needed))
    held = sure and passed / count >= group.min_pass_rate
    return GateState.HELD if held else GateState.NOT_DECIDED


def _are_sure(came: Sequence[Came]) -> bool:
    """Whether all of the tests that a name means passed."""
    return all(each in ("passed", "idle") for each in came)


def _told_nothing(tests: Sequence[TestRow], came: Sequence[Came]) -> str:
    """Why there is no result, though no test failed to give one."""
    counts = Counter(
        "with nothing to judge" if what == "idle" else _WITHOUT.get(test.state, "without a check")
        for test, what in zip(tests, came, strict=True)
    )
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    return f"no test has a result: {told}" if told else "no test is in it"


def is_called(test: TestRow, name: str) -> bool:
    """Whether ``name`` means ``test``: its case's id, its parameters, its function or node id."""
    return name == test.nodeid or name in test.names


def _came(test: TestRow, attended: Attended) -> Came:
    if test.state == "not_run":
        return "unselected" if test.unselected else "not_run"
    outcomes = {made.outcome for made in attended.made_in(test)}
    if test.state == "tolerated" or (test.state == "failed" and Outcome.FAILED in outcomes):
        return "failed"
    if test.state in ("failed", "error"):
        return "error"
    if test.state == "xfailed":
        return "nothing"
    if test.state == "skipped":  # also where settings have errors reported so
        return "error" if Outcome.ERROR in outcomes else "nothing"
    if not outcomes:
        return "nothing"
    return "idle" if outcomes == {Outcome.NOT_APPLICABLE} else "passed"
