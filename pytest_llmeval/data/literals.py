"""Literals: lists and objects that stand as text, as JSON or as Python prints them."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from typing import Any

from ..errors import CaseTypeError
from .json_text import JsonFault, value_of

AS_JSON = "write it as JSON, as json.dumps does"
"""What to do about text that can't be read back."""


def literal(text: str) -> Any:
    """The list or object that ``text`` is in JSON, or as Python (and so pandas) writes it.

    None where it is neither. Raises ``CaseTypeError`` for texts without a comma between them, which
    Python would take for one.
    """
    try:
        return value_of(text)
    except JsonFault:
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of a backslash that no program prints so
            held = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError, Warning):
        return None
    if _has_neighbours(text):
        told = "two texts stand side by side without a comma, as numpy prints a list"
        raise CaseTypeError(f"{told}: {AS_JSON}")
    return held


def _has_neighbours(text: str) -> bool:
    before = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == before == tokenize.STRING:
            return True
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT):
            before = token.type
    return False
