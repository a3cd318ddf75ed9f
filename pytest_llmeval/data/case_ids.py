"""Ids of tests: a readable name for each row, made of that row alone, safe wherever it is typed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from .blank import is_blank
from .messages import Message

LONGEST = 40
"""How many characters of a text an id shows, cut between words: a digest and a file may follow."""

BETWEEN = "--"
"""What stands between the parts of a file's path in an id, and before the row's own."""

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_WORD = re.compile(r"[a-z0-9]+")
_AS_JSON = json.JSONEncoder(sort_keys=True, default=str).encode
_RESERVED = frozenset({"and", "or", "not", "true", "false", "none"})
"""What ``-k`` would read as something else than a name."""

_ASKED = ("query", "ground_truth", "expected_context", "expected_facts", "guidelines")


class CaseIds:
    """Gives ids to the rows of one file after the other.

    A given id stands as it is where it can be typed anywhere (ASCII letters, digits, ``_.-``), else
    as its words and a digest. A row without one is called by the words of what it asks and a digest
    of all that it asks and expects: never of the response, which changes with the app, nor of what
    stands beside it. Rows that ask the very same are numbered from the second on.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._repeats: dict[str, int] = {}

    def of(self, fields: Mapping[str, Any], prefix: str = "") -> str:
        """The id of the row that holds ``fields``; each call is for one more row.

        ``prefix`` tells the rows of a file from those of others.
        """
        own = row_id(fields)
        name = own = f"{prefix}{BETWEEN}{unmistakable(own)}" if prefix else own
        while name in self._taken:
            self._repeats[own] = self._repeats.get(own, 1) + 1
            name = f"{own}-{self._repeats[own]}"
        self._taken.add(name)
        return name


def row_id(fields: Mapping[str, Any]) -> str:
    """The id of a row that holds ``fields``, by itself, whatever stands beside it."""
    given = fields.get("id")
    if isinstance(given, str) and not is_blank(given):
        return safe_id(given)
    turns = _turns(fields.get("messages"))
    asked = (*((name, fields.get(name)) for name in _ASKED), ("messages", turns))
    told: Mapping[str, Any] = {name: value for name, value in asked if not is_blank(value)}
    if not told:
        told = {"response": fields["response"]} if "response" in fields else fields
    return _with_digest(_asked_in(told, turns), _AS_JSON(told))


def safe_id(text: str) -> str:
    """``text`` where it can be typed anywhere, else its words with a digest of it."""
    if _SAFE.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return _with_digest(text, text)


def unmistakable(text: str) -> str:
    """``text`` as ``safe_id`` has it, with a digest also where it could be taken for two parts."""
    if BETWEEN in text or text.endswith("-"):
        return _with_digest(text, text)
    return safe_id(text)


def _with_digest(text: str, whole: str) -> str:
    digest = sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()
    words = words_of(text)
    return f"{words}-{digest[:8]}" if words else digest[:12]


def words_of(text: str) -> str:
    """The first words of ``text`` in ASCII, joined by hyphens; none where most are in no Latin."""
    start = text[: 8 * LONGEST].casefold().replace("'", "").replace("\u2019", "")
    if start.isascii():
        words = _WORD.findall(start)
    else:
        plain = unicodedata.normalize("NFKD", start).encode("ascii", "ignore").decode()
        words = _WORD.findall(plain)
        if 2 * sum(map(len, words)) < sum(character.isalnum() for character in start):
            return ""
    joined = "-".join(words)
    if len(joined) <= LONGEST:
        return joined
    return joined[: LONGEST + 1].rpartition("-")[0] or joined[:LONGEST]


def _turns(messages: object) -> list[tuple[object, object]]:
    """Who says what in a conversation, in whatever form it is given."""
    if not isinstance(messages, list | tuple):
        return []
    found = (vars(each) if isinstance(each, Message) else each for each in messages)
    return [(each.get("role"), each.get("content")) for each in found if isinstance(each, Mapping)]


def _asked_in(told: Mapping[str, Any], turns: list[tuple[object, object]]) -> str:
    """The query, else the last thing that a user says, else whatever text there is."""
    said = [content for role, content in turns if role == "user"]
    candidates = (told.get("query"), *said[:-2:-1], *told.values())
    return next((text for each in candidates for text in _texts(each)), "")


def _texts(value: object) -> Iterator[str]:
    """Every text in ``value`` that can be seen, in order."""
    if isinstance(value, str):
        if not is_blank(value):
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
