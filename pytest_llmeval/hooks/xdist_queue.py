"""What an xdist worker has been given to run: the one place that looks into xdist."""

from __future__ import annotations

from typing import Any

import pytest


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
