"""A suite under way: its metrics asked of one case, each a check of its own, as one result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from .begun import Begun
from .data.cases import Case
from .data.conversation import as_judged
from .errors import CaseError, EvalError, UsageError
from .records.assessment import suite_row
from .results import Outcome, Result, Verdict
from .session import Session, case_in
from .suites.choosing import check_answered, chosen, nothing_asked
from .suites.result import SuiteResult, assessment_of, nothing_can_fail, suite_result
from .verdicts import Asked, always, conduct, is_asked, lacks

if TYPE_CHECKING:
    from .judges.base import BaseJudge
    from .suites.suite import Suite


class SuiteCheck(Begun[SuiteResult]):
    """A suite of one case. ``asked`` are its checks in causal order.

    With ``decided`` a suite in which nothing can pass or fail is an error. ``error`` is what keeps
    it from being asked at all.
    """

    def __init__(
        self,
        session: Session,
        suite: Suite,
        case: Case | None,
        asked: Sequence[Asked],
        left_out: dict[str, str],
        decided: bool,
        error: EvalError | None = None,
    ) -> None:
        keep = session.keeping()
        future: Future[None] = Future()
        if error is None and case is not None:
            future = session.engine.submit(conduct(case, asked, suite.stop_at_first))
        else:
            future.set_result(None)
        super().__init__(future, session.wait, lambda made: keep(assessment_of(made)))
        self._suite = suite
        self._case = case
        self._case_id = session.notebook.identity(case, suite_row(suite.name))
        self._asked = asked
        self._left_out = left_out
        self._decided = decided
        self._error = error
        future.add_done_callback(self._end)

    @property
    def seconds(self) -> float:
        """How long it would have taken alone: its metrics are asked at once, or one by one."""
        each = [asked.check.seconds for asked in self._asked]
        return sum(each) if self._suite.stop_at_first else max(each, default=0.0)

    def _end(self, future: Future[None]) -> None:
        """Give up the checks that are not done, where the whole was given up."""
        for each in self._asked:
            each.verdict.cancel()

    def _made(self) -> SuiteResult:
        results = []
        left_out = dict(self._left_out)
        for each in self._asked:
            result = each.check.result()
            if each.counts(result):
                results.append(result)
            else:
                left_out[result.metric] = f"no {lacks(result.error)}"
        error = self._error or self._fault(results, left_out)
        name = self._suite.name
        judged = as_judged(self._case) if self._case is not None else None
        return suite_result(name, results, left_out, self._case_id, judged, error)

    def _fault(self, results: Sequence[Result], left_out: dict[str, str]) -> EvalError | None:
        """Why there is no answer where nothing was asked, or nothing that could decide."""
        if not results:
            return CaseError(nothing_asked(self._suite.name, self._case, left_out))
        if self._decided and all(each.outcome is Outcome.MEASURED for each in results):
            told = nothing_can_fail(self._suite.name, [each.metric for each in results])
            if left_out:
                return CaseError(f"{told}; {nothing_asked(self._suite.name, self._case, left_out)}")
            return UsageError(told)
        return None


def start_suite(
    session: Session,
    case: Case | Callable[[], Case],
    suite: Suite,
    judge: BaseJudge | str | None = None,
    decided: bool = False,
) -> SuiteCheck:
    """Begin to ask ``suite`` of ``case``, each metric at once unless it stops at the first failure.

    ``case`` may be a function that makes it. Raises ``UsageError`` for a suite that can't be;
    whatever else prevents an answer is in the result.
    """
    wanted = session.names.suites.wanted(suite)
    made: Case | None = None
    try:
        made = case_in(case)
        members, left_out = chosen(wanted, made, suite.stop_at_first)
        check_answered(made, members)
    except EvalError as error:
        return SuiteCheck(session, suite, made, (), {}, decided, error)
    asked = []
    for each in members:
        who = each.judge if each.judge is not None else judge
        asking = session.asking(session.engine.ask, partial(session.judges.of, who))
        verdict: Future[Verdict] = Future()
        counts = always if each.by_name else is_asked
        check = session.begun(each.metric, made, asking, verdict, counts, suite.name)
        asked.append(Asked(each.metric, asking, verdict, check, counts))
    return SuiteCheck(session, suite, made, asked, left_out, decided)
