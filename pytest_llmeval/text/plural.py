"""Plurals: how many of something there are, in words."""

from __future__ import annotations

from collections.abc import Sequence


def many(count: int, what: str) -> str:
    """``count`` of ``what``, in the plural but for one: "1 check", "2 checks"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def first_few(names: Sequence[str], most: int) -> list[str]:
    """``names``, those beyond ``most`` of them only counted: "a", "b", "3 more"."""
    return [*names[:most], *[f"{len(names) - most} more"] * (len(names) > most)]
