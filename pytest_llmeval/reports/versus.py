"""What a run is beside its baseline, as the summary shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..gates.baseline import Place
from ..gates.compared import Compared
from ..gates.decision import Change, Decision
from ..gates.flips import Flip
from ..gates.versus import MetricVersus
from ..text.shown import shown

FLIPS_SHOWN = 10
"""How many flips the summary lists; the rest are counted."""
PLACES_SHOWN = 5
"""How many checks it lists of each kind that is not compared."""


def columns(compared: Compared | None) -> dict[str, str]:
    """By metric what became of it since the baseline, in a few words."""
    found = () if compared is None else compared.found.metrics
    return {each.metric: _column(each) for each in found}


def _column(each: MetricVersus) -> str:
    if each.judge_change is not None:
        return "the judge changed"
    if each.decision is None:
        return "not compared"
    decision, told = each.decision, amount(each.decision)
    if decision.change is Change.UNCHANGED:
        word = f"{told}, within the tolerance" if decision.comparison.difference else "unchanged"
        if lost := len(each.cases.changed) + each.cases.unknown:
            of = decision.comparison.n
            word = f"{word} in {of} of {of + lost}"
        return f"{word} (could see no drop)" if decision.is_blind else word
    if decision.change is Change.INCONCLUSIVE:
        least = decision.detectable
        seen = "no drop" if least is None else _size(least, decision)
        return f"{told}, inconclusive (could see {seen})"
    word = "REGRESSED" if decision.change is Change.REGRESSED else "improved"
    return f"{told}, {probability(decision.adjusted_p)}  {word}"


def amount(decision: Decision) -> str:
    """The difference of ``decision``: in points of a rate, or on the scale of the scores."""
    difference = decision.comparison.difference or 0.0
    if decision.comparison.outcomes:
        return f"{100 * difference:+.1f} pts".replace("-", "−")
    return f"{difference:+.2f}".replace("-", "−")


def _size(value: float, decision: Decision) -> str:
    return f"{100 * value:.0f} pts" if decision.comparison.outcomes else f"{value:.2g}"


def probability(p: float) -> str:
    """``p`` with as many digits as tell something."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def lines(compared: Compared | None) -> Iterable[str]:
    """What the summary says of the baseline below its table; nothing without one."""
    if compared is None:
        return
    found = compared.found
    unknown = sum(each.cases.unknown for each in found.metrics)
    counts = {
        "new": len(found.new),
        "gone": len(found.gone),
        "skipped or expected to fail": len(found.left_out),
        "not applicable now": len(found.inapplicable),
        "measured otherwise": len(found.changed),
        "without a verdict or not run": unknown,
        "deselected": sum(each.cases.unselected for each in found.metrics),
    }
    told = [f"compared {found.compared}", *_counted(counts)]
    yield f"baseline {compared.file}: {', '.join(told)}"
    yield from _flips(found.flips)
    yield from _places("new", found.new)
    yield from _places("gone", found.gone)
    yield from _places("skipped or expected to fail", found.left_out)
    yield from _places("not applicable now", found.inapplicable)
    yield from _places("measured otherwise", found.changed)
    yield from (
        f"  judge of {each.metric}: {each.judge_change}"
        for each in found.metrics
        if each.judge_change
    )


def _counted(counts: dict[str, int]) -> list[str]:
    return [f"{count} {what}" for what, count in counts.items() if count]


def _flips(flips: Sequence[Flip]) -> Iterable[str]:
    if flips:
        tests = len({flip.test for flip in flips})
        of = f"{_many(len(flips), 'check')} in {_many(tests, 'test')}"
        yield f"flips, passed in the baseline and failing now: {of}"
    for flip in flips[:FLIPS_SHOWN]:
        yield f"  {_named(flip.test, flip.case)} {flip.metric} {' → '.join(flip.told)}"
        yield f"    was  {shown(flip.reasons[0], 200)}"
        yield f"    now  {shown(flip.reasons[1], 200)}"
        if flip.same_case:
            yield "    the case is the same to the letter: the judge changed its mind"
    if len(flips) > FLIPS_SHOWN:
        yield f"  and {len(flips) - FLIPS_SHOWN} more"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _places(kind: str, places: Sequence[Place]) -> Iterable[str]:
    for place in places[:PLACES_SHOWN]:
        yield f"  {kind}: {_named(place.test, place.case)} {place.metric}"
    if len(places) > PLACES_SHOWN:
        yield f"  {kind}: and {len(places) - PLACES_SHOWN} more"


def _named(test: str, case: str | None) -> str:
    """``test``, with its ``case`` where the node id does not name that already."""
    return test if case is None or f"[{case}]" in test else f"{test} ({shown(case, 60)})"
