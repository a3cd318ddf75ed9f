"""The gate on the baseline: whether a run is to fail for what it is worse in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from ..gates.gate import GateResult, GateState, Reason
from ..statistics.decision import Change, Decision
from ..text.plural import first_few, many
from .counterparts import Counterparts, End
from .flips import passes
from .versus import ELSEWHERE, LEFT_ASIDE, REWORDED, MetricVersus, Versus, decisions

FailOn: TypeAlias = Literal["regression", "drop", "any-flip"]
"""What breaks the gate: a drop beyond noise, any drop of a metric, any case that fails now."""

NAME = "baseline"
_NOTHING = "no check of the baseline was made"
_ENDS: tuple[End, ...] = ("worst", "best")
_GRAIN = 1e-9
"""Drops are told apart from a tolerance up to this."""


def baseline_gate(found: Versus, fail_on: FailOn) -> GateResult:
    """What the gate came to.

    It is broken if it is with all that is unknown passed, held if it is with all of that failed,
    else not decided; nor where nothing was compared, or a metric's judge changed.
    """
    told = [each.cases for each in found.metrics if each.judge_change is None]
    if fail_on != "any-flip":  # what flips a suite flips one of its metrics
        told += [each.cases for each in found.suites if each.judge_change is None]
    broken = _broken(found, told, fail_on, "best", selected_only=False)
    if broken:
        return GateResult(NAME, GateState.BROKEN, ", ".join(broken))
    open_ = _broken(found, told, fail_on, "worst", selected_only=False)
    why = [*_obstacles(found)]
    if found.compared and not why and not open_:
        return GateResult(NAME, GateState.HELD, "; ".join(_notes(found, fail_on)))
    worst, best = (_broken(found, told, fail_on, end, selected_only=True) for end in _ENDS)
    still_open = worst != best
    unmade = not found.compared and any(each.unknown for each in told)
    reason: Reason = "missing" if why or still_open or unmade else "selection"
    if open_:
        suites = {each.metric for each in found.suites}
        opened = [each for each in told if each.metric in open_]
        why.append(_unknown(opened, [each for each in opened if each.metric not in suites]))
    if not why:
        why = [_NOTHING]
    return GateResult(NAME, GateState.NOT_DECIDED, "; ".join(why), reason)


def _broken(
    found: Versus,
    metrics: list[Counterparts],
    fail_on: FailOn,
    unknown: End,
    selected_only: bool,
) -> list[str]:
    """The metrics and suites that break the gate, if trials whose outcome is ``unknown`` are taken
    so."""
    if fail_on == "any-flip":
        return [each.metric for each in metrics if _flips(each, unknown, selected_only)]
    made = found.decisions
    if any(each.is_open for each in metrics):
        made = decisions(metrics, found.tolerance, unknown, selected_only)
    broken = {
        each.comparison.metric
        for each in made
        if _breaks(each, fail_on, found.tolerance[each.comparison.metric])
    }
    if unknown == "worst":  # which nobody can tell without an end of the scale
        broken |= {each.metric for each in metrics if _is_endless(each, selected_only)}
    return [each.metric for each in metrics if each.metric in broken]


def _breaks(decision: Decision, fail_on: FailOn, allowed: float) -> bool:
    if fail_on == "drop":
        return decision.comparison.gain + allowed < -_GRAIN
    return decision.change is Change.REGRESSED


def _flips(metric: Counterparts, unknown: End, selected_only: bool) -> bool:
    return metric.outcomes and any(
        passes(each.passed_before())
        and not passes([*each.passed_now(), *([unknown == "best"] * each.open(selected_only))])
        for each in metric.cases
        if each.now or each.open(selected_only)
    )


def _is_endless(metric: Counterparts, selected_only: bool) -> bool:
    is_open = any(each.open(selected_only) for each in metric.cases)
    return is_open and metric.end("worst") is None


def blindness(found: Versus) -> str:
    """Of which metrics too little is compared for any drop to be found, in words; empty where of
    none."""
    made = found.decisions
    small = [each for each in made if each.is_small]
    told = [_smallness(small, all_=len(small) == len(made))] if small else []
    if tolerant := [each.comparison.metric for each in made if each.is_blind and not each.is_small]:
        told.append(f"not even a drop of all is for sure beyond the tolerance of {_few(tolerant)}")
    return "; ".join(told)


def _smallness(small: Sequence[Decision], all_: bool) -> str:
    """What is told of ``small`` metrics, which ``all_`` may be."""
    names = _few([each.comparison.metric for each in small])
    needed = max(each.needed for each in small)
    able = many(small[0].comparison.differences.able, "independent case")
    few, has = f"{able} that can fall, and {needed} are needed", "it has"
    if len(small) > 1:
        few, has = f"fewer than {needed} independent cases that can fall", "they have"
    if not all_:
        return f"no drop could be seen of {names}: {has} {few}"
    told = f"no drop could be seen, not even of all: {names} {has.split()[1]} {few}"
    return f"{told}; add cases, or set --llm-eval-fail-on=drop"


def _notes(found: Versus, fail_on: FailOn) -> list[str]:
    """What there is to know of a gate that is held: what it did not see, and could not."""
    notes = [*_left_aside(found), *_otherwise(found)]
    if fail_on == "regression" and (blind := blindness(found)):
        notes.append(blind)
    if fail_on == "any-flip" and (free := [*filter(_never_flips, found.metrics)]):
        notes.append(
            f"without a pass mark, so that nothing can flip: {_few([each.metric for each in free])}"
        )
    return notes


def _never_flips(each: MetricVersus) -> bool:
    return each.decision is not None and not each.cases.outcomes


def _left_aside(found: Versus) -> Iterator[str]:
    """What of the baseline counted for nothing, in words."""
    aside = {what: getattr(found, name) for name, what in LEFT_ASIDE.items()}
    told = [f"{len(places)} {what}" for what, places in aside.items() if places]
    told += [f"{found.elsewhere} {ELSEWHERE}"] * bool(found.elsewhere)
    if told:
        yield f"not compared: {', '.join(told)}"
    named = {place.metric for places in aside.values() for place in places}
    whole = named.union(each.metric for each in found.metrics)
    whole -= {each.metric for each in found.metrics if each.decision is not None}
    if whole:
        yield f"nothing was compared of {_few(sorted(whole))}"


def _otherwise(found: Versus) -> Iterator[str]:
    """What is compared, and is not what it was, in words."""
    marks = [(each.metric, each.cases.mark_change) for each in found.metrics]
    if changed := [f"{metric}: {mark}" for metric, mark in marks if mark is not None]:
        yield f"the pass mark changed ({_few(changed)})"
    if found.reworded:
        yield f"{many(len(found.reworded), 'check')} {REWORDED} than in the baseline"


def _obstacles(found: Versus) -> list[str]:
    """Why nothing could be decided, whatever became of the cases."""
    changes = [f"{each.metric}: {each.judge_change}" for each in found.metrics if each.judge_change]
    if changes:
        return [f"the judge changed ({_few(changes)}): --llm-eval-update-baseline makes a new one"]
    if found.compared or any(each.cases.is_open for each in found.metrics):
        return []
    if found.new:
        return ["no check of this run is in the baseline: --llm-eval-update-baseline takes them in"]
    return [_NOTHING]


def _unknown(opened: list[Counterparts], metrics: list[Counterparts]) -> str:
    """How many checks of the ``metrics`` among ``opened`` would decide; without any, how many cases
    of suites."""
    counted = metrics or opened
    counts = {
        "without a verdict or not run": sum(each.unknown for each in counted),
        "deselected": sum(each.unselected for each in counted),
        "with trials missing": sum(each.partial for each in counted),
    }
    told = " and ".join(f"{count} {what}" for what, count in counts.items() if count)
    what = "checks" if metrics else "cases"
    return f"{what} that would decide: {told} ({_few([each.metric for each in opened])})"


def _few(names: Sequence[str]) -> str:
    *first, last = first_few(names, 3)
    return f"{', '.join(first)} and {last}" if first else last
