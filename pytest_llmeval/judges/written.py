"""Judges and their parameters as settings write them: one line, or one entry."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from ..errors import UsageError
from .model import Judge

_FIELDS: dict[str, Callable[[str], Any]] = {
    "base_url": str,
    "key_env": str,
    "temperature": lambda text: None if text.lower() == "none" else float(text),
    "seed": int,
    "reply_tokens": int,
    "timeout": float,
    "name": str,
}


def parse_judge(line: str) -> tuple[str, Judge]:
    """``strict = openai/gpt-5-mini temperature=0 reasoning_effort=high`` as a name and its judge.

    Words are split as in a shell. Fields of ``Judge`` are set by their names (``temperature=none``
    is not sent), anything else is a parameter of the request. Raises ``UsageError`` that names the
    line, never showing more of it than name and model.
    """
    name, equals, rest = (part.strip() for part in line.partition("="))
    try:
        words = shlex.split(rest)
        if not equals or not re.fullmatch(r"[\w.-]+", name) or not words:
            raise UsageError("expected NAME = MODEL, then KEY=VALUE as often as needed")
        return name, _judge_of(words[0], dict(map(_entry, words[1:])))
    except ValueError as error:
        raise UsageError(f"judge {name!r}: {error}; quote it as in a shell") from None
    except UsageError as error:
        model = rest.partition(" ")[0] if equals else ""
        raise UsageError(f"judge '{name} = {model}': {error}") from None


def _judge_of(model: str, entries: Mapping[str, str]) -> Judge:
    if model == "lexical":
        raise UsageError("lexical is no model: it is meant by judge='lexical' and nothing else")
    fields: dict[str, Any] = {}
    for name, text in entries.items():
        if name in _FIELDS:
            try:
                fields[name] = _FIELDS[name](text)
            except ValueError:
                raise UsageError(f"{name} is a number; got {text!r}") from None
    for name in entries.keys() - _FIELDS.keys():
        if nearest := get_close_matches(name, _FIELDS, n=1, cutoff=0.8):
            raise UsageError(f"{name}: did you mean {nearest[0]}?")
    params = {name: _value(name, text) for name, text in entries.items() if name not in _FIELDS}
    return Judge(model, params=params, **fields)


def parse_param(entry: str) -> tuple[str, Any]:
    """``reasoning_effort=high`` as a name and its value: JSON where it is JSON, else text.

    Raises ``UsageError`` for an entry without a name or a value.
    """
    name, text = _entry(entry)
    return name, _value(name, text)


def _entry(word: str) -> tuple[str, str]:
    name, equals, text = (part.strip() for part in word.partition("="))
    if not name or not equals or not text:
        raise UsageError(f"expected KEY=VALUE, such as reasoning_effort=high; got {name!r}")
    return name, text


def _value(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        if text[0] in "{[":
            raise UsageError(
                f"{name} looks like JSON and is none; in an ini, single quotes go around the whole "
                f"entry: '{name}={{...}}'"
            ) from None
        return text
