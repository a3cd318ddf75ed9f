"""A baseline: what an earlier run came to, check by check, to be compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, get_args

from ..rates.aggregates import is_counted
from ..records.record import Record
from ..results import Outcome
from ..scales import COUNT, SECONDS, Bound, Threshold
from ..text.shown import shown

REASON_SHOWN = 200
"""How many characters of a reason a baseline keeps: enough to see why, short enough to review."""

DIGITS = 6
"""How many digits of a score count: the others are the arithmetic's, and differ by machine."""

DECIDED = (Outcome.PASSED, Outcome.FAILED, Outcome.MEASURED)
"""Outcomes that can be compared."""


class Place(NamedTuple):
    """Where a check stands: which of those of one metric on one case in one test, from 0.

    ``case`` is None for a case that has no identity of its own.
    """

    test: str
    case: str | None
    metric: str
    number: int


class Maker(NamedTuple):
    """How a check is judged: the metric's scale, who was asked (None: nobody), and with what.

    ``prompts`` are the rubrics that were asked, as ``Rubric.identity`` has them; ``mark`` is the
    pass rule in words, None where there was none, or nobody knows.
    """

    scale: str
    judge: str | None
    resolved_model: str | None
    prompts: tuple[str, ...]
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A check of the baseline. ``trial`` is the number of its trial, None where there was one.

    ``judged`` is the digest of the case as it was judged, ``asked`` that of what it asks and
    expects, None where that is nothing, or nobody knows; ``reason`` is the verdict's, cut;
    ``suite`` is the one that asked for it.
    """

    place: Place
    trial: int | None
    outcome: Outcome
    score: float | None
    judged: str | None
    reason: str
    maker: Maker
    asked: str | None = None
    suite: str | None = None


def placed(records: Iterable[Record]) -> Iterator[tuple[Place, int | None, Record]]:
    """``records`` with where they stand, and the trial that they are of.

    Left out are those of xfailed tests, of questions of one's own, made outside of tests, what
    tells of the machine, and extra trials: how many of these there are hangs on what they came to,
    so that two runs would differ by their rules for stopping.
    """
    met: Counter[tuple[str, str | None, str]] = Counter()
    for record in records:
        if not record.nodeid or not is_counted(record):
            continue
        case = record.case_id
        if case is not None and case.startswith(f"{record.test}:"):
            case = None  # made of the test for want of another
        number = met[record.nodeid, case, record.metric]
        met[record.nodeid, case, record.metric] += 1
        if not (record.is_extra or is_of_the_machine(record.scale, record.bound is not None)):
            yield Place(record.test, case, record.metric, number), record.trial, record


def is_of_the_machine(scale: str, marked: bool) -> bool:
    """Whether a check on ``scale`` tells of the machine and the hour: seconds or tokens, held to
    no mark, which are others in every run of the same app."""
    return not marked and scale in (SECONDS.name, COUNT.name)


def rows_of(records: Iterable[Record]) -> list[Row]:
    """What a baseline keeps of ``records``: what passed, failed or was measured."""
    return [
        Row(
            place=place,
            trial=trial,
            outcome=record.outcome,
            score=_kept_score(record),
            judged=record.judged,
            reason=shown(record.reason, REASON_SHOWN),
            maker=maker_of(record),
            asked=asked_in(record),
            suite=record.suite,
        )
        for place, trial, record in placed(records)
        if record.outcome in DECIDED
    ]


def rounded(score: float) -> float:
    """``score`` without the digits that do not count."""
    return float(f"{score:.{DIGITS}g}")


def _kept_score(record: Record) -> float | None:
    """The score, rounded where it passes or fails as it did before."""
    if record.score is None:
        return None
    kept, rule = rounded(record.score), record.rule
    return record.score if rule and rule.holds(kept) != rule.holds(record.score) else kept


def maker_of(record: Record) -> Maker:
    """How the check that ``record`` is of was judged."""
    prompts = tuple(sorted(set(record.prompts)))
    mark = mark_told(record.rule)
    return Maker(record.scale, record.judge, record.resolved_model, prompts, mark)


def asked_in(record: Record) -> str | None:
    """The digest of what the case of ``record`` asks and expects; None where that is nothing."""
    both = record.question, record.expectations
    return sha256(f"{both}".encode()).hexdigest()[:12] if any(both) else None


def mark_told(rule: Threshold | None) -> str | None:
    """``rule`` in words: "at least 4"."""
    return None if rule is None else f"{rule.bound.replace('_', ' ')} {rule.value:.{DIGITS}g}"


def mark_in(told: str) -> Threshold | None:
    """The pass rule that ``mark_told`` told so, to its digits; None where it told no such thing."""
    words, _, number = told.rpartition(" ")
    bound = next((each for each in get_args(Bound) if words == each.replace("_", " ")), None)
    with suppress(ValueError):
        return None if bound is None else Threshold(bound, float(number))
    return None


def change_of_judge(before: Maker, now: Maker) -> str | None:
    """What makes ``now`` another judge than ``before``, in a few words; None where it is the same.

    A model that the provider did not name may be any; and where nobody was asked, as about a blank
    response, nobody changed. Of two sets of prompts the ones of one name have to be the same, since
    what is asked may depend on the answers.
    """
    if before.judge is None or now.judge is None:
        return None
    if before.judge != now.judge:
        return f"{before.judge} → {now.judge}"
    models = before.resolved_model, now.resolved_model
    if None not in models and models[0] != models[1]:
        return f"{models[0]} → {models[1]}"
    old, new = _by_name(before.prompts), _by_name(now.prompts)
    other = sorted(name for name in old.keys() & new.keys() if old[name] != new[name])
    if not other and old and new and not old.keys() & new.keys():
        other = sorted(new)
    return f"prompt {', '.join(other)}" if other else None


def _by_name(prompts: Iterable[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for prompt in prompts:
        name, _, _ = prompt.partition("@")
        found.setdefault(name.removesuffix("+"), set()).add(prompt)
    return found
