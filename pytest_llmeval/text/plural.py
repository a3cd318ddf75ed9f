"""Plurals: how many of something there are, in words."""

from __future__ import annotations


def many(count: int, what: str) -> str:
    """``count`` of ``what``, in the plural but for one: "1 check", "2 checks"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
