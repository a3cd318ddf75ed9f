"""What a test came to, as its group counts it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from ..records.tests import TestRow
from ..results import Outcome
from .attended import Attended

Came = Literal["passed", "failed", "error", "otherwise", "not_run", "unselected", "idle", "nothing"]
"""What a test counts as in its group: error where a check of it got no verdict, otherwise where it
failed by something else than a check, idle where it passed with nothing to judge, nothing where it
was skipped, xfailed or made no check at all."""

_WORDS: dict[Came, str] = {
    "error": "without a verdict",
    "otherwise": "failed outside a check",
    "not_run": "not run",
    "unselected": "deselected",
    "idle": "with nothing to judge",
    "nothing": "without a check",
}
_WITHOUT = {"skipped": "skipped", "xfailed": "xfailed"}
"""What keeps a test that is fine from having a result, by its state."""


def came_to(test: TestRow, attended: Attended) -> Came:
    """What ``test`` counts as."""
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


def counted(came: Iterable[tuple[TestRow, Came]]) -> str:
    """How many tests came to what: ``2 passed, 1 skipped``."""
    words = Counter(
        _WITHOUT.get(test.state, _WORDS[what]) if what == "nothing" else _WORDS.get(what, what)
        for test, what in came
    )
    return ", ".join(f"{count} {word}" for word, count in words.items())
