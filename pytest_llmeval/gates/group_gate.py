"""Gates on groups of tests, decided: how many have to pass, and which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..rates.case_values import CaseValues, Valued
from ..records.tests import Group, TestRow
from .attended import Attended, Unknown
from .came import Came, came_to, counted
from .gate import GateResult, GateState, Reason
from .group import NamedGroup
from .group_members import closest_name, closest_tag, members, outside
from .must_pass import Needed, told_needed
from .told import told_missing, told_share

Members = Sequence[tuple[TestRow, Came]]


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
    inside = [(test, came_to(test, attended)) for test in tests]
    needed = [Needed.of(name, inside) for name in group.must_pass]
    values = _values(inside)
    state = _state(group, values, needed, bool(attended.named or attended.uncollected))
    told = [*_told(group, values, inside)]
    if not tests:
        lacking = " or ".join(f"{each!r}{closest_tag(each, attended.tests)}" for each in tags)
        told.append(f"no test is in it{f': none has the tag {lacking}' if tags else ''}")
    elif state is not GateState.HELD:
        told += told_needed(needed, lambda name: _astray(name, tests, attended, tags))
    kinds: tuple[Came, ...] = ("error", "otherwise", "not_run", "unselected")
    came = [what for _, what in inside]
    unknown = Unknown(*map(came.count, kinds))
    is_open = state is GateState.NOT_DECIDED
    told += told_missing(unknown, attended if is_open else None, "failed outside a check")
    reason: Reason = "selection" if _is_chosen(group, inside, needed, attended) else "missing"
    return GateResult(name_of(group), state, ", ".join(told), reason if is_open else "")


def _astray(name: str, tests: Sequence[TestRow], attended: Attended, tags: Sequence[str]) -> str:
    """What is known of a ``name`` in ``must_pass`` that none of ``tests`` answers to."""
    # Where single tests were named, it may just be another one.
    guess = "" if attended.named else closest_name(name, tests)
    return outside(name, attended.tests, tags) or guess


def _is_chosen(group: Group, inside: Members, needed: Sequence[Needed], attended: Attended) -> bool:
    """Whether the group is not decided for what the user left out, and for no other reason."""
    if attended.uncollected or not (
        attended.named or any(what == "unselected" for _, what in inside)
    ):
        return False
    if not attended.named and not all(each.came for each in needed):
        return False
    wanted = _values([each for each in inside if each[1] != "unselected"])
    as_if = [each.as_if_selected() for each in needed if each.came]
    return not wanted.cases or _state(group, wanted, as_if, False) is not GateState.NOT_DECIDED


_VALUES: dict[Came, float | None] = {
    "passed": 1.0,
    "failed": 0.0,
    **dict.fromkeys(("error", "otherwise", "not_run", "unselected")),
}
"""What a test brings to the rate of its group; None is missing, what is not here brings nothing."""


def _values(inside: Members) -> CaseValues:
    """What the tests that are ``inside`` bring."""
    return CaseValues.of(
        Valued(test.test, None, _VALUES[what], test.weighed, test.trial is not None)
        for test, what in inside
        if what in _VALUES
    )


def _told(group: Group, values: CaseValues, inside: Members) -> Iterable[str]:
    """How many of the tests passed that came to something, and the rate where it is not that."""
    if values.judged:
        yield f"{sum(what == 'passed' for _, what in inside)}/{values.judged} passed"
    elif inside and not values.missing:
        yield f"no test has a result: {counted(inside)}"
    if (rate := values.mean()) is not None and values.tried:
        yield f"{told_share(rate, group.min_pass_rate)} by cases"


def _state(
    group: Group, values: CaseValues, needed: Sequence[Needed], open_ones: bool
) -> GateState:
    """``open_ones`` tells that tests of the group are missing and nobody knows how many."""
    if any(each.failed for each in needed):
        return GateState.BROKEN
    most, least = values.mean(missing=1.0), values.mean(missing=0.0)
    if open_ones or most is None or least is None:
        return GateState.NOT_DECIDED
    if most < group.min_pass_rate:
        return GateState.BROKEN
    held = all(each.sure for each in needed) and least >= group.min_pass_rate
    return GateState.HELD if held else GateState.NOT_DECIDED
