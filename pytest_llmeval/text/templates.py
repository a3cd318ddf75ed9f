"""Templates of prompts: rendered once, in a sandbox, every placeholder known and filled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from keyword import iskeyword
from typing import Any

from ..errors import UsageError

_FIELD = re.compile(r"\{\{ *([A-Za-z][A-Za-z0-9_]*) *\}\}")
_PROGRAM = re.compile(r"\{([{%#]|\Z)|\r")
"""What text outside of placeholders does not hold where a template is no program."""
_NO_FIELDS = ("true", "false", "none", "self", "loop")


@lru_cache(maxsize=256)
def _fields(source: str) -> tuple[str, ...] | None:
    """Text and field in turn, where ``source`` is made of nothing else; None for a program."""
    pieces = tuple(_FIELD.split(source))
    texts, names = pieces[::2], pieces[1::2]
    if any(map(_PROGRAM.search, texts)):
        return None
    return None if any(iskeyword(name) or name in _NO_FIELDS for name in names) else pieces


def placeholders(source: str) -> frozenset[str]:
    """The names that ``source`` expects to be filled. Raises ``UsageError`` on bad syntax."""
    if (pieces := _fields(source)) is not None:
        return frozenset(pieces[1::2])
    from .sandbox import compiled

    return compiled(source)[1]


def render(source: str, values: Mapping[str, object]) -> str:
    """``source`` with its placeholders filled from ``values``; what is filled in stays text.

    Raises ``UsageError`` when a placeholder has no value or one that is neither text nor a
    number, when the template reaches for what the sandbox keeps from it, or fails while it runs.
    """
    if unknown := sorted(placeholders(source) - values.keys()):
        known = ", ".join(sorted(values)) or "none"
        raise UsageError(f"template: no value for {', '.join(unknown)}; known here: {known}")
    pieces = _fields(source)
    if pieces is not None and all(type(values[name]) is str for name in pieces[1::2]):
        return _filled(pieces, values)
    # jinja2 takes longer to import than most runs take to render.
    from .sandbox import compiled

    try:
        return compiled(source)[0].render(values).strip()
    except Exception as error:
        raise UsageError(f"template: {error}") from None


def _filled(pieces: tuple[str, ...], values: Mapping[str, Any]) -> str:
    filled = [values[piece] if index % 2 else piece for index, piece in enumerate(pieces)]
    return "".join(filled).strip()
