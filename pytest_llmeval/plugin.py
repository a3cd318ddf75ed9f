"""The part of the plugin that is in every pytest run: options, markers, fixtures, the switch."""

from __future__ import annotations

from collections.abc import Callable, Generator
from os import PathLike
from typing import TYPE_CHECKING, Any

import pytest

from .errors import CaseError, UsageError
from .settings import OPTIONS, Option, Settings

if TYPE_CHECKING:
    from .session import Off, Session

HOW_TO_RUN = "LLM evals are off: run them with pytest --llm-eval"
_FIXTURES = frozenset({"llm_eval", "llm_judge", "llm_case"})
_MARKERS = (
    "llm_eval(deferred=False): a test that asks a judge; skipped early unless --llm-eval is given",
    "llm_cases(path): run the test once for each case of a JSONL file, as its argument llm_case",
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
    from .session import Off, Session, activate

    try:
        settings = _settings(config)
        if settings.enabled and not config.option.collectonly:
            run: Session | Off = Session(settings)
        else:
            run = Off(f"{HOW_TO_RUN}; mark the test with @pytest.mark.llm_eval")
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[_run] = run
    activate(run)
    if isinstance(run, Session):
        from .running import EvalRun

        config.pluginmanager.register(EvalRun(config, run), "llm_eval_run")
        from .deferrable import PLUGIN, may_defer

        if may_defer(config):
            from .deferring import DeferredRun

            config.pluginmanager.register(DeferredRun(config, run), PLUGIN)


def pytest_unconfigure(config: pytest.Config) -> None:
    if (run := config.stash.get(_run, None)) is not None:
        from .session import Session, deactivate

        deactivate(run)
        if isinstance(run, Session):
            run.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if (marker := metafunc.definition.get_closest_marker("llm_cases")) is not None:
        from .data.datasets import case_ids, load_cases

        path = _only_argument(marker, "path", metafunc.definition.nodeid)
        try:
            cases = load_cases(metafunc.definition.path.parent / path)
        except CaseError as error:
            raise pytest.Collector.CollectError(str(error)) from None
        metafunc.parametrize("llm_case", cases, ids=case_ids(cases))


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
        if not _FIXTURES.isdisjoint(getattr(item, "fixturenames", ())) and not _is_ours(item):
            item.add_marker("llm_eval")
    yield
    if not config.pluginmanager.has_plugin("llm_eval_run"):
        skipped = pytest.mark.skip(reason=HOW_TO_RUN)
        for item in items:
            if _is_ours(item):
                item.add_marker(skipped, append=False)


def _only_argument(marker: pytest.Mark, name: str, nodeid: str) -> str:
    """The one argument that ``marker`` takes, refused by name where another was given."""
    given = {**dict(zip((name,), marker.args, strict=False)), **marker.kwargs}
    unknown = [*marker.args[1:], *(other for other in given if other != name)]
    if unknown or not isinstance(given.get(name), str | PathLike):
        what = ", ".join(map(str, unknown)) or given.get(name)
        raise pytest.Collector.CollectError(
            f"{nodeid}: {marker.name} takes one argument, {name}; got {what}"
        )
    return str(given[name])


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
    from .session import Session

    run = request.config.stash[_run]
    assert isinstance(run, Session)
    return run


@pytest.fixture
def llm_judge(llm_eval: Session) -> Callable[..., Any]:
    """Ask the configured judge a question of one's own: ``llm_judge(prompt, Reply, name=text)``."""
    from .assertions import ask_judge

    return ask_judge
