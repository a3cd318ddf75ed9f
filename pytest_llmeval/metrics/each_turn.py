"""A verdict on each turn of a conversation: all asked for at once, and the worst one decides."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from statistics import fmean

from ..data.turns import Turn, Turns
from ..errors import CaseError, EvalError, JudgeError, MetricRefused, NoJudge, UsageError
from ..results import Evidence, Part, Verdict
from ..scales import Direction
from .parts import is_of_one_part, partly_judged

EACH_TURN = "each_turn"
"""What tells the measure that judges each turn of a conversation, in the name of its row."""


async def each_turn(
    of: Turns,
    verdict_of: Callable[[Turn], Awaitable[Verdict]],
    better: Direction,
) -> Verdict:
    """The verdict on all turns: the score is that of the worst, which passes if every one does.

    ``better`` is the direction in which scores have to go to pass. The parts are the turns
    (``turn 1``), each with its score. A turn whose response is blank is worse than any score, one
    that the metric has nothing to say about is left out of worst and mean. The evidence is that
    of every turn, the worst first.

    Where a turn got no verdict the whole is an error that keeps the others: ``CaseError`` where
    turns lack what the metric needs, ``PartlyJudged`` where the judge gave none, ``NotRecorded``
    in replay mode. What is not the fault of one turn is raised as it is.
    """
    given = await asyncio.gather(*map(verdict_of, of.turns), return_exceptions=True)
    errors = [each for each in given if isinstance(each, BaseException)]
    for error in errors:
        if len(given) == 1 or not isinstance(error, EvalError) or not _is_of_one_turn(error):
            raise error
    if errors:
        parts = [_part(number, each) for number, each in enumerate(given, 1)]
        raise _without_verdict(parts, [each for each in errors if isinstance(each, EvalError)])
    return _combined([each for each in given if isinstance(each, Verdict)], of.joined, better)


def turns_told(turn: int | None, parts: Sequence[Part]) -> str:
    """``turn 3 of 4; mean 4.25``: the worst turn and the mean, empty unless there are several."""
    if turn is None or len(parts) < 2:
        return ""
    scores = [part.score for part in parts if part.score is not None]
    return f"turn {turn} of {len(parts)}" + (f"; mean {fmean(scores):.3g}" if scores else "")


def _combined(verdicts: Sequence[Verdict], joined: int, better: Direction) -> Verdict:
    def badness(number: int) -> tuple[bool, float]:
        score = verdicts[number - 1].score
        return score is not None, (score or 0) * (1 if better == "at_least" else -1)

    judged = [number for number, each in enumerate(verdicts, 1) if each.applicable]
    ranked = sorted(judged, key=badness)
    worst = ranked[0] if ranked else 1
    parts = tuple(_part(number, each) for number, each in enumerate(verdicts, 1))
    verdict = verdicts[worst - 1]
    return replace(
        verdict,
        reason=_reason(verdict, turns_told(worst if ranked else None, parts), joined),
        evidence=tuple(piece for each in ranked for piece in _evidence(each, verdicts)),
        parts=parts,
        turn=worst if ranked else None,
    )


def _reason(verdict: Verdict, told: str, joined: int) -> str:
    reason = ": ".join(filter(None, (told, verdict.reason)))
    if not joined:
        return reason
    messages = "1 user message" if joined == 1 else f"{joined} user messages"
    return f"{reason} ({messages} without an answer: judged with the one that follows)"


def _evidence(number: int, verdicts: Sequence[Verdict]) -> Sequence[Evidence]:
    pieces = verdicts[number - 1].evidence
    if len(verdicts) == 1:
        return pieces
    turn = f"turn {number}"
    return [replace(piece, why=f"{turn}: {piece.why}" if piece.why else turn) for piece in pieces]


def _part(number: int, given: Verdict | BaseException) -> Part:
    name = f"turn {number}"
    if isinstance(given, BaseException):
        return Part(name, None, error=str(given))
    return Part(name, given.score, given.reason)


def _is_of_one_turn(error: EvalError) -> bool:
    if isinstance(error, JudgeError):
        return is_of_one_part(error)
    return not isinstance(error, UsageError | NoJudge | MetricRefused)


def _of_cases(told: str, errors: Sequence[EvalError], turns: int) -> CaseError:
    """That turns lack what is needed: what a case lacks as a whole where every turn lacks it."""
    lacking = {each.lacks if isinstance(each, CaseError) else "" for each in errors}
    if len(errors) < turns or "" in lacking:
        return CaseError(told)
    return CaseError.lacking(" or ".join(sorted(lacking)), told)


def _without_verdict(parts: Sequence[Part], errors: Sequence[EvalError]) -> EvalError:
    partly = partly_judged(parts, "turns", errors)
    if all(isinstance(each, CaseError) for each in errors):
        kept: EvalError = _of_cases(str(partly), errors, len(parts))
    elif any(is_of_one_part(each) for each in errors):
        kept = partly
    else:
        kept = EvalError(str(partly))
    kept.parts = tuple(parts)
    kept.__cause__ = errors[0]
    return kept
