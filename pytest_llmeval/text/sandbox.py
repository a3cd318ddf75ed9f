"""Templates that are programs: jinja2 in a sandbox, with strict placeholders."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, Undefined, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..errors import UsageError
from .dataflow import printed_names
from .exhibits import Exhibited
from .fences import fenced

_CAPTURING = {
    nodes.FilterBlock: "filter",
    nodes.AssignBlock: "set",
    nodes.Macro: "macro",
    nodes.CallBlock: "call",
    nodes.ScopedEvalContextModifier: "autoescape",
}
"""Blocks that take up what is printed within them, fences and all, and may change these."""


@dataclass(frozen=True)
class Program:
    """A template, the ``names`` that it expects, and those of them that it may print."""

    template: Template
    names: frozenset[str]
    shown: frozenset[str]


def _in_prompt(value: object) -> object:
    """What an expression puts into the prompt, after all of its filters.

    Text that a template has made of others may hold what is under test, so that it is fenced
    too; numbers stay, and an object is never put in as its repr.
    """
    if isinstance(value, Exhibited):
        return value.printed
    if isinstance(value, str):
        return fenced("text", str(value)) if value else ""
    if isinstance(value, int | float | Undefined):
        return value
    raise UsageError(f"expected text or a number in a placeholder, got {type(value).__name__}")


_ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=_in_prompt,
)


@lru_cache(maxsize=256)
def compiled(source: str) -> Program:
    """``source`` as a template, looked through. Raises ``UsageError`` as ``placeholders`` does."""
    try:
        tree = _ENVIRONMENT.parse(source)
        _check_blocks(tree)
        names = frozenset(meta.find_undeclared_variables(tree))
        shown = printed_names(tree) & names
        return Program(_ENVIRONMENT.from_string(source), names, shown)
    except UsageError:
        raise
    except TemplateSyntaxError as error:
        raise UsageError(f"template, line {error.lineno}: {error.message}") from None
    except Exception as error:
        # A template is a program: nested too deeply, it fails in ways that are no syntax error.
        raise UsageError(f"template: {error}") from None


def _check_blocks(tree: nodes.Template) -> None:
    for block in tree.find_all(tuple(_CAPTURING)):
        name = _CAPTURING[type(block)]
        raise UsageError(
            f"template, line {block.lineno}: a prompt has no {{% {name} %}} block, which could "
            "cut the fences within it: use a filter of a value, as {{ response|upper }}, or "
            "{% set name = value %}"
        )
