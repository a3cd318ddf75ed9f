"""The texts of an entry, put through a change that knows nothing of how they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import UsageError
from .objects import Damaged, Fault, objects_in, whole

Change = Callable[[str], str]

_STRING = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?', re.DOTALL)
"""A string of JSON; with a second group the name of a value."""


def redact_texts(entry: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """``entry`` with ``change`` made to each of its texts: for ``pytest_llm_eval_redact``.

    These are the content of each message, and the texts within the reply: the strings in its JSON,
    without the names of values, each as it reads once its escapes are undone, and what stands
    around that JSON. What ``change`` leaves alone stays as it came.

    Raises ``UsageError`` where ``change`` gives something else than a text.
    """

    def changed(text: str) -> str:
        made = change(text)
        if not isinstance(made, str):
            raise UsageError(
                f"redact_texts takes a function from text to text; it gave {type(made).__name__}"
            )
        return made

    messages = [[role, changed(text)] for role, text in entry["messages"]]
    return {**entry, "messages": messages, "said": _reply(entry["said"], changed)}


def _reply(said: str, change: Change) -> str:
    try:
        whole(said.strip().removeprefix("\ufeff"))
        return _in_strings(said, change)
    except (Damaged, Fault, RecursionError):
        objects = _sound(said)
    parts = re.split(f"({'|'.join(map(re.escape, objects))})", said) if objects else [said]
    return "".join(_part(part, part in objects, change) for part in parts if part)


def _part(text: str, is_object: bool, change: Change) -> str:
    made = _in_strings(text, change)
    # Elsewhere no marks tell surely what is a text: in damaged JSON, prose, thinking.
    return made if is_object else change(made)


def _sound(said: str) -> list[str]:
    """The objects in ``said`` that are sound JSON, the longest first."""
    try:
        found = [each.text for each in objects_in(said).found if each.value is not None]
    except (Fault, RecursionError):
        return []
    return sorted(found, key=len, reverse=True)


def _in_strings(text: str, change: Change) -> str:
    """``text``, which holds JSON, with ``change`` made to its strings and everything else kept."""

    def rewritten(match: re.Match[str]) -> str:
        if match[2]:
            return match[0]
        try:
            plain = json.loads(match[1], strict=False)
        except ValueError:
            return match[0]
        made = change(plain)
        return match[0] if made == plain else json.dumps(made, ensure_ascii=False)

    return _STRING.sub(rewritten, text)
