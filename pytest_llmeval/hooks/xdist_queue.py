"""How xdist deals out tests, and what a worker has been given: the one place that looks into it."""

from __future__ import annotations

from typing import Any

import pytest

from ..errors import UsageError


def queued(config: pytest.Config) -> list[int]:
    """The indices of the tests that this worker will run next; empty where that can't be known."""
    plugins: list[tuple[str, Any]] = config.pluginmanager.list_name_plugin()
    worker = next((each for _, each in plugins if hasattr(each, "torun")), None)
    if worker is None:
        return []
    try:
        with worker.torun.lock() as queue:
            return [index for index in queue if isinstance(index, int)]
    except AttributeError:
        return []


def dist_of(config: pytest.Config) -> str:
    """How tests are dealt out to workers; "no" without any, whatever ``--dist`` says then."""
    return str(config.getoption("dist", "no")) if config.getoption("tx", None) else "no"


def refuse_each(config: pytest.Config) -> None:
    """Raise ``UsageError`` where xdist is to run each test in each of several workers.

    Every check would count as often, and be paid as often; what is meant by that are trials.
    """
    workers: list[str] = config.getoption("tx", None) or []
    counts = (int(count) if (count := each.partition("*")[0]).isdigit() else 1 for each in workers)
    if config.getoption("dist", "no") == "each" and sum(counts) > 1:
        raise UsageError(
            "--dist=each runs every test in every worker, so that every check would be made and "
            "counted several times: use another --dist, and trials= for several runs of the app"
        )
