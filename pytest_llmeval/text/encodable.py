"""Text that can be sent: lone surrogates, which no encoding carries, replaced."""

from __future__ import annotations


def carried(text: str) -> str:
    """``text`` as UTF-8 carries it to another process: "?" for each lone surrogate."""
    return text.encode("utf-8", "replace").decode("utf-8")


def encodable(text: str) -> str:
    """``text`` with pairs of surrogates joined, and U+FFFD for each that stands alone."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
