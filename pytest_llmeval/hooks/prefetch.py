"""Prefetch: what coming tests will ask the judge is asked ahead, in a sliding window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import pytest

from ..checks import Asking
from ..data.cases import Case
from ..data.completed import completed, with_its_query
from ..data.datasets import CaseAt
from ..errors import CaseError, EvalError, NotRecorded, UsageError
from ..judges.base import BaseJudge
from ..metrics.base import Metric
from ..plan import Plan, Planned, plan_of
from ..session import Session
from ..suites.choosing import chosen
from ..trials import trial_of
from .app_answers import App, AppAnswers
from .held import wider_parameters

_Place = tuple[Any, str, tuple[tuple[str, int], ...]]

AHEAD = 4
"""How many times the session's concurrency the window holds of coming tests."""


@dataclass(frozen=True)
class _Wanted:
    """One verdict that a coming test will ask for."""

    metric: Metric
    case: Case
    judge: BaseJudge


class Prefetch:
    """What the markers of coming tests name, begun before the tests run.

    Nothing that the store holds is begun. What is begun is held by the engine, be it an error,
    until the test asks for it. ``window`` is how many coming tests are looked at.
    """

    def __init__(self, session: Session) -> None:
        self.answers = AppAnswers(session.settings.answer_concurrency)
        self._session = session
        self.window = AHEAD * session.engine.at_once
        self._seen: set[str] = set()
        self._apps: dict[_Place, App] = {}
        self._lacking_app: dict[_Place, list[tuple[pytest.Item, Plan]]] = {}

    def advance(self, coming: Sequence[pytest.Item]) -> None:
        """Begin what the first tests of ``coming`` will ask for, as far as the window reaches.

        To be called from the main thread, before each test: where a judge is going to be asked,
        what it has to import is imported here and in no test's time.
        """
        half = coming[: self.window // 2]
        if all(item.nodeid in self._seen for item in half):
            return
        new = [item for item in coming[: self.window] if item.nodeid not in self._seen]
        self._seen.update(item.nodeid for item in new)
        wanted: list[_Wanted] = []
        for item in new:
            plan = plan_of(item)
            if plan is None or not _will_run(item):
                continue
            if plan.answer is None:
                wanted += self._planned(partial(_case_of, item, plan), plan)
            elif isinstance(plan.answer, str):
                self._begin_with_fixture(item, plan, plan.answer)
            else:
                self._begin_answer(item, plan, plan.answer)
        missing = self._missing(wanted)
        for judge in {each.judge for each in missing}:
            with suppress(Exception):  # the test will meet it
                judge.prepare(self._session.notebook.notice)
        self._ask(missing)

    def case_for(self, request: pytest.FixtureRequest) -> Case:
        """The case of the test that ``request`` is for, answered by the app where there is one.

        What it lacks and its trace tells is in it. Raises what the app raised.
        """
        __tracebackhide__ = True
        return _completed(self._answered(request))

    def _answered(self, request: pytest.FixtureRequest) -> Case:
        __tracebackhide__ = True
        item, plan = request.node, plan_of(request.node)
        if plan is None or not isinstance(place := getattr(request, "param", None), CaseAt):
            raise UsageError("llm_case comes from @pytest.mark.llm_cases(file)")
        case = place.case()
        if plan.answer is None or request.fixturename != plan.argname:
            return case
        app = plan.answer
        if isinstance(app, str):
            place = _place(item, app)
            app = self._apps[place] = _fixture(request, app)
            for other, its_plan in self._lacking_app.pop(place, ()):
                if other is not item:
                    self._begin_answer(other, its_plan, app)
        answered = self.answers.take(item.nodeid, with_its_query(case), app)
        if answered.raised is not None:
            raise answered.raised
        self._session.notebook.answered(answered.seconds)
        return answered.case

    def close(self) -> None:
        """Give up the app's answers that are under way."""
        self.answers.close()

    def _begin_with_fixture(self, item: pytest.Item, plan: Plan, name: str) -> None:
        """Begin the answer if the fixture is known, else when it will be.

        It is once a test of the same module or class has set it up.
        """
        place = _place(item, name)
        if place in self._apps:
            self._begin_answer(item, plan, self._apps[place])
        else:
            self._lacking_app.setdefault(place, []).append((item, plan))

    def _begin_answer(self, item: pytest.Item, plan: Plan, app: App) -> None:
        def then(case: Case) -> None:
            self._ask(self._planned(lambda: case, plan))

        with suppress(CaseError):  # the test will meet it
            self.answers.begin(item.nodeid, with_its_query(_case_of(item, plan)), app, then)

    def _planned(self, made: Callable[[], Case], plan: Plan) -> list[_Wanted]:
        """What ``plan`` asks of the case that ``made`` gives, made only if something is."""
        once = cache(made)
        return [*self._wanted(once, plan.metrics), *self._of_suite(once, plan)]

    def _of_suite(self, made: Callable[[], Case], plan: Plan) -> Iterable[_Wanted]:
        """What the suite of ``plan`` asks; one that stops at the first failure may ask no more."""
        with suppress(EvalError):  # the test will meet it
            suite = (
                self._session.names.suites.called(plan.suite) if plan.suite is not None else None
            )
            if suite is not None and not suite.stop_at_first:
                case = completed(made())
                for each in chosen(self._session.names.suites.wanted(suite), case)[0]:
                    judge = self._session.judges.of(each.judge)
                    if each.metric.judged and judge.identity is not None:
                        yield _Wanted(each.metric, case, judge)

    def _wanted(self, made: Callable[[], Case], metrics: Iterable[Planned]) -> Iterable[_Wanted]:
        for planned in metrics:
            try:
                judge = self._session.judges.of(planned.judge)
                metric = self._session.names.metric(planned.metric).with_options(planned.options)
                if metric.judged and judge.identity is not None:
                    yield _Wanted(metric, made(), judge)
            except EvalError:
                continue  # the test will meet it

    def _missing(self, wanted: Sequence[_Wanted]) -> list[_Wanted]:
        """Those of ``wanted`` that the store can't answer."""
        if not wanted or self._session.settings.mode == "replay":
            return []
        engine = self._session.engine

        async def recall(judge: BaseJudge, question: Any) -> Any:
            return engine.recall(judge, question)

        async def lacking() -> list[_Wanted]:
            missing = []
            for each in wanted:
                try:
                    await each.metric.verdict(each.case, self._asking(recall, each.judge))
                except NotRecorded:
                    missing.append(each)
                except EvalError:
                    continue  # the test will meet it
            return missing

        return engine.submit(lacking()).result()

    def _ask(self, wanted: Iterable[_Wanted]) -> None:
        engine = self._session.engine

        async def ahead(judge: BaseJudge, question: Any) -> Any:
            return await engine.ask(judge, question, ahead=True)

        async def asked(each: _Wanted) -> None:
            try:
                await each.metric.verdict(each.case, self._asking(ahead, each.judge))
            except EvalError:
                return  # held for the test

        for each in wanted:
            engine.submit(asked(each))

    def _asking(self, ask: Any, judge: BaseJudge) -> Asking:
        return self._session.asking(ask, lambda: judge, claims=False)


def _completed(case: Case) -> Case:
    """``case`` with what its trace tells; one that can't be read is the fault of a check of it."""
    with suppress(CaseError):
        return completed(case)
    return case


def _case_of(item: Any, plan: Plan) -> Case:
    place: CaseAt = item.callspec.params[plan.argname]
    return place.case()


def _place(item: pytest.Item, name: str) -> _Place:
    """What tests have in common for which the fixture ``name`` is the same.

    That may depend on parameters, of fixtures that are set up for several tests as it is.
    """
    return item.parent, name, tuple(wider_parameters(item).items())


def _fixture(request: pytest.FixtureRequest, name: str) -> App:
    app: App = request.getfixturevalue(name)
    if not callable(app):
        raise UsageError(f"answer: the fixture {name!r} gave {type(app).__name__}, no function")
    return app


def _will_run(item: pytest.Item) -> bool:
    """Whether ``item`` is certain to run, as far as is known beforehand."""
    trial = trial_of(item)
    if trial is not None and trial.extra:
        return False
    return not any(item.get_closest_marker(name) for name in ("skip", "skipif"))
