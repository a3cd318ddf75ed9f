"""The part of the plugin that is in every pytest run: options, markers, fixtures, the switch."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any, cast

import pytest

from .errors import EvalError, UsageError
from .pytest_options import (
    add_options,
    refuse_idle_options,
    runs_tests,
    settings_of,
    written_options,
)
from .stack import Off, activate, deactivate

if TYPE_CHECKING:
    from .data.cases import Case
    from .hooks.running import EvalRun
    from .session import Session
    from .settings import Settings

HOW_TO_RUN = "LLM evals are off: run them with pytest --llm-eval"
_NO_TEST = "LLM evals are off: no test is run here"
_FIXTURES = frozenset({"llm_eval", "llm_judge", "llm_case"})
_MARKERS = (
    (
        "llm_eval(deferred=False, min_pass_rate=None, must_pass=[], tags=[], trials=1, "
        "max_trials=None): a test that asks a judge; skipped early unless --llm-eval is given; "
        "min_pass_rate holds the tests that are marked to a pass rate together; run anew for each "
        "trial"
    ),
    (
        "llm_cases(*files, select=None, limit=None, sample=(n, seed), fields={}, metrics=None, "
        "suite=None, answer=None, trials=1, max_trials=None, argname='llm_case'): run the test on "
        "each case of files or patterns; fields says what names in them are; metrics and suite are "
        "asked ahead, answer is the app or a fixture that gives it, trials is how often it runs"
    ),
)
_run = pytest.StashKey["Session | Off"]()
_settings = pytest.StashKey["Settings"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from . import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    try:
        settings = settings_of(config)
        _take_a_share(config, settings)
        run = _run_of(config, settings)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[_run] = run
    config.stash[_settings] = settings
    activate(run)


def _run_of(config: pytest.Config, settings: Settings) -> Session | Off:
    """The run that checks belong to: one of evals where they are on, and tests are run."""
    if runs_tests(config) and (written := written_options(config)):
        from .hooks.mistaken_values import refuse_mistaken_values

        refuse_mistaken_values(config, written)
    if settings.enabled:
        if not runs_tests(config):
            return Off(_NO_TEST)
        from .imports import uncollected

        with uncollected():
            from .hooks.beginning import begin
        return begin(config, settings)
    if runs_tests(config):
        refuse_idle_options(config)
    return Off(f"{HOW_TO_RUN}; mark the test with @pytest.mark.llm_eval")


def _take_a_share(config: pytest.Config, settings: Settings) -> None:
    """Run only the share of the tests that is asked for, with evals on or off."""
    if settings.shard is not None:
        from .hooks.sharding import PLUGIN, Sharding

        config.pluginmanager.register(Sharding(settings.shard), PLUGIN)


def pytest_unconfigure(config: pytest.Config) -> None:
    if (run := config.stash.get(_run, None)) is not None:
        deactivate(run)
        if not isinstance(run, Off):
            run.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("llm_cases") is not None:
        from .hooks.case_tests import parametrize

        try:
            parametrize(metafunc, metafunc.config.stash[_run], _case)
        except EvalError as error:
            raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {error}") from None


@pytest.hookimpl(specname="pytest_generate_tests", trylast=True)
def pytest_generate_trials(metafunc: pytest.Metafunc) -> None:
    """Make a test of each trial, last of all: a case's trials go together, and end its ids."""
    node = metafunc.definition
    if node.get_closest_marker("llm_eval") or node.get_closest_marker("llm_cases"):
        from .hooks.case_trials import try_several

        try:
            try_several(metafunc, metafunc.config.stash[_settings].trials)
        except EvalError as error:
            raise pytest.Collector.CollectError(f"{node.nodeid}: {error}") from None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Refuse an argument of ``llm_eval`` as what it is: a module that cannot be collected."""
    report = yield
    if report.passed and (fault := next(_misused(report.result), None)):
        return pytest.CollectReport(collector.nodeid, "failed", fault, [])
    return report


def _misused(nodes: Iterable[Any]) -> Generator[str, None, None]:
    for item in nodes:
        for marker in item.iter_markers("llm_eval") if isinstance(item, pytest.Item) else ():
            if (marker.args or marker.kwargs) and (fault := _fault_in(marker, item)):
                yield f"{item.nodeid}: {fault}"


def _fault_in(marker: pytest.Mark, item: pytest.Item) -> str | None:
    from .hooks.marker import fault_in

    return fault_in(marker, item)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Mark what is ours before ``-m`` selects; afterwards skip it where evals are off."""
    for item in items:
        if not _is_ours(item) and (_has_our_fixture(item) or item.get_closest_marker("llm_cases")):
            item.add_marker("llm_eval")
    yield
    if not config.stash[_settings].enabled:
        skipped = pytest.mark.skip(reason=HOW_TO_RUN)
        for item in items:
            if _is_ours(item):
                item.add_marker(skipped, append=False)


def _is_ours(item: pytest.Item) -> bool:
    return item.get_closest_marker("llm_eval") is not None


def _has_our_fixture(item: pytest.Item) -> bool:
    """Whether ``item`` uses a fixture of this file, and not one of its own that is called alike."""
    names = _FIXTURES.intersection(getattr(item, "fixturenames", ()))
    definitions = item._fixtureinfo.name2fixturedefs if names else {}  # type: ignore[attr-defined]
    for name in names:
        for definition in reversed(definitions.get(name, ())):
            if getattr(definition.func, "__module__", None) == __name__:
                return True
            if name not in definition.argnames:
                break  # it does without the one that it overrides
    return False


@pytest.fixture
def llm_eval(request: pytest.FixtureRequest) -> Session:
    """The session of this run: its ``settings``, its ``ledger``, and ``evaluate``."""
    return _session_of(request)


def _session_of(request: pytest.FixtureRequest) -> Session:
    """The session of this run; where checks are off, the test is skipped here."""
    run = request.config.stash[_run]
    if isinstance(run, Off):
        pytest.skip(run.advice)
    return run


def _case(request: pytest.FixtureRequest) -> Case:
    """The case of ``@pytest.mark.llm_cases`` that this test runs on, answered by the app."""
    _session_of(request)
    run = cast("EvalRun", request.config.pluginmanager.get_plugin("llm_eval_run"))
    return run.case_for(request)


llm_case = pytest.fixture(name="llm_case")(_case)


@pytest.fixture
def llm_trial(request: pytest.FixtureRequest) -> int:
    """The number of this trial, from 1; 1 where the test has one only."""
    trial = getattr(request, "param", None)
    return 1 if trial is None else trial.number


@pytest.fixture
def llm_judge(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Ask the configured judge a question of one's own: ``llm_judge(prompt, Reply, name=text)``."""
    _session_of(request)
    from .assertions.any_metric import ask_judge

    return ask_judge
