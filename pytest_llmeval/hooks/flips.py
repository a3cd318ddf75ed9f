"""Flips that are remembered: in pytest's cache, to be run again alone."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from ..errors import UsageError
from ..trials import case_test

if TYPE_CHECKING:
    from ..baselines.versus import Versus
    from ..records.tests import TestRow

_KEY = "llm_eval/flips"


def remember(config: pytest.Config, found: Versus, tests: Mapping[str, TestRow]) -> None:
    """Keep the tests with a case that flipped, and those known before that were not run now."""
    cache = getattr(config, "cache", None)
    if cache is not None:
        ran = {row.test for row in tests.values() if row.state not in ("not_run", "skipped")}
        before = {test for test in cache.get(_KEY, None) or () if test not in ran}
        cache.set(_KEY, sorted(before | {flip.test for flip in found.flips}))


def select_flips(config: pytest.Config) -> None:
    """Run only the tests that flipped when the run was last compared.

    Raises ``UsageError`` where nothing is remembered, and where there is no cache.
    """
    cache = getattr(config, "cache", None)
    if cache is None:
        raise UsageError(
            "--llm-eval-only-flips: the flips of the last run are in pytest's cache, which is off "
            "(-p no:cacheprovider)"
        )
    flips = cache.get(_KEY, None)
    if flips is None:
        raise UsageError(
            "--llm-eval-only-flips: no run was compared here; do that with --llm-eval-baseline=FILE"
        )
    config.pluginmanager.register(_OnlyFlips(frozenset(flips)), "llm_eval_only_flips")


class _OnlyFlips:
    def __init__(self, flips: frozenset[str]) -> None:
        self._flips = flips
        self._left_out = False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        others = [item for item in items if case_test(item) not in self._flips]
        self._left_out = bool(others)
        if others:
            config.hook.pytest_deselected(items=others)
            items[:] = [item for item in items if case_test(item) in self._flips]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """End well, after all that has a say in it, where no test is due since nothing flipped."""
        done = yield
        workers = session.config.pluginmanager.has_plugin("dsession")  # which alone collect
        idle = not self._flips and (self._left_out or workers)
        if idle and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        return done

    def pytest_report_header(self) -> str | None:
        if self._flips:
            return None
        return "llm eval: no case flipped when a run was last compared; there is nothing to run"

    def pytest_report_collectionfinish(self) -> str:
        return f"llm eval: tests with cases that flipped: {len(self._flips)}"
