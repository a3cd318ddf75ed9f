"""The JSON objects that stand in a text, wherever they stand, sound or damaged."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_THINKING = "(?:think(?:ing)?|thoughts?|reasoning|scratchpad|analysis)"
_THOUGHT = (
    rf"</{_THINKING}>|\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>"
)
_START = re.compile(
    rf"""<{_THINKING}> | \[think\] | ◁think▷ | {_THOUGHT}
    | \[\s*(?=\{{) | \{{(?=\s*(?:["'“”‘’}}\#/]|\w+\s*:))""",
    re.IGNORECASE | re.VERBOSE,
)
"""Where something begins: thinking, a list of objects, an object (braces in prose are neither)."""

THOUGHT = re.compile(_THOUGHT, re.IGNORECASE)
"""Where thinking ends, as models mark it."""

_PIECE = re.compile(r"""[{}\[\]"]|(?<=[\s{\[,:])'|//[^\n]*|\#[^\n]*|/\*""", re.VERBOSE)
_IN_STRING = {quote: re.compile(rf"\\.|{quote}", re.DOTALL) for quote in "\"'"}
_AFTER_STRING = re.compile(r"\s*(?:[:,}\]#]|//|/\*)")

_MOST = 100
"""The most objects in one reply worth looking into."""


class Fault(ValueError):
    """Why a reply cannot be read, in words that the judge can be told."""


class Damaged(ValueError):
    """The text is not JSON."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object, or a list of objects, that stands in a text.

    ``value`` is None when it is damaged; ``text`` is its slice; ``place`` is how many pieces of
    prose stand before it.
    """

    text: str
    value: dict[str, Any] | list[Any] | None
    place: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text taken apart: the objects in it and the pieces of prose around them.

    ``thinking`` tells that thinking begins in it and does not end.
    """

    found: list[Found]
    pieces: list[str]
    thinking: bool

    @property
    def prose(self) -> str:
        """All of the prose, a line for each piece."""
        return "\n".join(self.pieces)

    def around(self, found: Found) -> tuple[str, str]:
        """The prose before the object ``found`` and the prose after it."""
        return "\n".join(self.pieces[: found.place]), "\n".join(self.pieces[found.place :])


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made and repr(made[name]) != repr(value):
            raise Fault(f"{name[:40]!r} is given twice, with different values.")
        made[name] = value
    return made


_STRICT = json.JSONDecoder(object_pairs_hook=_pairs)
_LENIENT = json.JSONDecoder(object_pairs_hook=_pairs, strict=False)


def bare(text: str) -> str:
    """``text`` without the blanks around it, and a byte order mark."""
    return text.strip().removeprefix("\ufeff")


def whole(text: str) -> Any:
    """The value that ``text`` is in strict JSON, whatever blanks and byte order mark are before it.

    Raises ``Damaged``, or ``Fault`` for an object that gives one name two values.
    """
    try:
        return _STRICT.decode(bare(text))
    except Fault:
        raise
    except ValueError as error:
        raise Damaged(str(error)) from None


def objects_in(text: str) -> Pieces:
    """The outermost objects of ``text``, in order, and the prose around them; no thinking block.

    Raises ``Fault`` for an object that is not closed, which may be anything but whole, or that
    gives one name two values, and for more objects than anybody means; ``RecursionError`` for one
    nested too deeply.
    """
    found: list[Found] = []
    prose: list[str] = []
    thought = max((match.end() for match in THOUGHT.finditer(text)), default=0)
    at = seen = 0
    thinking = False
    while start := _START.search(text, at):
        prose.append(text[at : start.start()])
        at = start.end()
        if THOUGHT.fullmatch(start[0]):
            found.clear()
            prose.clear()
            thinking = False
        elif start[0][-1] in ">]▷":
            if at < thought and (end := THOUGHT.search(text, at)):
                at = end.end()
            else:
                thinking = True
        else:
            value, at = _decoded(text, start.start())
            if not _in_marks(text, start.start(), at):
                found.append(Found(text[start.start() : at], value, len(prose)))
            seen += 1
            if seen > _MOST:
                raise Fault(f"it holds more than {_MOST} JSON objects.")
    prose.append(text[at:])
    return Pieces(found, prose, thinking)


def _decoded(text: str, start: int) -> tuple[Any, int]:
    try:
        return _LENIENT.raw_decode(text, start)
    except Fault:
        raise
    except ValueError:
        return None, _end(text, start)


def _in_marks(text: str, start: int, end: int) -> bool:
    """Whether quotation marks stand around the slice: a string that holds JSON is a string."""
    before = text[max(start - 1, 0) : start]
    return before != "" and before in "\"'" and text[end : end + 1] == before


def _end(text: str, start: int) -> int:
    """Where the damaged object that begins at ``start`` ends: at the bracket that closes it."""
    depth, at = 0, start
    while piece := _PIECE.search(text, at):
        at = piece.end()
        if piece[0] in "{[":
            depth += 1
        elif piece[0] in "}]":
            depth -= 1
            if depth == 0:
                return at
        elif piece[0] in "\"'":
            at = _end_of_string(text, at, piece[0])
        elif piece[0] == "/*":
            close = text.find("*/", at)
            at = close + 2 if close >= 0 else len(text)
    raise Fault("the JSON object is not closed.")


def _end_of_string(text: str, at: int, quote: str) -> int:
    """Where the string ends: at a mark with something after it that may follow a string."""
    while mark := _IN_STRING[quote].search(text, at):
        at = mark.end()
        if mark[0] == quote and _AFTER_STRING.match(text, at):
            return at
    return len(text)
