"""The part of the plugin that is in every pytest run: options, markers, fixtures, the switch."""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from .errors import EvalError, UsageError
from .settings import OPTIONS, Option, Settings
from .stack import Off, activate, deactivate

if TYPE_CHECKING:
    from .data.cases import Case
    from .session import Session

HOW_TO_RUN = "LLM evals are off: run them with pytest --llm-eval"
_FIXTURES = frozenset({"llm_eval", "llm_judge", "llm_case"})
_MARKERS = (
    "llm_eval(deferred=False): a test that asks a judge; skipped early unless --llm-eval is given",
    (
        "llm_cases(path, metrics=[], answer=None, argname='llm_case'): run the test on each case "
        "of a JSONL file; metrics are asked ahead, answer is the app or a fixture that gives it"
    ),
)
_run = pytest.StashKey["Session | Off"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("llm_eval", "LLM evaluation")
    ini_types = {"switch": "bool", "integer": "int", "number": "float", "list": "linelist"}
    for option in OPTIONS:
        parser.addini(option.ini, option.help, ini_types.get(option.kind, "string"), default=None)  # type: ignore[arg-type]
        if option.kind == "switch":
            group.addoption(
                option.flag, dest=option.ini, action="store_true", default=None, help=option.help
            )
        else:
            group.addoption(
                option.flag,
                dest=option.ini,
                action="append" if option.kind == "list" else "store",
                metavar=option.metavar or "|".join(option.choices),
                default=None,
                help=option.help + (" (repeatable)" if option.kind == "list" else ""),
            )


def pytest_configure(config: pytest.Config) -> None:
    for marker in _MARKERS:
        config.addinivalue_line("markers", marker)
    try:
        settings = _settings(config)
        if settings.enabled and not config.option.collectonly:
            run = _begin(config, settings)
        else:
            run = Off(f"{HOW_TO_RUN}; mark the test with @pytest.mark.llm_eval")
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[_run] = run
    activate(run)


def _begin(config: pytest.Config, settings: Settings) -> Session | Off:
    """A run of evals, and the hooks that go with it."""
    from .deferring import DeferredRun, may_defer
    from .running import EvalRun
    from .session import Session

    session = Session(settings, getattr(config, "workerinput", {}).get("workercount", 1))
    config.pluginmanager.register(EvalRun(config, session), "llm_eval_run")
    if may_defer(config):
        config.pluginmanager.register(DeferredRun(config, session), "llm_eval_deferred")
    if settings.report is not None:
        from .recording import RunRecording

        recording = RunRecording(config, session, settings.report)
        config.pluginmanager.register(recording, "llm_eval_recording")
    return session


def pytest_unconfigure(config: pytest.Config) -> None:
    if (run := config.stash.get(_run, None)) is not None:
        deactivate(run)
        if not isinstance(run, Off):
            run.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("llm_cases") is not None:
        from .data.datasets import case_ids, load_cases
        from .plan import plan_of

        try:
            plan = plan_of(metafunc.definition)
            assert plan is not None
            cases = load_cases(metafunc.definition.path.parent / plan.path)
            run = metafunc.config.stash[_run]
            if not isinstance(run, Off):
                for planned in plan.metrics:
                    run.metric(planned.metric)
        except EvalError as error:
            raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {error}") from None
        _have_fixture(plan.argname, metafunc.config.pluginmanager)
        metafunc.parametrize(plan.argname, cases, ids=case_ids(cases), indirect=True)


def _have_fixture(name: str, plugins: pytest.PytestPluginManager) -> None:
    """See to it that there is a fixture ``name`` that does what ``llm_case`` does."""
    if name != "llm_case" and not plugins.has_plugin(renamed := f"llm_case as {name}"):
        holder = ModuleType(renamed)
        setattr(holder, name, pytest.fixture(name=name)(_case))
        plugins.register(holder, renamed)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Mark what is ours before ``-m`` selects; afterwards skip it where evals are off."""
    for item in items:
        for marker in item.iter_markers("llm_eval"):
            unknown = [*map(repr, marker.args), *(marker.kwargs.keys() - {"deferred"})]
            if not isinstance(marker.kwargs.get("deferred", True), bool):
                unknown.append(f"deferred={marker.kwargs['deferred']!r}")
            if unknown:
                told = f"llm_eval takes deferred=True or False; got {', '.join(unknown)}"
                raise pytest.UsageError(f"{item.nodeid}: {told}")
        fixtures = getattr(item, "fixturenames", ())
        ours = not _FIXTURES.isdisjoint(fixtures) or item.get_closest_marker("llm_cases")
        if ours and not _is_ours(item):
            item.add_marker("llm_eval")
    yield
    if not config.pluginmanager.has_plugin("llm_eval_run"):
        skipped = pytest.mark.skip(reason=HOW_TO_RUN)
        for item in items:
            if _is_ours(item):
                item.add_marker(skipped, append=False)


def _is_ours(item: pytest.Item) -> bool:
    return item.get_closest_marker("llm_eval") is not None


def _settings(config: pytest.Config) -> Settings:
    def ini(option: Option) -> Any:
        return config.getini(option.ini)

    def command_line(option: Option) -> Any:
        return config.getoption(option.ini)

    return Settings.read(
        command_line=command_line,
        ini=ini,
        here=config.invocation_params.dir,
        ini_folder=config.rootpath,
    )


@pytest.fixture
def llm_eval(request: pytest.FixtureRequest) -> Session:
    """The session of this run: its ``settings``, its ``records`` so far, and ``evaluate``."""
    run = request.config.stash[_run]
    assert not isinstance(run, Off)
    return run


def _case(request: pytest.FixtureRequest) -> Case:
    """The case of ``@pytest.mark.llm_cases`` that this test runs on, answered by the app."""
    from .running import EvalRun

    run = request.config.pluginmanager.get_plugin("llm_eval_run")
    assert isinstance(run, EvalRun)
    return run.case_for(request)


llm_case = pytest.fixture(name="llm_case")(_case)


@pytest.fixture
def llm_judge(llm_eval: Session) -> Callable[..., Any]:
    """Ask the configured judge a question of one's own: ``llm_judge(prompt, Reply, name=text)``."""
    from .assertions import ask_judge

    return ask_judge
