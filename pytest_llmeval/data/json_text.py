"""JSON as data is written in it: a name once in each object, and numbers that are numbers."""

from __future__ import annotations

import json
from typing import Any


class JsonFault(ValueError):
    """Why a text is no JSON that can be taken; ``at`` is the character, None where none is known.

    ``of_content`` says that the text is JSON by its form.
    """

    def __init__(self, message: str, at: int | None = None, of_content: bool = False) -> None:
        super().__init__(message)
        self.at = at
        self.of_content = of_content


def decoded(text: str, start: int = 0) -> tuple[Any, int]:
    """The value that begins at ``start``, and where it ends. Raises ``JsonFault``."""
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise JsonFault(_lowered(error.msg), error.pos) from None
    except RecursionError:
        raise JsonFault("it is nested too deeply") from None
    except JsonFault:
        raise
    except ValueError:  # of an integer, by Python's limit on their length
        raise JsonFault("a number has too many digits", of_content=True) from None


def value_of(text: str) -> Any:
    """The one value that ``text`` is. Raises ``JsonFault``."""
    value, end = decoded(text, spaces_end(text, 0))
    end = spaces_end(text, end)
    if end < len(text):
        raise JsonFault("something follows its end", end)
    return value


def spaces_end(text: str, start: int) -> int:
    """Where the white space ends that begins at ``start``."""
    end = start
    while text[end : end + 1] in _SPACES:
        end += 1
    return end


_SPACES = frozenset(" \t\n\r")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise JsonFault(f"{twice!r} is given twice in one object", of_content=True)
    return values


def _constant(name: str) -> Any:
    raise JsonFault(f"{name} is no number that JSON knows; leave it out, or write null", None, True)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
