"""Templates that are programs: jinja2 in a sandbox, with strict placeholders."""

from __future__ import annotations

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
def compiled(source: str) -> tuple[Template, frozenset[str]]:
    """``source`` as a template, with the names it expects. Raises ``UsageError`` on bad syntax."""
    try:
        names = meta.find_undeclared_variables(_ENVIRONMENT.parse(source))
        return _ENVIRONMENT.from_string(source), frozenset(names)
    except TemplateSyntaxError as error:
        raise UsageError(f"template, line {error.lineno}: {error.message}") from None
    except Exception as error:
        # A template is a program: nested too deeply, it fails in ways that are no syntax error.
        raise UsageError(f"template: {error}") from None
