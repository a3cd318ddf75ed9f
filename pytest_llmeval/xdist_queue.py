"""What an xdist worker has been given to run: the one place that looks into xdist."""

from __future__ import annotations

import pytest


def queued(config: pytest.Config) -> list[int]:
    """The indices of the tests that this worker will run next; empty where that can't be known."""
    plugins = (plugin for _, plugin in config.pluginmanager.list_name_plugin())
    worker = next((each for each in plugins if hasattr(each, "torun")), None)
    try:
        with worker.torun.lock() as queue:  # type: ignore[union-attr]
            return [index for index in queue if isinstance(index, int)]
    except AttributeError:
        return []
