"""What a run is beside its baseline, as people are shown it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..baselines.versus import ELSEWHERE, LEFT_ASIDE, REWORDED
from ..statistics.decision import LEVEL
from ..text.plural import many
from ..text.shown import shown
from .case_name import is_made_up

if TYPE_CHECKING:
    from .comparison import BaselineComparison, ComparedCheck, FlippedCase, MetricComparison

FLIPS_SHOWN = 10
"""Of how many cases the summary lists the flips; the rest are counted."""
METRICS_SHOWN = 5
"""How many flips of one case it names; the rest are counted."""
PLACES_SHOWN = 5
"""How many checks it lists of each kind that is not compared."""
SAME_CASE = "the case is the same to the letter: the judge changed its mind"


def columns(made: BaselineComparison | None) -> dict[str, str]:
    """By metric and suite what became of it since the baseline, in a few words."""
    if made is None:
        return {}
    aside = Counter(check.metric for name in LEFT_ASIDE for check in getattr(made, name))
    return {each.metric: _column(each, aside[each.metric] + each.aside) for each in made.rows}


def _column(each: MetricComparison, aside: int) -> str:
    if each.judge_change is not None:
        return "the judge changed"
    if each.change is None:
        return "not compared"
    told, p = amount(each), each.adjusted_p or 0.0
    if each.change == "unchanged":
        word = f"{told}, within the tolerance" if each.difference else "unchanged"
        if lost := aside + each.unknown + each.deselected:
            word = f"{word} in {each.n} of {each.n + lost}"
        return f"{word} (could see no drop)" if each.blind else word
    if each.change == "inconclusive":
        if p <= LEVEL and not each.blind:
            return f"{told}, {probability(p)}, perhaps within the tolerance"
        if each.detectable is None and not each.blind:
            return f"{told}, inconclusive"
        seen = "no drop" if each.detectable is None else _size(each.detectable, each)
        return f"{told}, inconclusive (could see {seen})"
    word = "REGRESSED" if each.change == "regressed" else "improved"
    return f"{told}, {probability(p)}  {word}"


def amount(each: MetricComparison) -> str:
    """What ``each`` differs by: in points of a rate, or on the scale of the scores.

    The rate is that of what passed, or, where severities have to be low, of the defects.
    """
    difference = each.difference or 0.0
    if each.of_defects:
        difference = 0.0 - difference
    told = f"{100 * difference:+.1f} pts" if each.outcomes else f"{difference:+.2f}"
    return told.replace("-", "−")


def _size(value: float, each: MetricComparison) -> str:
    return f"{100 * value:.0f} pts" if each.outcomes else f"{value:.2g}"


def probability(p: float) -> str:
    """``p`` with as many digits as tell something."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def lines(made: BaselineComparison | None) -> Iterable[str]:
    """What is said of the baseline below the table, indented by what it belongs to; nothing
    without one."""
    if made is not None:
        yield counted(made)
        yield from _flips(made)
        yield from (f"  {each}" for each in not_compared(made))


def counted(made: BaselineComparison) -> str:
    """How many checks were compared, and how many were not, and why."""
    counts = {
        "new": len(made.new),
        **{what: len(getattr(made, name)) for name, what in LEFT_ASIDE.items()},
        "without a verdict or not run": sum(each.unknown for each in made.metrics),
        "deselected": sum(each.deselected for each in made.metrics),
        ELSEWHERE: made.elsewhere,
        "of trials beyond those set beforehand": made.extra,
    }
    told = [f"{count} {what}" for what, count in counts.items() if count]
    of_these = {
        "with trials missing": sum(each.partial for each in made.metrics if each.n),
        REWORDED: len(made.reworded),
    }
    among = ", ".join(f"{count} {what}" for what, count in of_these.items() if count)
    compared = f"compared {made.compared}" + (f" ({among})" if among else "")
    return f"baseline {made.file}: {', '.join([compared, *told])}"


def flips_counted(made: BaselineComparison) -> str:
    """How many checks flipped, and in how many tests."""
    tests = len({flip.test for flip in made.flips})
    of = f"{many(len(made.flips), 'check')} in {many(tests, 'test')}"
    return f"flips, passed in the baseline and failing now: {of}"


def flipped_cases(made: BaselineComparison) -> list[list[FlippedCase]]:
    """The flips of each case, the worst case and the worst flip of each first."""
    cases: dict[str, list[FlippedCase]] = {}
    for flip in made.flips:
        cases.setdefault(named(flip), []).append(flip)
    return [*cases.values()]


def _flips(made: BaselineComparison) -> Iterable[str]:
    if made.flips:
        yield flips_counted(made)
    cases = flipped_cases(made)
    for flips in cases[:FLIPS_SHOWN]:
        worst = flips[0]
        each = [f"{flip.metric} {' → '.join(flip.told)}" for flip in flips]
        yield f"  {named(worst)}: {', '.join(at_most(METRICS_SHOWN, each))}"
        yield f"    was  {shown(worst.reasons[0], 200)}"
        yield f"    now  {shown(worst.reasons[1], 200)}"
        if worst.same_case:
            yield f"    {SAME_CASE}"
    if (more := len(cases) - FLIPS_SHOWN) > 0:
        yield f"  and {more} more"


def not_compared(made: BaselineComparison) -> Iterable[str]:
    """Checks that were not compared, of each kind no more than are shown, and judges that are
    others now."""
    yield from _places("new", made.new)
    for name, what in LEFT_ASIDE.items():
        yield from _places(what, getattr(made, name))
    yield from _places(REWORDED, made.reworded)
    yield from (
        f"pass mark of {each.metric}, to which both runs are held: {each.mark_change}"
        for each in made.metrics
        if each.mark_change
    )
    yield from (
        f"judge of {each.metric}: {each.judge_change}" for each in made.metrics if each.judge_change
    )


def _places(kind: str, places: Sequence[ComparedCheck]) -> Iterable[str]:
    told = [f"{named(place)} {place.metric}" for place in places]
    yield from (f"{kind}: {each}" for each in at_most(PLACES_SHOWN, told))


def at_most(count: int, each: Sequence[str]) -> list[str]:
    """``each``, those beyond ``count`` of them only counted."""
    more = [f"and {len(each) - count} more"] * (len(each) > count)
    return [*each[:count], *more]


def named(check: FlippedCase | ComparedCheck) -> str:
    """Its test, with its case where that has a name and the node id does not tell it already."""
    test, case = check.test, check.case
    if case is None or f"[{case}]" in test or is_made_up(case, test, check.metric):
        return test
    return f"{test} ({shown(case, 60)})"
