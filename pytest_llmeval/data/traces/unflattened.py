"""Lists that attributes tell field by field: ``retrieval.documents.0.document.content``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DEEPEST = 20


def unflattened(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """The list called ``prefix``, put together of the ``attributes`` that tell its fields."""
    tree: dict[str, Any] = {}
    for name, value in attributes.items():
        steps = name.removeprefix(f"{prefix}.").split(".")
        if not name.startswith(f"{prefix}.") or not _is_index(steps[0]) or len(steps) > _DEEPEST:
            continue
        at = tree
        for step in steps[:-1]:
            inner = at.setdefault(step, {})
            if not isinstance(inner, dict):
                break
            at = inner
        else:
            at.setdefault(steps[-1], value)
    made = _with_lists(tree)
    return made if isinstance(made, list) else []


def _with_lists(value: Any) -> Any:
    """``value`` with a list in place of every object whose names are all indexes."""
    if not isinstance(value, dict):
        return value
    made = {name: _with_lists(each) for name, each in value.items()}
    if made and all(map(_is_index, made)):
        return [made[name] for name in sorted(made, key=int)]
    return made


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) < 10
