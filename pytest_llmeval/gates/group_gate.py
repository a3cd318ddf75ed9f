"""Gates on groups of tests, decided: how many have to pass, and which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from ..records.tests import Group, TestRow
from ..results import Outcome
from .attended import Attended, Unknown
from .case_values import CaseValues, Valued
from .gate import GateResult, GateState
from .group import NamedGroup
from .group_members import closest_name, closest_tag, is_called, members
from .told import told_missing, told_share

Came = Literal["passed", "failed", "error", "otherwise", "not_run", "unselected", "idle", "nothing"]
"""What a test counts as in its group: error where a check of it got no verdict, otherwise where it
failed by something else than a check, idle where it passed with nothing to judge, nothing where it
made no check at all."""

_WITHOUT = {"skipped": "skipped", "xfailed": "xfailed"}
"""What keeps a test that is fine from having a result, by its state."""


def decide_groups(attended: Attended, named: Iterable[NamedGroup] = ()) -> list[GateResult]:
    """What each group comes to: those that tests are in, and those ``named`` by settings."""
    named = [*named]
    tags = {each.group: each.tags for each in named}
    found = members(attended.tests, named)
    by_name = sorted(found.items(), key=lambda each: (each[0].name, each[0].min_pass_rate))
    return [_decide(group, tests, attended, tags.get(group, ())) for group, tests in by_name]


def name_of(group: Group) -> str:
    """What the gate of ``group`` is called."""
    return f"{group.name} min_pass_rate={group.min_pass_rate:g}"


def _decide(
    group: Group, tests: Sequence[TestRow], attended: Attended, tags: Sequence[str]
) -> GateResult:
    """A group is held or broken as a rule is; a test that must pass and failed breaks it."""
    came = [_came(test, attended) for test in tests]
    needed = {
        name: [what for test, what in zip(tests, came, strict=True) if is_called(test, name)]
        for name in group.must_pass
    }
    kinds: tuple[Came, ...] = ("error", "otherwise", "not_run", "unselected")
    unknown = Unknown(*map(came.count, kinds))
    values, wanted = _values(tests, came), _values(tests, came, unselected=False)
    name = name_of(group)
    lost = [each for each, what in needed.items() if "failed" in what]
    absent = [each for each, what in needed.items() if not what]
    open_ones = bool(attended.named or attended.uncollected or absent)
    state = _state(group, values, needed.values(), open_ones)
    told = [*_told(values, came.count("passed"))]
    told += [f"must pass and failed: {', '.join(lost)}"] if lost else []
    if state is not GateState.NOT_DECIDED:
        return GateResult(name, state, ", ".join([*told, *_told_missing(unknown)]))
    hints = "".join(closest_tag(each, attended.tests) for each in tags)
    told += [] if tests else [f"no test is in it{hints}"]
    # Where single tests were named, that which must pass may just be another one.
    hinted = [f"{each}{'' if attended.named else closest_name(each, tests)}" for each in absent]
    told += [f"must pass and is in no test: {', '.join(hinted)}"] if absent and tests else []
    without = [each for each, what in needed.items() if what and not _are_sure(what)]
    told += [f"must pass and has no pass: {', '.join(without)}"] if without else []
    says = ", ".join([*told, *_told_missing(unknown, attended)]) or _told_nothing(tests, came)
    run = [[each for each in what if each != "unselected"] for what in needed.values()]
    otherwise = _state(group, wanted, run, False)
    chosen = bool(attended.named or unknown.unselected) and not attended.uncollected
    chosen &= attended.named or not absent
    chosen &= otherwise is not GateState.NOT_DECIDED or not wanted.cases
    return GateResult(name, state, says, "selection" if chosen else "missing")


_VALUES: dict[Came, float | None] = {
    "passed": 1.0,
    "failed": 0.0,
    **dict.fromkeys(("error", "otherwise", "not_run", "unselected")),
}
"""What a test brings to the rate of its group; None is missing, what is not here brings nothing."""


def _values(tests: Sequence[TestRow], came: Sequence[Came], unselected: bool = True) -> CaseValues:
    """What ``tests`` bring, without those that the user left out unless ``unselected``."""
    return CaseValues.of(
        Valued(test.test, None, _VALUES[what], test.weighed, test.trial is not None)
        for test, what in zip(tests, came, strict=True)
        if what in _VALUES and (unselected or what != "unselected")
    )


def _told(values: CaseValues, passed: int) -> Iterable[str]:
    """How many of the tests passed that came to something, and the rate where it is not that."""
    if values.judged:
        yield f"{passed}/{values.judged} passed"
    if (rate := values.mean()) is not None and values.tried:
        yield f"{told_share(rate)} by cases"


def _state(
    group: Group, values: CaseValues, needed: Iterable[Sequence[Came]], open_ones: bool
) -> GateState:
    """``open_ones`` tells that tests of the group are missing and nobody knows how many."""
    needed = [*needed]
    if any("failed" in what for what in needed):
        return GateState.BROKEN
    most, least = values.mean(missing=1.0), values.mean(missing=0.0)
    if open_ones or most is None or least is None:
        return GateState.NOT_DECIDED
    if most < group.min_pass_rate:
        return GateState.BROKEN
    held = all(map(_are_sure, needed)) and least >= group.min_pass_rate
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
    return f"no test has a result: {told}"


def _told_missing(unknown: Unknown, attended: Attended | None = None) -> list[str]:
    return told_missing(unknown, attended, "failed outside a check")


def _came(test: TestRow, attended: Attended) -> Came:
    if test.state == "not_run":
        return "unselected" if test.unselected else "not_run"
    outcomes = {made.outcome for made in attended.made_in(test)}
    if test.state == "tolerated" or (test.state == "failed" and Outcome.FAILED in outcomes):
        return "failed"
    if test.state == "xfailed" or not attended.is_eval(test):
        return "nothing"
    if test.state in ("failed", "error", "skipped") and Outcome.ERROR in outcomes:
        return "error"  # settings may have errors reported as skipped
    if test.state in ("failed", "error"):
        return "otherwise"
    if test.state == "skipped" or not outcomes:
        return "nothing"
    return "idle" if outcomes == {Outcome.NOT_APPLICABLE} else "passed"
