"""A check under way: one metric asked of one case, on its way to a result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any

from .begun import Begun
from .data.conversation import as_judged
from .data.turns import turns_of
from .errors import EvalError, JudgeError
from .judges.base import BaseJudge, Question, ReplyT, Said
from .metrics.base import Metric
from .metrics.rubrics import AS_BUILT_IN, Rubrics
from .results import Outcome, Result, Usage, Verdict, added, total
from .scales import Threshold

if TYPE_CHECKING:
    from pathlib import Path

    from .data.cases import Case
    from .judges.heard import Answer

AskJudge = Callable[[BaseJudge, Question[Any]], Awaitable["Answer[Any]"]]
"""What puts a question to a judge."""

ENDED = "the run ended before the verdict was there"


class Asking:
    """One check's way to its judge; it adds up what the answers took.

    ``ask`` puts a question to a judge, ``choose`` says to which: it is called when a judge is
    first needed, since a check that asks nothing needs none. What a judge said without a verdict
    counts for the check that ``claims`` it.
    """

    def __init__(
        self,
        ask: AskJudge,
        choose: Callable[[], BaseJudge],
        reason_language: str,
        claims: bool = True,
        rubrics: Rubrics = AS_BUILT_IN,
        guidelines: tuple[str, ...] = (),
        wordnet: Path | None = None,
    ) -> None:
        self._claims = claims
        self._in_vain: list[Said] = []
        self._ask = ask
        self._choose = choose
        self._judge: BaseJudge | None = None
        self._answers: list[Answer[Any]] = []
        self._lost = 0.0
        self._prompts: dict[str, None] = {}
        self.reason_language = reason_language
        self.rubrics = rubrics
        self.guidelines = guidelines
        self.wordnet = wordnet

    @property
    def judge(self) -> BaseJudge:
        """Who is asked. Raises ``NoJudge`` where none is set."""
        if self._judge is None:
            self._judge = self._choose()
        return self._judge

    async def __call__(self, question: Question[ReplyT]) -> ReplyT:
        if question.rubric:
            self._prompts[question.rubric] = None
        started = time.perf_counter()
        try:
            answer = await self._ask(self.judge, question)
        except EvalError as error:
            self._lost += time.perf_counter() - started
            if self._claims and isinstance(error, JudgeError):
                self._in_vain += error.spent
                error.spent = ()
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise EvalError(ENDED) from None  # the flight was cancelled, and not who waits for it
        self._answers.append(answer)
        reply: ReplyT = answer.reply
        return reply

    def refusing(self) -> Asking:
        """The same way with nobody at its end: what asks on it gets an ``EvalError``."""

        async def refused(judge: BaseJudge, question: Question[Any]) -> Answer[Any]:
            raise EvalError("nothing is asked here")

        return Asking(
            refused,
            self._choose,
            self.reason_language,
            False,
            self.rubrics,
            self.guidelines,
            self.wordnet,
        )

    @property
    def seconds(self) -> float:
        """How long judges were asked, one after the other, and not for what had been heard."""
        return self._lost + sum(answer.took for answer in self._answers if answer.asked)

    def result(
        self,
        metric: Metric,
        case: Case | None,
        case_id: str,
        verdict: Verdict | None = None,
        error: EvalError | None = None,
    ) -> Result:
        """The result of ``metric`` on ``case``: its verdict, or the error in its place."""
        given = verdict or Verdict(None, "")
        return Result(
            metric=metric.row,
            outcome=Outcome.ERROR if error else outcome_of(given, metric.threshold),
            scale=metric.scale,
            per_document=metric.per_document,
            threshold=metric.threshold,
            graded=given.score,
            reason=given.reason,
            evidence=given.evidence,
            parts=error.parts if error else given.parts,
            turn=given.turn,
            blank=given.blank,
            error=error,
            judge=self._judge.name if self._judge else None,
            is_llm=self._judge is not None and self._judge.is_llm,
            resolved_model=self._answers[-1].resolved_model if self._answers else None,
            usage=self._usage(),
            keys=tuple(answer.key for answer in self._answers if answer.key is not None),
            prompts=tuple(self._prompts),
            case_id=case_id,
            case=as_judged(case) if case else None,
            shown=_shown(case, metric, given.turn) if case else (),
        )

    def _usage(self) -> Usage:
        every: list[Answer[Any] | Said] = [*self._answers, *self._in_vain]
        asked: list[Answer[Any] | Said] = [
            *(answer for answer in self._answers if answer.asked),
            *self._in_vain,
        ]
        return Usage(
            asked=len(asked),
            stored=len(every) - len(asked),
            input_tokens=total(each.input_tokens for each in every),
            output_tokens=total(each.output_tokens for each in every),
            cost=total(each.cost for each in every),
            seconds=added(each.seconds for each in every),
            spent_tokens=total(
                part for each in asked for part in (each.input_tokens, each.output_tokens)
            ),
            spent_cost=total(each.cost for each in asked),
        )


class Check(Begun[Result]):
    """A metric of a case, whose verdict ``future`` brings."""

    def __init__(
        self,
        metric: Metric,
        case: Case | None,
        case_id: str,
        asking: Asking,
        future: Future[Verdict],
        wait: Callable[[Future[Any]], None],
        keep: Callable[[Result], None],
    ) -> None:
        super().__init__(future, wait, keep)
        self._metric = metric
        self._case = case
        self._case_id = case_id
        self._asking = asking
        self._began = time.perf_counter()
        self._ended: float | None = None
        future.add_done_callback(self._end)

    @property
    def seconds(self) -> float:
        ended = time.perf_counter() if self._ended is None else self._ended
        return min(self._asking.seconds, ended - self._began)

    def _end(self, future: Future[Verdict]) -> None:
        self._ended = time.perf_counter()

    def _made(self) -> Result:
        verdict: Verdict | None = None
        error: EvalError | None = None
        try:
            verdict = self.future.result()
        except CancelledError:
            error = EvalError(ENDED)
        except EvalError as raised:
            error = raised
        return self._asking.result(self._metric, self._case, self._case_id, verdict, error)


def outcome_of(verdict: Verdict, threshold: Threshold | None) -> Outcome:
    """What ``verdict`` comes to, held to ``threshold``."""
    if not verdict.applicable:
        return Outcome.NOT_APPLICABLE
    if threshold is None and not verdict.blank:
        return Outcome.MEASURED
    if threshold is not None and verdict.score is not None and threshold.holds(verdict.score):
        return Outcome.PASSED
    return Outcome.FAILED


def _shown(case: Case, metric: Metric, turn: int | None) -> tuple[tuple[str, str], ...]:
    held_against_truth = any("ground_truth" in need for need in metric.needs)
    whole = metric.whole_turn
    judged = turns_of(case, whole).turns[turn - 1].case if turn else as_judged(case, whole)
    pieces = (
        ("case", case.id),
        ("query", judged.query),
        ("response", judged.response),
        ("ground_truth", case.ground_truth if held_against_truth else None),
    )
    return tuple((name, text) for name, text in pieces if text is not None)
