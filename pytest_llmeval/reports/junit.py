"""JUnit XML: a test whose check got no verdict is an ``<error>`` there, not a ``<failure>``."""

from __future__ import annotations

from typing import Any

import pytest


def as_error(config: pytest.Config, report: Any) -> None:
    """Have pytest's own JUnit report, if one is written, file ``report`` as an error.

    pytest files every failing call as a failure and offers no hook for it, so that the node of
    this one test is told otherwise.
    """
    plugins: list[tuple[str, Any]] = config.pluginmanager.list_name_plugin()
    for _, plugin in plugins:
        if type(plugin).__name__ == "LogXML":
            node = plugin.node_reporter(report)

            def append_error(report: Any, node: Any = node) -> None:
                crash = getattr(report.longrepr, "reprcrash", None)
                message = crash.message if crash else str(report.longrepr)
                del node.append_failure  # a later failure of the same test is one
                node._add_simple("error", message, str(report.longrepr))

            node.append_failure = append_error
