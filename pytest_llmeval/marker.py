"""The marker ``llm_eval``: which arguments it takes, and what is wrong with one."""

from __future__ import annotations

import pytest

from .errors import UsageError
from .gates.group import rate_of

TAKES = "deferred=True or False, min_pass_rate=RATE, must_pass=[CASE, …] and tags=[TAG, …]"
_ARGUMENTS = ("deferred", "min_pass_rate", "must_pass", "tags")


def fault_in(marker: pytest.Mark) -> str | None:
    """What is wrong with ``marker``, None where nothing is."""
    given = marker.kwargs
    wrong = [*map(repr, marker.args), *(name for name in given if name not in _ARGUMENTS)]
    if not isinstance(given.get("deferred", True), bool):
        wrong.append(f"deferred={given['deferred']!r}")
    wrong += [
        f"{name}={given[name]!r}"
        for name in ("must_pass", "tags")
        if not _is_texts(given.get(name, []))
    ]
    if wrong:
        return f"llm_eval takes {TAKES}; got {', '.join(wrong)}"
    if "min_pass_rate" in given:
        try:
            rate_of(given["min_pass_rate"])
        except UsageError as error:
            return f"llm_eval: {error}"
    elif "must_pass" in given:
        return "llm_eval: must_pass= goes with min_pass_rate=, which is missing"
    return None


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple | set) and all(isinstance(each, str) for each in value)
