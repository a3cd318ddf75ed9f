"""Redaction: what plugins and conftests take out of verdicts before they are committed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ..errors import UsageError
from ..judges.verdict_files import Redact
from ..text.shown import shown

HOOK = "pytest_llm_eval_redact"


def redaction(plugins: pytest.PytestPluginManager) -> Redact | None:
    """What the plugins' hooks, one after the other, make of an entry; None without a hook.

    It raises ``UsageError`` for a hook that raises, whatever that is: nothing is then written.
    """
    hooks = plugins.hook.pytest_llm_eval_redact.get_hookimpls()
    if not hooks:
        return None

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
