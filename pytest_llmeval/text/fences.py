"""Fences: untrusted text stands in a prompt between marks that it cannot contain."""

from __future__ import annotations

from hashlib import sha256

from .encodable import encodable


def fenced(name: str, text: str) -> str:
    """``text`` between an opening and a closing tag called ``name``, which it cannot close.

    The tag carries a digest of the text itself, so that nobody who writes the text can write its
    closing tag into it, and the same text always makes the same prompt. Lone surrogates, which
    no request can carry, become U+FFFD.
    """
    text = encodable(text)
    mark = sha256(text.encode()).hexdigest()[:12]
    while mark in text:
        mark = sha256(mark.encode()).hexdigest()[:12]
    tag = f"{name}-{mark}"
    return f"<{tag}>\n{text}\n</{tag}>"
