"""Templates of prompts: rendered once, in a sandbox, every placeholder known and filled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from keyword import iskeyword

from ..errors import UsageError
from .exhibits import Exhibited, Own

_FIELD = re.compile(r"\{\{ *([A-Za-z][A-Za-z0-9_]*) *\}\}")
_PROGRAM = re.compile(r"\{([{%#]|\Z)|\r")
"""What text outside of placeholders does not hold where a template is no program."""
_NO_FIELDS = ("true", "false", "none", "self", "loop")


@lru_cache(maxsize=256)
def _fields(source: str) -> tuple[str, ...] | None:
    """Text and field in turn, where ``source`` is made of nothing else; None for a program."""
    pieces = _FIELD.split(source)
    texts, names = pieces[::2], pieces[1::2]
    if any(map(_PROGRAM.search, texts)):
        return None
    if any(iskeyword(name) or name in _NO_FIELDS for name in names):
        return None
    return tuple(piece if at % 2 else Own(piece) for at, piece in enumerate(pieces))


def placeholders(source: str) -> frozenset[str]:
    """The names that ``source`` expects to be filled.

    Raises ``UsageError`` on bad syntax, and for a block that would take up what is printed within
    it: fences could be cut there.
    """
    if (pieces := _fields(source)) is not None:
        return frozenset(pieces[1::2])
    # jinja2 takes longer to import than most runs take to render.
    from .sandbox import compiled

    return compiled(source).names


def shown_by(source: str) -> frozenset[str]:
    """Those of its placeholders whose values ``source`` prints, as far as its syntax tells.

    A placeholder that is only asked about, as in ``{% if context %}``, is none of them.
    """
    if (pieces := _fields(source)) is not None:
        return frozenset(pieces[1::2])
    from .sandbox import compiled

    return compiled(source).shown


def render(source: str, values: Mapping[str, object]) -> str:
    """``source`` with its placeholders filled from ``values``; what is filled in stays text.

    The template works on the values as they are. What it prints of an exhibit stands in the
    prompt as that says; any other text that it makes of values stands in a fence of its own.
    Plain text among ``values`` is the author's, and is printed as it is.

    Raises ``UsageError`` when a placeholder has no value or prints one that is neither text nor a
    number, when the template reaches for what the sandbox keeps from it, or fails while it runs.
    """
    names = placeholders(source)
    if unknown := sorted(names - values.keys()):
        known = ", ".join(sorted(values)) or "none"
        raise UsageError(f"template: no value for {', '.join(unknown)}; known here: {known}")
    given = {name: _own(values[name]) for name in names}
    pieces = _fields(source)
    if pieces is not None:
        filled = [given[piece] if at % 2 else piece for at, piece in enumerate(pieces)]
        if all(isinstance(each, Exhibited) for each in filled):
            return "".join(each.printed for each in filled).strip()  # type: ignore[attr-defined]
    from .sandbox import compiled

    try:
        return compiled(source).template.render(given).strip()
    except Exception as error:
        raise UsageError(f"template: {error}") from None


def _own(value: object) -> object:
    return Own(value) if type(value) is str else value
