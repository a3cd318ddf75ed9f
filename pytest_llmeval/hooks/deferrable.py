"""Which tests are deferred, and which can be: those whose outcome nobody must know as they run."""

from __future__ import annotations

import unittest

import pytest

from ..trials import trial_of

PLUGIN = "llm_eval_deferred"
"""Under which name deferred tests are run."""

_STEPPED_THROUGH = ("usepdb", "trace", "setupshow")
_PROTOCOLS_KNOWN = {PLUGIN, "runner", "rerunfailures"}


def may_defer(config: pytest.Config) -> bool:
    """Whether a run can hold tests: not a worker of pytest-xdist, whose death would lose them,
    nor a run that is stepped through."""
    stepped = any(config.getoption(name, False) for name in _STEPPED_THROUGH)
    return not stepped and not hasattr(config, "workerinput")


def is_deferred(item: pytest.Item, by_default: bool) -> bool:
    """What the marker closest to ``item`` says about it, else the setting."""
    marked = list(item.iter_markers("llm_eval"))
    said = [marker.kwargs["deferred"] for marker in marked if "deferred" in marker.kwargs]
    return bool(said[0]) if said else by_default and bool(marked)


def can_be_held(item: pytest.Item) -> bool:
    """Whether nothing has to know the outcome of ``item`` while it runs, nor it that of others."""
    trial = trial_of(item)
    if trial is not None and trial.extra:
        return False  # whether it runs hangs on the trials before it
    if not isinstance(item, pytest.Function) or _has_foreign_protocol(item.config):
        return False
    if item.cls is not None and issubclass(item.cls, unittest.TestCase):
        return False
    fixtures = item.fixturenames
    if "tmp_path" in fixtures and item.config.getini("tmp_path_retention_policy") == "failed":
        return False
    return "subtests" not in fixtures and not _is_rerun(item)


def _is_rerun(item: pytest.Item) -> bool:
    """Whether pytest-rerunfailures runs ``item``."""
    config = item.config
    if not config.pluginmanager.has_plugin("rerunfailures"):
        return False
    given = [config.getoption(name, None) for name in ("reruns", "force_reruns")]
    given.append(config.getini("reruns") or None)
    return item.get_closest_marker("flaky") is not None or any(each is not None for each in given)


def _has_foreign_protocol(config: pytest.Config) -> bool:
    """Whether another plugin, one that is not known here, may run tests in its own way."""
    return any(
        impl.plugin_name not in _PROTOCOLS_KNOWN
        for impl in config.hook.pytest_runtest_protocol.get_hookimpls()
        if not (impl.wrapper or impl.hookwrapper)
    )
