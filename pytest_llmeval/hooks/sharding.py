"""The part of the plugin that is there when only a share of the tests is to run: ``shard=K/N``."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from ..text.plural import many
from ..trials import case_test, kept_together

PLUGIN = "llm_eval_sharding"
_TOLD = "llm_eval_elsewhere"


class Sharding:
    """Leaves to other shards what is theirs, once all other selection is done.

    Each test is in exactly one of the ``of`` shards, told from the node ids of all that are
    selected: neither the order of collection nor xdist has a part in it. Every ``of``-th test in
    the order of node ids is taken, not a block of them: tests of one function or module ask the
    same judge the same kind of question, so that their cost is spread. What a module's fixtures
    take is then spent in every shard, at the same time. The trials of a case that end early go
    together, since they have to know of each other.

    ``elsewhere`` counts what was left, which is no selection of the user's; ``others`` are the node
    ids of these tests, where they were collected.
    """

    def __init__(self, share: str) -> None:
        number, of = share.split("/")
        self.share = share
        self.elsewhere = 0
        self.others: frozenset[str] = frozenset()
        self._place = int(number) - 1
        self._of = int(of)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        yield
        names = {item.nodeid: _name(item) for item in items}
        ours = set(sorted({*names.values()})[self._place :: self._of])
        others = [item for item in items if names[item.nodeid] not in ours]
        if others:
            self.elsewhere = len(others)
            self.others = frozenset(item.nodeid for item in others)
            config.hook.pytest_deselected(items=others)
            items[:] = [item for item in items if names[item.nodeid] in ours]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = getattr(node, "workeroutput", {}).get(_TOLD, 0)
        self.elsewhere = max(self.elsewhere, told)  # every worker collects the same tests

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End a shard well that has no test because there are more shards than tests."""
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_TOLD] = self.elsewhere
        elif session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self.elsewhere:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the tests are that pytest calls deselected."""
        if self.elsewhere:
            counted = many(self.elsewhere, "test")
            terminalreporter.write_line(f"llm eval: shard {self.share}, {counted} in other shards")


def _name(item: pytest.Item) -> str:
    """What ``item`` is dealt out by: the trials of a case that have to be together by one name."""
    return case_test(item) if kept_together(item) else item.nodeid
