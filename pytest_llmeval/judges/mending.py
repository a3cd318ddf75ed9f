"""A damaged JSON object, mended: punctuation is put right, and no word or figure changed."""

from __future__ import annotations

import json
import re
from typing import Any

from .objects import Fault, Found

_MENDABLE = 12_000
"""The longest damaged object, in characters, worth mending: the time goes by the square."""


def decoded(found: list[Found]) -> list[tuple[Found, Any]]:
    """What those of ``found`` hold that a verdict may be read from, each with its value.

    Those are the sound ones and a damaged one, where it is the only one and can be mended. Raises
    ``Fault`` where damaged ones leave nothing to read.
    """
    damaged = {each.text for each in found if each.value is None}
    if len(damaged) > 1:
        raise Fault("it holds several JSON objects that are damaged.")
    sound = any(each.value is not None for each in found)
    values: list[tuple[Found, Any]] = []
    for each in found:
        try:
            values.append((each, mended(each.text) if each.value is None else each.value))
        except Fault:
            if not sound:
                raise
    return values


def mended(text: str) -> Any:
    """The value of a damaged object, closed but for that. Raises ``Fault``.

    A mend may add or drop punctuation: marks around strings, commas, comments. It never adds,
    drops or changes a word or a figure: ``3 or 4`` is not 3, and ``1_0`` is not 10.
    """
    fault = Fault("the JSON object is damaged.")
    if len(text) > _MENDABLE:
        raise fault
    import json_repair

    try:
        value = json_repair.loads(text, skip_json_loads=True)
        kept = _substance(json.dumps(value, ensure_ascii=False)) == _substance(_uncommented(text))
    except Exception:
        raise fault from None
    if not kept:
        raise fault
    return value


_COMMENT = re.compile(
    r"""("(?:[^"\\]|\\.)*"|(?<=[\s{\[,:])'(?:[^'\\]|\\.)*')|//[^\n]*|\#[^\n]*|/\*.*?\*/""",
    re.DOTALL | re.VERBOSE,
)


def _uncommented(text: str) -> str:
    return _COMMENT.sub(lambda match: match[1] or " ", text)


def _substance(text: str) -> str:
    """``text`` without what a mend may touch: every run of marks, commas and blanks is a space."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    text = re.sub(r"\\[nrtbf]", " ", text)
    text = re.sub(r"""[\s"'“”‘’,\\]+""", " ", text).casefold()
    return re.sub(r" ?([{}\[\]:]) ?", r"\1", re.sub(r"\bnone\b", "null", text))
