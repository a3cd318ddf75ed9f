"""What a run is beside its baseline, as people are shown it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..text.shown import shown
from .case_name import is_made_up

if TYPE_CHECKING:
    from .comparison import BaselineComparison, ComparedCheck, FlippedCase, MetricComparison

FLIPS_SHOWN = 10
"""How many flips the summary lists; the rest are counted."""
PLACES_SHOWN = 5
"""How many checks it lists of each kind that is not compared."""


def columns(made: BaselineComparison | None) -> dict[str, str]:
    """By metric what became of it since the baseline, in a few words."""
    if made is None:
        return {}
    changed = Counter(check.metric for check in made.changed)
    return {each.metric: _column(each, changed[each.metric]) for each in made.metrics}


def _column(each: MetricComparison, changed: int) -> str:
    if each.judge_change is not None:
        return "the judge changed"
    if each.change is None:
        return "not compared"
    told = amount(each)
    if each.change == "unchanged":
        word = f"{told}, within the tolerance" if each.difference else "unchanged"
        if lost := changed + each.unknown:
            word = f"{word} in {each.n} of {each.n + lost}"
        return f"{word} (could see no drop)" if each.blind else word
    if each.change == "inconclusive":
        seen = "no drop" if each.detectable is None else _size(each.detectable, each)
        return f"{told}, inconclusive (could see {seen})"
    word = "REGRESSED" if each.change == "regressed" else "improved"
    return f"{told}, {probability(each.adjusted_p or 0.0)}  {word}"


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
    if made is None:
        return
    counts = {
        "new": len(made.new),
        "gone": len(made.gone),
        "skipped or expected to fail": len(made.left_out),
        "not applicable now": len(made.inapplicable),
        "measured otherwise": len(made.changed),
        "without a verdict or not run": sum(each.unknown for each in made.metrics),
        "deselected": sum(each.deselected for each in made.metrics),
    }
    told = [f"compared {made.compared}", *_counted(counts)]
    yield f"baseline {made.file}: {', '.join(told)}"
    yield from _flips(made.flips)
    yield from _places("new", made.new)
    yield from _places("gone", made.gone)
    yield from _places("skipped or expected to fail", made.left_out)
    yield from _places("not applicable now", made.inapplicable)
    yield from _places("measured otherwise", made.changed)
    yield from (
        f"  judge of {each.metric}: {each.judge_change}"
        for each in made.metrics
        if each.judge_change
    )


def _counted(counts: dict[str, int]) -> list[str]:
    return [f"{count} {what}" for what, count in counts.items() if count]


def _flips(flips: Sequence[FlippedCase]) -> Iterable[str]:
    if flips:
        tests = len({flip.test for flip in flips})
        of = f"{_many(len(flips), 'check')} in {_many(tests, 'test')}"
        yield f"flips, passed in the baseline and failing now: {of}"
    for flip in flips[:FLIPS_SHOWN]:
        yield f"  {_named(flip)} {flip.metric} {' → '.join(flip.told)}"
        yield f"    was  {shown(flip.reasons[0], 200)}"
        yield f"    now  {shown(flip.reasons[1], 200)}"
        if flip.same_case:
            yield "    the case is the same to the letter: the judge changed its mind"
    if len(flips) > FLIPS_SHOWN:
        yield f"  and {len(flips) - FLIPS_SHOWN} more"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _places(kind: str, places: Sequence[ComparedCheck]) -> Iterable[str]:
    for place in places[:PLACES_SHOWN]:
        yield f"  {kind}: {_named(place)} {place.metric}"
    if len(places) > PLACES_SHOWN:
        yield f"  {kind}: and {len(places) - PLACES_SHOWN} more"


def _named(check: FlippedCase | ComparedCheck) -> str:
    """Its test, with its case where that has a name and the node id does not tell it already."""
    test, case = check.test, check.case
    if case is None or f"[{case}]" in test or is_made_up(case, test, check.metric):
        return test
    return f"{test} ({shown(case, 60)})"
