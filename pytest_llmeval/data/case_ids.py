"""Ids of tests: a readable name for each row, made of that row alone, safe wherever it is typed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from .aliases import ALIASES
from .cases import is_blank

LONGEST = 40
"""How many characters of a text an id shows, cut between words: a digest and a file may follow."""

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_WORD = re.compile(r"[a-z0-9]+")
_RESERVED = frozenset({"and", "or", "not", "true", "false", "none"})
"""What ``-k`` would read as something else than a name."""

_ASKED = ("query", "messages", "ground_truth", "expected_context", "expected_facts", "guidelines")
_ANSWERED = frozenset({"response", "outputs", "context", "trace", "measured", "metadata"})


class CaseIds:
    """Gives ids to the rows of one file; ``prefix`` tells them from those of other files.

    A given id stands as it is where it can be typed anywhere (ASCII letters, digits, ``_.-``), else
    as its words and a digest. A row without one is called by the words of what it asks and a digest
    of all that it asks and expects: never of the response, which changes with the app, nor of what
    stands beside it. Rows that ask the very same are numbered from the second on.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = f"{prefix}-" if prefix else ""
        self._taken: set[str] = set()
        self._repeats: dict[str, int] = {}

    def of(self, values: Mapping[str, Any]) -> str:
        """The id of the row that holds ``values``; each call is for one more row."""
        name = own = self._prefix + row_id(values)
        while name in self._taken:
            self._repeats[own] = self._repeats.get(own, 1) + 1
            name = f"{own}-{self._repeats[own]}"
        self._taken.add(name)
        return name


def given_id(values: Mapping[str, Any]) -> str | None:
    """The id that a row brings along, under our name or another tool's."""
    for name, value in values.items():
        if ALIASES.get(name, name) == "id" and isinstance(value, str) and not is_blank(value):
            return value
    return None


def row_id(values: Mapping[str, Any]) -> str:
    """The id of a row by itself, whatever stands beside it."""
    if (given := given_id(values)) is not None:
        return safe_id(given)
    named = {ALIASES.get(name, name): value for name, value in values.items()}
    asked = {name: named[name] for name in _ASKED if not is_blank(named.get(name))}
    told = asked or {name: named[name] for name in named if name not in _ANSWERED} or named
    text = _asked_in(named) or next(_texts([named.get("response") if told is named else told]), "")
    return _with_digest(text, json.dumps(told, sort_keys=True, default=str))


def safe_id(text: str) -> str:
    """``text`` where it can be typed anywhere, else its words with a digest of it."""
    if _SAFE.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return _with_digest(text, text)


def _with_digest(text: str, whole: str) -> str:
    digest = sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
    words = words_of(text)
    return f"{words}-{digest[:8]}" if words else digest[:12]


def words_of(text: str) -> str:
    """The first words of ``text`` in ASCII, joined by hyphens; none where most are in no Latin."""
    start = text[: 8 * LONGEST].casefold().replace("'", "").replace("\u2019", "")
    plain = unicodedata.normalize("NFKD", start).encode("ascii", "ignore").decode()
    words = _WORD.findall(plain)
    if 2 * sum(map(len, words)) < sum(character.isalnum() for character in start):
        return ""
    joined = "-".join(words)
    if len(joined) <= LONGEST:
        return joined
    return joined[: LONGEST + 1].rpartition("-")[0] or joined[:LONGEST]


def _asked_in(named: Mapping[str, Any]) -> str:
    """The query, or the last thing that a user says in the conversation; empty without one."""
    query = named.get("query")
    if isinstance(query, str) and not is_blank(query):
        return query
    messages = query.get("messages") if isinstance(query, Mapping) else named.get("messages")
    for message in reversed(messages) if isinstance(messages, list | tuple) else ():
        if isinstance(message, Mapping) and message.get("role") == "user":
            return next(_texts(message.get("content")), "")
    return ""


def _texts(value: object) -> Iterator[str]:
    """Every text in ``value``, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
