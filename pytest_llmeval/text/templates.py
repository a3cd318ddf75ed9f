"""Templates of prompts: rendered once, in a sandbox, every placeholder known and filled."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, Undefined, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..errors import UsageError


def _as_text(value: object) -> object:
    """What a placeholder puts into the prompt: text and numbers, never the repr of an object."""
    if isinstance(value, str | int | float | Undefined):
        return value
    raise UsageError(f"expected text or a number in a placeholder, got {type(value).__name__}")


_ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=_as_text,
)


@lru_cache(maxsize=256)
def _compiled(source: str) -> tuple[Template, frozenset[str]]:
    try:
        names = meta.find_undeclared_variables(_ENVIRONMENT.parse(source))
        return _ENVIRONMENT.from_string(source), frozenset(names)
    except TemplateSyntaxError as error:
        raise UsageError(f"template, line {error.lineno}: {error.message}") from None
    except Exception as error:
        # A template is a program: nested too deeply, it fails in ways that are no syntax error.
        raise UsageError(f"template: {error}") from None


def placeholders(source: str) -> frozenset[str]:
    """The names that ``source`` expects to be filled. Raises ``UsageError`` on bad syntax."""
    return _compiled(source)[1]


def render(source: str, values: Mapping[str, object]) -> str:
    """``source`` with its placeholders filled from ``values``; what is filled in stays text.

    Raises ``UsageError`` when a placeholder has no value or one that is neither text nor a
    number, when the template reaches for what the sandbox keeps from it, or fails while it runs.
    """
    template, names = _compiled(source)
    if unknown := sorted(names - values.keys()):
        known = ", ".join(sorted(values)) or "none"
        raise UsageError(f"template: no value for {', '.join(unknown)}; known here: {known}")
    try:
        return template.render(values).strip()
    except Exception as error:
        raise UsageError(f"template: {error}") from None
