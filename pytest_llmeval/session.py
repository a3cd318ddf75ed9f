"""One run: its settings, its engine, and the results that its checks make."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from .checks import Asking, AskJudge, Check
from .data.cases import Case
from .data.completed import completed
from .errors import CaseTypeError, EvalError, UsageError
from .ledger import Ledger, Unclaimed
from .metrics.base import Metric
from .notebook import Notebook
from .results import Result, Verdict, total
from .scales import Threshold
from .settings import Settings

if TYPE_CHECKING:
    from .additions import Addition
    from .baselines.compared import Compared
    from .begun import Gatherer
    from .gates.gate import GateResult
    from .judges.base import BaseJudge, Question
    from .judges.committed import Verdicts
    from .judges.engine import Engine
    from .plan import Plan
    from .records.assessment import Assessment

_LOOK = 0.02
"""How often, in seconds, a test with a time limit looks whether a line is being opened."""


class Session:
    """One run of checks under frozen settings; ``workers`` processes share its concurrency.

    ``names`` are what settings and ``additions``, which plugins give, call metrics and suites;
    ``gates`` and ``groups`` are those that settings name. ``plan`` is that of the test that runs,
    the ``notebook`` has what it makes; ``watch`` waits for a future, and may show meanwhile how far
    the asking is.

    Raises ``UsageError`` for a setting that can't be: a judge, gate or group that can't be read, or
    what ``Names`` refuses.
    """

    lacking_a_judge = "no judge is set: give --llm-eval-model (the summary says more)"
    """What a check is told that needs a judge where none is set."""

    def __init__(
        self, settings: Settings, workers: int = 1, additions: Iterable[Addition] = ()
    ) -> None:
        from .extended import rules_in
        from .gates.group import groups_of
        from .judges.choice import JudgeChoice
        from .names import Names

        self.settings = settings
        self.names = Names(settings, additions)
        self.judges = JudgeChoice(settings, self.lacking_a_judge)
        self.gates = rules_in(settings, self.names.metrics, self.names.suites)
        self.groups = groups_of(settings.group) if settings.group else ()
        self.gate_results: tuple[GateResult, ...] = ()
        """What the gates came to, filled when the run ends."""
        self.verdicts = verdicts_in(settings)
        self.heard: dict[str, Mapping[str, Any]] | None = None
        """Where verdicts are recorded: what judges and the store said, until somebody takes it."""
        self.questions: dict[str, Question[Any]] | None = None
        """The same for what was asked, by key: redacted verdicts have to answer it still."""
        self.ledger = Ledger()
        self.compared: Compared | None = None
        """When the run ends: what it is beside its baseline, if it has one."""
        self._workers = workers
        self.deferring: dict[int, Gatherer] = {}
        """By thread, the deferred test whose call phase it runs."""
        self.notebook = Notebook()
        self._overhead = 0.0
        self.watch: Callable[[Future[Any]], object] = Future.exception
        self.off_the_clock: Callable[[], AbstractContextManager[object]] | None = None
        """What stops the clock that a test's time is limited by, where there is one."""
        self.plan: Plan | None = None
        self._engine: Engine | None = None
        self._opening = threading.Lock()

    @property
    def engine(self) -> Engine:
        """What asks the judges, opened at the first check."""
        with self._opening:
            if self._engine is None:
                from .judges.engine import Engine
                from .judges.store import Store

                settings = self.settings
                reading = settings.mode in ("auto", "replay")
                self._engine = Engine(
                    Store(settings.store),
                    settings.mode,
                    settings.timeout,
                    self.notebook.notice,
                    at_once=-(-settings.concurrency // self._workers),
                    verdicts=self.verdicts if reading else None,
                    heard=self.heard,
                    questions=self.questions,
                )
            return self._engine

    def start(
        self,
        case: Case | Callable[[], Case],
        metric: Metric | str,
        *,
        judge: BaseJudge | str | None = None,
        threshold: Threshold | None = None,
        options: Mapping[str, Any] | None = None,
        decided: bool = False,
    ) -> Check:
        """Begin to judge ``metric`` of ``case``, held to ``threshold`` or the one set for it.

        ``case`` may be a function that makes it, whose ``CaseError`` then counts as this check's.
        Raises ``UsageError`` for an unknown metric or option, for a threshold off the scale, and,
        if the check is to be ``decided``, where there is no threshold; whatever else prevents a
        verdict is the ``error`` of the check's result.
        """
        meant = self.names.metric(metric).with_options(options or {})
        held = meant.ruled_by(threshold, self.names.thresholds)
        if decided and held.threshold is None:
            raise UsageError(
                f"{held.measure} has no pass mark of its own: give at_least= or at_most=, or set "
                f"--llm-eval-threshold {held.measure}=VALUE"
            )
        asking = self.asking(self.engine.ask, lambda: self.judges.of(judge))
        made: Case | None = None
        try:
            made = case_in(case)
            future = self.engine.submit(held.verdict(made, asking))
        except EvalError as error:
            future = Future()
            future.set_exception(error)
        return self.begun(held, made, asking, future)

    def begun(
        self,
        metric: Metric,
        case: Case | None,
        asking: Asking,
        future: Future[Verdict],
        counts: Callable[[Result], bool] = lambda result: True,
        suite: str | None = None,
    ) -> Check:
        """The check of ``metric``, made here and now, whose verdict ``future`` brings.

        It is recorded if it ``counts``, as one of ``suite`` if that asks for it.
        """
        keep = self.keeping(suite)

        def kept(result: Result) -> None:
            if counts(result):
                keep(result)

        identity = self.notebook.identity(case, metric.row)
        return Check(metric, case, identity, asking, future, self.wait, kept)

    def keeping(self, suite: str | None = None) -> Callable[[Result | Assessment], None]:
        """What takes the result of a check that is made now, for ``suite``, once it is there."""
        return self.notebook.keeping(suite)

    def asking(self, ask: AskJudge, choose: Callable[[], BaseJudge], claims: bool = True) -> Asking:
        """A check's way to its judge under this run's settings; the arguments are ``Asking``'s."""
        return Asking(
            ask,
            choose,
            self.settings.reason_language,
            claims,
            rubrics=self.names.rubrics,
            guidelines=self.settings.guideline,
            wordnet=self.settings.wordnet,
        )

    def evaluate(self, case: Case | Callable[[], Case], metric: Metric | str, **how: Any) -> Result:
        """The result of the check that ``start`` begins."""
        return self.start(case, metric, **how).result()

    def news(self, nodeid: str, phase: str) -> dict[str, Any] | None:
        """What this ``phase`` of the test ``nodeid`` recorded, as JSON values; None for nothing.

        With it goes what was noted since the last call of this, and the judges met since.
        """
        page = self.notebook.take((nodeid, phase))
        if not (page or self.judges.has_news):
            return None
        return {
            **page.made.plain(),
            "notices": [*page.notices],
            "answers": [*page.answers],
            "judges": self.judges.news(),
        }

    def close(self) -> None:
        """Close the engine, with its connections and its store."""
        with self._opening:
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def unclaimed(self) -> Unclaimed:
        """What was asked ahead, and no check came for."""
        if self._engine is None:
            return Unclaimed()
        answers = self._engine.submit(self._engine.unclaimed()).result()
        tokens = [total((each.input_tokens, each.output_tokens)) for each in answers]
        return Unclaimed(len(answers), total(tokens), total(each.cost for each in answers))

    def take_overhead(self) -> float:
        """The seconds that checks waited for lines to be opened, since the last call of this."""
        overhead, self._overhead = self._overhead, 0.0
        return overhead

    def wait(self, future: Future[Any]) -> None:
        """Wait for ``future``; what opening lines took of that is the run's own time."""
        started = time.time()
        try:
            if self.off_the_clock is not None and not self.engine.connecting:
                self._wait_for_lines(future, self.off_the_clock)
            self.watch(future)
        finally:
            ended = time.time()
            for since, until in self.engine.connecting:
                self._overhead += max(0.0, min(until, ended) - max(since, started))

    def _wait_for_lines(
        self, future: Future[Any], off_the_clock: Callable[[], AbstractContextManager[object]]
    ) -> None:
        """Wait for ``future``, or for the first line to be open: no time of the test's own."""
        while not (future.done() or self.engine.connecting):
            if self.engine.opening:
                with off_the_clock():
                    while self.engine.opening:
                        time.sleep(_LOOK)
            wait([future], _LOOK)


def verdicts_in(settings: Settings) -> Verdicts | None:
    """The committed verdicts in the folder that ``settings`` name; None without one."""
    if settings.verdicts is None:
        return None
    from .judges.committed import Verdicts

    return Verdicts(settings.verdicts)


def case_in(given: Case | Callable[[], Case]) -> Case:
    """``given``, or what it makes, completed from its trace.

    Raises ``CaseTypeError`` unless it is a case, and ``CaseError`` for a trace that can't be read.
    """
    given = given() if callable(given) else given
    if not isinstance(given, Case):
        came = type(given).__name__
        raise CaseTypeError(f"expected a Case, got {came}: make one of it, as Case(response=…)")
    return completed(given)
