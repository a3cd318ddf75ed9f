"""Escapes: characters written as JSON, HTML and URLs write them, and the text without these."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from urllib.parse import unquote

from .encodable import encodable

_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))",
    re.DOTALL,
)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "/": "/", "\\": "\\"}
_CONTROLS |= {quote: quote for quote in "\"'"}
_LAYERS = 4
"""How often a text is unescaped at most: an escape may hold another one."""


def readings(text: str) -> Iterator[str]:
    """What ``text`` reads as where escapes in it are undone, each other text once.

    That is those of JSON (``\\u0040``), of HTML (``&#64;``) or of URLs (``%40``) alone, and all of
    them, also those that others hold, a few times over.
    """
    seen = {text}
    for undo in (_backslashes, html.unescape, unquote, _all):
        plain = undo(text)
        if plain not in seen:
            seen.add(plain)
            yield plain


def _all(text: str) -> str:
    for _ in range(_LAYERS):
        plain = unquote(html.unescape(_backslashes(text)))
        if plain == text:
            break
        text = plain
    return text


def _backslashes(text: str) -> str:
    return encodable(_ESCAPE.sub(_character, text)) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    for digits in escape.group(1, 2, 3, 4):
        if digits is not None and (code := int(digits, 16)) <= 0x10FFFF:
            return chr(code)
    return _CONTROLS.get(escape[5] or "", escape[0])
