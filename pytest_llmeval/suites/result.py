"""What a suite comes to on a case: whether it is good, and if not, what to mend first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import EvalError, NoJudge, UsageError
from ..records.assessment import Assessment
from ..records.record import told_of
from ..results import Outcome, Result
from .fixes import fix_for

if TYPE_CHECKING:
    from ..data.cases import Case


@dataclass(frozen=True, slots=True)
class SuiteResult:
    """The metrics of a suite on one case, in causal order.

    ``results`` has each metric that was asked by its row; ``failed`` and ``errors`` are the rows
    of those that failed or got no verdict; ``left_out`` the rows that were not asked, each with
    why. ``outcome`` is failed where one failed, else error where one got no verdict, else passed
    where one passed, else not applicable where nothing was to be judged, else measured: what has
    no mark is in neither.

    ``root_cause`` is the row of the first failing metric, None without one, and ``fix`` what to do
    about it; ``uncertain`` are the rows before it that got no verdict and may be the cause instead.
    ``error`` is what kept the outcome from being known, where that is error.
    """

    suite: str
    outcome: Outcome
    results: Mapping[str, Result]
    left_out: Mapping[str, str]
    error: EvalError | None = None
    case_id: str | None = None
    case: Case | None = field(default=None, repr=False)

    @property
    def passed(self) -> bool:
        """Whether no metric failed; raises the error where an error keeps that from being known.

        Raises ``UsageError`` where all was only measured, since it would be True for any case.
        """
        if self.error is not None:
            raise self.error.with_traceback(None)
        if self.outcome is Outcome.MEASURED:
            raise UsageError(nothing_can_fail(self.suite, [*self.results]))
        return self.outcome is not Outcome.FAILED

    @property
    def failed(self) -> tuple[str, ...]:
        """The rows of the metrics that failed."""
        return self._of(Outcome.FAILED)

    @property
    def errors(self) -> tuple[str, ...]:
        """The rows of the metrics that got no verdict."""
        return self._of(Outcome.ERROR)

    @property
    def root_cause(self) -> str | None:
        """The row of the first failing metric in causal order."""
        return next(iter(self.failed), None)

    @property
    def fix(self) -> str | None:
        """What to do about the root cause, in a sentence or two."""
        return None if self.root_cause is None else fix_for(self.results[self.root_cause])

    @property
    def uncertain(self) -> tuple[str, ...]:
        """The rows before the root cause that got no verdict."""
        if self.root_cause is None:
            return ()
        rows = [*self.results]
        before = rows[: rows.index(self.root_cause)]
        return tuple(row for row in self.errors if row in before)

    @property
    def decided(self) -> int:
        """How many metrics passed, failed or got no verdict."""
        counted = (Outcome.PASSED, Outcome.FAILED, Outcome.ERROR)
        return sum(1 for each in self.results.values() if each.outcome in counted)

    @property
    def faults(self) -> tuple[EvalError, ...]:
        """What kept each metric without a verdict from one, or the suite as a whole."""
        own = tuple(each.error for each in self.results.values() if each.error is not None)
        return own or (() if self.error is None else (self.error,))

    def _of(self, outcome: Outcome) -> tuple[str, ...]:
        return tuple(row for row, each in self.results.items() if each.outcome is outcome)

    def __str__(self) -> str:
        """What was decided, the root cause, what to do, and all the rest, as a failure tells it."""
        from ..reports.quality import suite_text  # it stands above suites, and is there when shown

        return suite_text(self)

    def __bool__(self) -> bool:
        raise TypeError("a SuiteResult is neither true nor false: ask its .passed or its .outcome")


def nothing_can_fail(suite: str, rows: Sequence[str]) -> str:
    """That the ``suite`` only measured ``rows``, and what to do."""
    told = f"suite {suite!r} only measured {', '.join(rows)}, and nothing in it can fail"
    return f"{told}: give one a mark, as {rows[0]} >= VALUE"


def suite_result(
    suite: str,
    results: Sequence[Result],
    left_out: Mapping[str, str],
    case_id: str,
    case: Case | None,
    error: EvalError | None = None,
) -> SuiteResult:
    """What ``results``, in causal order, come to; ``error`` is one of the suite as a whole."""
    outcome = Outcome.ERROR if error else _outcome(results)
    if outcome is Outcome.ERROR and error is None:
        every = [each.error for each in results if each.error is not None]
        error = next((each for each in every if isinstance(each, NoJudge)), every[0])
    by_row = {each.metric: each for each in results}
    return SuiteResult(suite, outcome, by_row, dict(left_out), error, case_id, case)


def _outcome(results: Sequence[Result]) -> Outcome:
    found = {each.outcome for each in results}
    order = (Outcome.FAILED, Outcome.ERROR, Outcome.PASSED, Outcome.NOT_APPLICABLE)
    return next((outcome for outcome in order if outcome in found), Outcome.MEASURED)


def assessment_of(made: SuiteResult) -> Assessment:
    """What the run keeps of ``made``."""
    return Assessment(
        suite=made.suite,
        outcome=made.outcome,
        root_cause=made.root_cause,
        fix=made.fix,
        failed=made.failed,
        errors=made.errors,
        left_out=tuple(made.left_out.items()),
        case_id=made.case_id,
        judged=made.case.digest if made.case is not None and made.results else None,
        uncertain=made.uncertain,
        message=told_of(made.error),
        question=None if made.case is None else made.case.question,
    )
