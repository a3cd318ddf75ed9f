"""One run: its settings, its engine, and the results that its checks make."""

from __future__ import annotations

import atexit
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .errors import EvalError, NoJudge, UsageError
from .ledger import Ledger
from .results import Outcome, Record, Result, Threshold, Usage, Verdict, total
from .settings import Settings

if TYPE_CHECKING:
    from .data.cases import Case
    from .judges.base import BaseJudge, Question, ReplyT
    from .judges.engine import Answer, Engine
    from .metrics.base import Metric


class Session:
    """One run of checks under frozen settings.

    Raises ``UsageError`` for a setting that can't be: an unknown metric, a threshold off its
    scale, a judge that can't be read.
    """

    def __init__(self, settings: Settings) -> None:
        from .metrics import BUILT_IN
        from .metrics.base import parse_threshold

        self.settings = settings
        self.metrics: dict[str, Metric] = dict(BUILT_IN)
        self.thresholds = dict(parse_threshold(entry, self.metrics) for entry in settings.threshold)
        self.judges = _named_judges(settings)
        self.judge = _configured_judge(settings, self.judges)
        self.ledger = Ledger()
        self._fresh: list[Record] = []
        self._notices: dict[str, None] = {}
        self._import_told = False
        self._place = ""
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
                self._engine = Engine(
                    Store(settings.store), settings.mode, settings.timeout, self.notice
                )
            return self._engine

    def notice(self, text: str) -> None:
        """Keep ``text``, which the user ought to be told once, for the summary."""
        self._notices[text] = None

    def judge_for(self, override: BaseJudge | str | None) -> BaseJudge:
        """The judge that a check asks: ``override`` (a judge, a name, a model), or the configured.

        An override takes nothing from the configured judge. Raises ``NoJudge`` without either.
        """
        if override is None:
            if self.judge is None:
                raise NoJudge
            return self.judge
        return _judge(override, self.judges) if isinstance(override, str) else override

    def metric(self, metric: Metric | str) -> Metric:
        """The metric called ``metric``. Raises ``UsageError`` naming the closest one."""
        from .data.cases import closest

        if not isinstance(metric, str):
            return metric
        if metric not in self.metrics:
            raise UsageError(f"there is no metric {metric!r}{closest(metric, self.metrics)}")
        return self.metrics[metric]

    def evaluate(
        self,
        case: Case | Callable[[], Case],
        metric: Metric | str,
        *,
        judge: BaseJudge | str | None = None,
        threshold: Threshold | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Result:
        """``metric`` of ``case``, held to ``threshold`` or the one set for it; and recorded.

        ``case`` may be a function that makes it, whose ``CaseError`` then counts as this check's.
        Raises ``UsageError`` for an unknown metric or option and for a threshold off the scale;
        whatever else prevents a verdict is the result's ``error``.
        """
        named = self.metric(metric)
        held = named.with_options(options or {}).held_to(
            threshold or self.thresholds.get(named.name)
        )
        asking = Asking(self, judge)
        made: Case | None = None
        try:
            made = case() if callable(case) else case
            verdict = self.engine.run(held.verdict(made, asking))
        except EvalError as error:
            return self._kept(asking.result(held, made, error=error))
        return self._kept(asking.result(held, made, verdict))

    def enter(self, nodeid: str) -> None:
        """Count the checks that follow as made in the test ``nodeid``."""
        self._place = nodeid
        self._made_here.clear()

    def news(self) -> dict[str, Any] | None:
        """The records and notices since the last call of this, as JSON values; None without any."""
        self._tell_import()
        records, self._fresh = self._fresh, []
        notices, self._notices = [*self._notices], {}
        if not records and not notices:
            return None
        return {"records": [record.plain() for record in records], "notices": notices}

    def close(self) -> None:
        """Close the engine, with its connections and its store."""
        with self._opening:
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def _tell_import(self) -> None:
        """Say once what importing LiteLLM took, if this process had to."""
        litellm = sys.modules.get("pytest_llmeval.judges.litellm")
        seconds = litellm.import_seconds() if litellm else None
        if seconds is not None and not self._import_told:
            self._import_told = True
            self.notice(f"importing LiteLLM took {seconds:.1f} s")

    def _kept(self, result: Result) -> Result:
        if result.case_id is None:
            self._made_here[result.metric] += 1
            place = f"{self._place}:{result.metric}:{self._made_here[result.metric]}"
            result = replace(result, case_id=place)
        self._fresh.append(Record.of(result, self._place))
        return result


class Asking:
    """One check's way to its judge; it adds up what the answers took."""

    def __init__(self, session: Session, judge: BaseJudge | str | None) -> None:
        self._session = session
        self._wanted = judge
        self._judge: BaseJudge | None = None
        self._answers: list[Answer[Any]] = []
        self.reason_language = session.settings.reason_language

    @property
    def judge(self) -> BaseJudge:
        """Who is asked, found when first needed: a check that asks nothing needs no judge."""
        if self._judge is None:
            self._judge = self._session.judge_for(self._wanted)
        return self._judge

    async def __call__(self, question: Question[ReplyT]) -> ReplyT:
        answer = await self._session.engine.ask(self.judge, question)
        self._answers.append(answer)
        return answer.reply

    def result(
        self,
        metric: Metric,
        case: Case | None,
        verdict: Verdict | None = None,
        error: EvalError | None = None,
    ) -> Result:
        """The result of ``metric`` on ``case``: its verdict, or the error in its place."""
        given = verdict or Verdict(None, "")
        return Result(
            metric=metric.row,
            outcome=Outcome.ERROR if error else _outcome(given, metric.threshold),
            scale=metric.scale,
            threshold=metric.threshold,
            score=given.score,
            reason=given.reason,
            evidence=given.evidence,
            error=error,
            judge=self._judge.name if self._judge else None,
            is_llm=self._judge.is_llm if self._judge else True,
            resolved_model=self._answers[-1].resolved_model if self._answers else None,
            usage=self._usage(),
            case_id=case.identity if case else None,
            shown=_shown(case) if case else (),
        )

    def _usage(self) -> Usage:
        every = self._answers
        asked = [answer for answer in every if answer.asked]
        return Usage(
            asked=len(asked),
            stored=len(every) - len(asked),
            input_tokens=total(each.input_tokens for each in every),
            output_tokens=total(each.output_tokens for each in every),
            cost=total(each.cost for each in every),
            seconds=sum(each.seconds for each in every),
            spent_tokens=total(
                part for each in asked for part in (each.input_tokens, each.output_tokens)
            ),
            spent_cost=total(each.cost for each in asked),
        )


def _outcome(verdict: Verdict, threshold: Threshold | None) -> Outcome:
    if not verdict.applicable:
        return Outcome.NOT_APPLICABLE
    if threshold is None:
        return Outcome.MEASURED
    if verdict.score is not None and threshold.holds(verdict.score):
        return Outcome.PASSED
    return Outcome.FAILED


def _shown(case: Case) -> tuple[tuple[str, str], ...]:
    pieces = (("case", case.id), ("query", case.query), ("response", case.response))
    return tuple((name, text) for name, text in pieces if text is not None)


def _named_judges(settings: Settings) -> dict[str, BaseJudge]:
    from .judges.model import parse_judge

    return dict(parse_judge(entry) for entry in settings.judge)


def _judge(text: str, named: dict[str, BaseJudge]) -> BaseJudge:
    from .judges.lexical import LexicalJudge
    from .judges.model import Judge

    if text in named:
        return named[text]
    return LexicalJudge() if text == LexicalJudge.name else Judge(text)


def _configured_judge(settings: Settings, named: dict[str, BaseJudge]) -> BaseJudge | None:
    from .judges.lexical import LexicalJudge
    from .judges.model import Judge, parse_param

    if settings.model is None:
        return None
    if settings.model in named or settings.model == LexicalJudge.name:
        return _judge(settings.model, named)
    return Judge(
        settings.model,
        base_url=settings.base_url,
        key_env=settings.key_env,
        temperature=settings.temperature,
        seed=settings.seed,
        reply_tokens=settings.reply_tokens,
        params=dict(parse_param(entry) for entry in settings.param),
    )


class Off:
    """A run that makes no checks. ``advice`` says how to have them made."""

    def __init__(self, advice: str) -> None:
        self.advice = advice


_active: list[Session | Off] = []


def activate(run: Session | Off) -> None:
    """Make ``run`` the one that checks belong to; a stack, so that runs may nest."""
    _active.append(run)


def deactivate(run: Session | Off) -> None:
    """End ``run``, giving place to the one around it."""
    _active.remove(run)


def current() -> Session | Off:
    """The run that checks belong to; outside pytest an implicit one, set by the environment."""
    if not _active:
        implicit = Session(Settings.read())
        atexit.register(implicit.close)
        activate(implicit)
    return _active[-1]
