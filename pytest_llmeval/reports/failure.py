"""The text of a check: its headline with both numbers, then what the verdict rests on."""

from __future__ import annotations

from ..metrics.each_turn import turns_told
from ..results import Outcome, Result
from ..text.shown import shown

EVIDENCE_SHOWN = 10
"""How many pieces of evidence a failure lists; the rest are counted."""


def check_text(result: Result) -> str:
    """The headline of ``result`` and its details, a line each, fit for any terminal."""
    details = [(name, shown(text)) for name, text in _details(result) if text.strip()]
    width = max((len(name) for name, _ in details), default=0)
    return "\n".join([headline(result), *(f"  {name:<{width}} {text}" for name, text in details)])


def headline(result: Result) -> str:
    """What was decided, against what, and by whom, on one line.

    Not whether that was heard before: a failure reads the same in every rerun and replay, so that
    whatever compares or groups failures finds it again. The summary counts what was stored.
    """
    told = turns_told(result.turn, result.parts)
    by = f"   ({result.judge})" if result.judge is not None else ""
    return f"{_decision(result)}{f' ({told})' if told else ''}{by}"


def _decision(result: Result) -> str:
    name = result.metric  # as the summary and gates call it
    if result.error is not None:
        return f"{name}: no verdict: {shown(str(result.error))}"
    if result.score is None or result.threshold is None:
        score = "" if result.score is None else f" {result.scale.show(result.score)}"
        return f"{name}{score} {str(result.outcome).replace('_', ' ')}"
    score, limit = (result.scale.show(each) for each in (result.score, result.threshold.value))
    if len(result.scale.labels) == 2:
        return (
            f"{name} is {score}, as it should be"
            if result.passed
            else f"{name} is {score}, not {limit}"
        )
    passing, failing = RELATIONS[result.threshold.bound]
    return f"{name} {score} {passing if result.passed else failing} {limit}"


RELATIONS = {
    "at_least": ("reaches", "is below"),
    "at_most": ("stays within", "is above"),
    "more_than": ("is above", "is not above"),
    "less_than": ("is below", "is not below"),
}
"""How a passing and a failing score stand to the value of a pass rule, by its bound."""


def _details(result: Result) -> list[tuple[str, str]]:
    listed, more = result.evidence[:EVIDENCE_SHOWN], result.evidence[EVIDENCE_SHOWN:]
    in_headline = f"{turns_told(result.turn, result.parts)}: "
    rows = [
        ("reason", result.reason.removeprefix(in_headline)),
        *((each.kind, f'"{each.text}"' + f" ({each.why})" * bool(each.why)) for each in listed),
        *([("", f"and {len(more)} more")] if more else []),
    ]
    return [*rows, *result.shown] if result.outcome is not Outcome.PASSED else rows
