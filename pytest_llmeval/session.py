"""One run: its settings, its engine, and the results that its checks make."""

from __future__ import annotations

import atexit
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from .errors import EvalError, UsageError
from .ledger import NOWHERE, Ledger, Place, Unreported
from .results import Result, Threshold
from .settings import Settings

if TYPE_CHECKING:
    from .checks import Check, Gatherer
    from .data.cases import Case
    from .judges.base import BaseJudge
    from .judges.engine import Engine
    from .metrics.base import Metric


class Session:
    """One run of checks under frozen settings; ``workers`` processes share its concurrency.

    Raises ``UsageError`` for a setting that can't be: an unknown metric, a threshold off its
    scale, a judge that can't be read.
    """

    def __init__(self, settings: Settings, workers: int = 1) -> None:
        from .judges.choice import JudgeChoice
        from .metrics import BUILT_IN
        from .metrics.base import parse_threshold

        self.settings = settings
        self.metrics: dict[str, Metric] = dict(BUILT_IN)
        self.thresholds = dict(parse_threshold(entry, self.metrics) for entry in settings.threshold)
        self.judges = JudgeChoice(settings)
        self.ledger = Ledger()
        self._workers = workers
        self.deferring: dict[int, Gatherer] = {}
        """By thread, the deferred test whose call phase it runs."""
        self._unreported = Unreported()
        self._notices: dict[str, None] = {}
        self._place: Place = NOWHERE
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
                    Store(settings.store),
                    settings.mode,
                    settings.timeout,
                    self.notice,
                    at_once=-(-settings.concurrency // self._workers),
                )
            return self._engine

    def notice(self, text: str) -> None:
        """Keep ``text``, which the user ought to be told once, for the summary."""
        self._notices[text] = None

    def metric(self, metric: Metric | str) -> Metric:
        """The metric called ``metric``. Raises ``UsageError`` naming the closest one."""
        from .data.cases import closest

        if not isinstance(metric, str):
            return metric
        if metric not in self.metrics:
            raise UsageError(f"there is no metric {metric!r}{closest(metric, self.metrics)}")
        return self.metrics[metric]

    def start(
        self,
        case: Case | Callable[[], Case],
        metric: Metric | str,
        *,
        judge: BaseJudge | str | None = None,
        threshold: Threshold | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Check:
        """Begin to judge ``metric`` of ``case``, held to ``threshold`` or the one set for it.

        ``case`` may be a function that makes it, whose ``CaseError`` then counts as this check's.
        Raises ``UsageError`` for an unknown metric or option and for a threshold off the scale;
        whatever else prevents a verdict is the ``error`` of the check's result.
        """
        from .checks import Asking, Check

        named = self.metric(metric)
        held = named.with_options(options or {}).held_to(
            threshold or self.thresholds.get(named.name)
        )
        asking = Asking(
            self.engine.ask, lambda: self.judges.of(judge), self.settings.reason_language
        )
        made: Case | None = None
        try:
            made = case() if callable(case) else case
            future = self.engine.submit(held.verdict(made, asking))
        except EvalError as error:
            future = Future()
            future.set_exception(error)
        identity = (made.identity if made else None) or self._numbered(held.row)
        return Check(held, made, identity, asking, future, self._unreported.keeper(self._place))

    def evaluate(self, case: Case | Callable[[], Case], metric: Metric | str, **how: Any) -> Result:
        """The result of the check that ``start`` begins."""
        return self.start(case, metric, **how).result()

    def enter(self, nodeid: str, phase: str) -> None:
        """Count the checks that follow as made in this ``phase`` of the test ``nodeid``."""
        self._place = (nodeid, phase)
        self._unreported.open(self._place)
        if phase == "setup":
            self._made_here.clear()

    def news(self, nodeid: str, phase: str) -> dict[str, Any] | None:
        """What this ``phase`` of the test ``nodeid`` recorded, as JSON values; None for nothing.

        With it go the notices since the last call of this.
        """
        records = self._unreported.take((nodeid, phase))
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

    def _numbered(self, row: str) -> str:
        """The identity of a case that has none: the how manieth check of ``row`` it is here."""
        self._made_here[row] += 1
        return f"{self._place[0]}:{row}:{self._made_here[row]}"


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
