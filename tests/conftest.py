"""What the tests share."""

from __future__ import annotations

import asyncio
import os
import pkgutil
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from importlib import import_module
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import pytest_llmeval
from pytest_llmeval.judges.litellm_import import close_clients, load

# pytester gives sys.modules back after each inner run: what is not imported by then, each run
# imports anew. So do the plugins beside ours: anyio's, hypothesis' at the end of a run.
PARTNERS = ("anyio.pytest_plugin", "anyio._backends._asyncio", "hypothesis")
OURS = pkgutil.walk_packages(pytest_llmeval.__path__, "pytest_llmeval.")
for name in (*PARTNERS, *(module.name for module in OURS)):
    import_module(name)

NOT_TIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# A change is judged on what it changes: the same examples in every run. What nobody has met yet is
# looked for by --hypothesis-profile=explore.
settings.register_profile("same examples", NOT_TIMED, derandomize=True)
settings.register_profile("explore", NOT_TIMED, max_examples=1000)
settings.load_profile("same examples")


@pytest.fixture(scope="module", autouse=True)
def _litellm_is_there(request: pytest.FixtureRequest) -> None:
    """LiteLLM is loaded before tests that ask a judge by it.

    A run inside a test takes along what it was the first to import, and nothing works after that.
    """
    if hasattr(request.module, "LoopbackJudge"):
        load()


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Runs coroutines on one event loop, whose connections are closed at the end."""
    load()  # which would be told as a notice
    with asyncio.Runner() as runner:
        yield runner.run
        runner.run(close_clients())


TOLD = {"CI", "BUILD_NUMBER", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "PYTEST_ADDOPTS"}
PROXIES = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
TOLD_BY_PREFIX = ("LLM_EVAL_", "GITHUB_", "OPENAI_", "ANTHROPIC_", "OLLAMA_", "LITELLM_")


@pytest.fixture(scope="session", autouse=True)
def _surroundings_are_plain() -> Iterator[None]:
    """What is around this run is none of what it tests: a CI, a narrow terminal, a user's settings.

    Nor is it that a shell which started it in the background ignores interrupts for it, as child
    processes then would too.
    """
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name.upper() in TOLD | PROXIES or name.startswith(TOLD_BY_PREFIX):
                patch.delenv(name)
        patch.setenv("COLUMNS", "80")
        yield
    if ignored:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.fixture(scope="session", autouse=True)
def _children_are_plain() -> Iterator[dict[str, str]]:
    """Child processes are not measured for coverage, which would double what they take.

    Nor do inner runs keep bytecode: a file written twice within a second could be read as it was.
    Hypothesis loads no plugins there: trio's warns.
    """
    with pytest.MonkeyPatch.context() as patch:
        measuring = {name: text for name, text in os.environ.items() if "COVERAGE_PROCESS" in name}
        for name in measuring:
            patch.delenv(name)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        patch.setenv("HYPOTHESIS_NO_PLUGINS", "1")
        patch.setattr(sys, "dont_write_bytecode", True)
        yield measuring


@pytest.fixture
def measured(_children_are_plain: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Child processes are measured after all: what they run is run nowhere else."""
    for name, text in _children_are_plain.items():
        monkeypatch.setenv(name, text)


@pytest.fixture(autouse=True)
def _inner_runs_are_plain(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of pytest inside a test take no partner's warning."""
    if "pytester" in request.fixturenames:
        request.getfixturevalue("pytester")  # which clears the options that it finds
        monkeypatch.setenv("PYTEST_ADDOPTS", "-o asyncio_default_fixture_loop_scope=function")
