"""Redaction: what plugins and conftests take out of verdicts before they are committed, and how
often a run relies on verdicts of which something was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ..errors import UsageError
from ..judges.committed import Verdicts
from ..judges.redacted import HOOK, Redact
from ..session import Session
from ..text.shown import shown


def redacts(plugins: pytest.PytestPluginManager) -> bool:
    """Whether a plugin or conftest that is loaded by now redacts verdicts."""
    return bool(plugins.hook.pytest_llm_eval_redact.get_hookimpls())


class RedactedReplay:
    """A hook that says how many of the verdicts that a run used are redacted ones."""

    def __init__(self, session: Session, verdicts: Verdicts) -> None:
        self._session = session
        self._verdicts = verdicts

    def pytest_sessionfinish(self) -> None:
        ledger = self._session.ledger
        used = {key for record in ledger for key in record.keys}
        if count := self._verdicts.redacted(used):
            ledger.notices[
                f"redacted verdicts: {count}, found by their keys, which can't be held against "
                "what was taken out"
            ] = None


def redaction(plugins: pytest.PytestPluginManager) -> Redact | None:
    """What the plugins' hooks, one after the other, make of an entry; None without a hook.

    It raises ``UsageError`` for a hook that raises, whatever that is: nothing is then written.
    """
    if not redacts(plugins):
        return None
    hooks = plugins.hook.pytest_llm_eval_redact.get_hookimpls()

    def redact(entry: dict[str, Any]) -> Mapping[str, Any] | None:
        redacted: Any = entry
        for hook in hooks:
            if redacted is None:
                return None
            redacted = _called(hook, redacted)
        return redacted  # type: ignore[no-any-return]

    return redact


def _called(hook: Any, entry: object) -> object:
    given = {"entry": entry} if "entry" in hook.argnames else {}
    try:
        return hook.function(**given)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also pytest.exit, which would end a run well that wrote none
        source = getattr(hook.plugin, "__file__", None) or hook.plugin_name
        raised = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise UsageError(f"{source}: {HOOK} raised {shown(raised)}") from error
