"""JSON objects in which every name stands once: which of two is meant, readers do not agree on."""

from __future__ import annotations

from typing import Any

from .shown import shown


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of ``pairs``, as ``object_pairs_hook`` takes it.

    Raises ``ValueError`` that names what stands twice.
    """
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise ValueError(f"{shown(name, 60)!r} is given twice in one object")
        made[name] = value
    return made
