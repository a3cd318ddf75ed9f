"""One run: its settings, its engine, and the results that its checks make."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from .checks import Asking, AskJudge, Check
from .data.cases import Case
from .data.completed import completed
from .errors import CaseTypeError, EvalError, UsageError
from .ledger import NOWHERE, Ledger, Place, Unclaimed, Unreported
from .metrics.base import Metric
from .metrics.measures import measure
from .results import Result, Verdict, total
from .scales import Threshold
from .settings import Settings
from .trial import test_of

if TYPE_CHECKING:
    from .additions import Addition
    from .begun import Gatherer
    from .gates.compared import Compared
    from .gates.gate import GateResult
    from .judges.base import BaseJudge
    from .judges.committed import Verdicts
    from .judges.engine import Engine
    from .metrics.registered import Metrics
    from .plan import Plan, Planned
    from .records import Assessment
    from .trial import Trial


class Session:
    """One run of checks under frozen settings; ``workers`` processes share its concurrency.

    ``place`` is the test and the phase of it that runs, ``plan`` and ``trial`` are those of the
    test; ``watch`` waits for a future, and may show meanwhile how far the asking is.

    ``additions`` are what plugins give; ``metrics`` are the built-in ones, these and those of
    files, ``suites`` the built-in ones, these and those of settings, ``rubrics`` what is put in
    place of built-in prompts. ``gates`` and ``groups`` are those that settings name.

    Raises ``UsageError`` for a setting that can't be: an unknown metric, a threshold off its
    scale, a judge, gate or group that can't be read, an addition or a file that can't be.
    """

    lacking_a_judge = "no judge is set: give --llm-eval-model (the summary says more)"
    """What a check is told that needs a judge where none is set."""

    def __init__(
        self, settings: Settings, workers: int = 1, additions: Iterable[Addition] = ()
    ) -> None:
        from .extended import metrics_of, rubrics_in, rules_in, suites_of
        from .gates.group import groups_of
        from .judges.choice import JudgeChoice
        from .metrics.pass_rules import parse_threshold

        self.settings = settings
        added = tuple(additions)
        self.metrics: Metrics = metrics_of(settings, added)
        self.rubrics = rubrics_in(settings, added)
        self.thresholds = dict(parse_threshold(entry, self.metrics) for entry in settings.threshold)
        self._met: dict[str, Metric] = {}
        self.suites = suites_of(self.metrics, self.metric, self.thresholds, settings, added)
        self.judges = JudgeChoice(settings, self.lacking_a_judge)
        self.gates = rules_in(settings, self.metrics, self.suites)
        self.groups = groups_of(settings.group) if settings.group else ()
        self.gate_results: tuple[GateResult, ...] = ()
        """What the gates came to, filled when the run ends."""
        self.verdicts = verdicts_in(settings)
        self.heard: dict[str, Mapping[str, Any]] | None = None
        """Where verdicts are recorded: what judges and the store said, until somebody takes it."""
        self.ledger = Ledger()
        self.compared: Compared | None = None
        """When the run ends: what it is beside its baseline, if it has one."""
        self._workers = workers
        self.deferring: dict[int, Gatherer] = {}
        """By thread, the deferred test whose call phase it runs."""
        self._unreported = Unreported()
        self._notices: dict[str, None] = {}
        self._answers: list[float] = []
        self._overhead = 0.0
        self.watch: Callable[[Future[Any]], object] = Future.exception
        self.place: Place = NOWHERE
        self.plan: Plan | None = None
        self.trial: Trial | None = None
        self._made_here: Counter[str] = Counter()
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
                    self.notice,
                    at_once=-(-settings.concurrency // self._workers),
                    verdicts=self.verdicts if reading else None,
                    heard=self.heard,
                )
            return self._engine

    def notice(self, text: str) -> None:
        """Keep ``text``, which the user ought to be told once, for the summary."""
        self._notices[text] = None

    def extend(self, additions: Iterable[Addition]) -> None:
        """Add the metrics and suites of ``additions``, which come while tests are collected.

        Raises ``UsageError`` for rubrics among them: these hold for the whole run.
        """
        from .extended import add_metrics, add_suites

        for addition in additions:
            if addition.rubrics:
                raise UsageError(
                    f"{addition.source}: rubrics hold for the whole run; give them in the "
                    "conftest of the root folder"
                )
            add_metrics(self.metrics, addition)
            add_suites(self.suites, addition)

    def metric(self, metric: Metric | str) -> Metric:
        """The metric called ``metric``, or that counts under the row of that name.

        Raises ``UsageError`` where there is none, naming the closest one, and for a second metric
        of one name on another scale, which would count in the same row.
        """
        if isinstance(metric, str):
            return self.metrics[metric] if metric in self.metrics else measure(metric, self.metrics)
        if not isinstance(metric, Metric):
            advice = ": make it one by @metric(needs=…, scale=…)" if callable(metric) else ""
            came = type(metric).__name__
            raise UsageError(f"a metric is its name, or a Metric; got {came}{advice}")
        known = self._met.setdefault(metric.measure, metric)
        if known.scale != metric.scale:
            scales = f"{known.scale.name} and {metric.scale.name}"
            raise UsageError(f"two metrics are called {metric.name!r}, on the scales {scales}")
        return metric

    def planned(self, planned: Planned) -> Metric:
        """The metric that a marker names, with its options, held to its mark if it has one.

        Raises ``UsageError`` for what can't be.
        """
        from .metrics.pass_rules import threshold_of

        metric = self.metric(planned.metric).with_options(planned.options)
        return metric.ruled_by(threshold_of(planned.at_least, planned.at_most))

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
        meant = self.metric(metric).with_options(options or {})
        held = meant.ruled_by(threshold, self.thresholds)
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
    ) -> Check:
        """The check of ``metric``, made here and now, whose verdict ``future`` brings.

        It is recorded if it ``counts``.
        """
        keep = self.keeping()

        def kept(result: Result) -> None:
            if counts(result):
                keep(result)

        identity = self.identity(case, metric.row)
        return Check(metric, case, identity, asking, future, self.wait, kept)

    def identity(self, case: Case | None, row: str) -> str:
        """That of ``case``; where it has none, the how manieth check of ``row`` it is here.

        Either is the same in all trials of a test.
        """
        if case is not None and case.identity is not None:
            return case.identity
        self._made_here[row] += 1
        test = test_of(self.place[0], self.trial.number if self.trial else None)
        return ":".join(filter(None, (test, row, str(self._made_here[row]))))

    def asking(self, ask: AskJudge, choose: Callable[[], BaseJudge], claims: bool = True) -> Asking:
        """A check's way to its judge under this run's settings; the arguments are ``Asking``'s."""
        return Asking(
            ask,
            choose,
            self.settings.reason_language,
            claims,
            rubrics=self.rubrics,
            guidelines=self.settings.guideline,
            wordnet=self.settings.wordnet,
        )

    def evaluate(self, case: Case | Callable[[], Case], metric: Metric | str, **how: Any) -> Result:
        """The result of the check that ``start`` begins."""
        return self.start(case, metric, **how).result()

    def answered(self, seconds: float) -> None:
        """Count one answer of the app, and what it took."""
        self._answers.append(seconds)

    def enter(self, nodeid: str, phase: str) -> None:
        """Count the checks that follow as made in this ``phase`` of the test ``nodeid``."""
        self.place = (nodeid, phase)
        self._unreported.open(self.place)
        if phase == "setup":
            self._made_here.clear()

    def news(self, nodeid: str, phase: str) -> dict[str, Any] | None:
        """What this ``phase`` of the test ``nodeid`` recorded, as JSON values; None for nothing.

        With it go the notices since the last call of this.
        """
        made = self._unreported.take((nodeid, phase))
        if not (
            made.records
            or made.assessments
            or self._notices
            or self._answers
            or self.judges.has_news
        ):
            return None
        notices = [*self._notices]
        for told in notices:  # one by one: other threads may add to them meanwhile
            del self._notices[told]
        answers, self._answers = self._answers, []
        return {
            **made.plain(),
            "notices": notices,
            "answers": answers,
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
            self.watch(future)
        finally:
            ended = time.time()
            for since, until in self.engine.connecting:
                self._overhead += max(0.0, min(until, ended) - max(since, started))

    def keeping(self) -> Callable[[Result | Assessment], None]:
        """What records a result as made now, in the phase that is running, whenever it is there."""
        return self._unreported.keeper(self.place, self.trial)


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
