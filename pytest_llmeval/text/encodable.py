"""Text that can be sent: lone surrogates, which no encoding carries, replaced."""

from __future__ import annotations


def encodable(text: str) -> str:
    """``text`` with pairs of surrogates joined, and U+FFFD for each that stands alone."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
