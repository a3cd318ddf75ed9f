"""A committed verdict: one line of JSON that people review, and that seals itself by a digest."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from ..errors import UsageError
from ..text.json_once import once
from .store import canonical, finite, object_in
from .transfer import entry_fault, written

_TAIL = re.compile(rb', "key": "([0-9a-f]{64})", "digest": "([0-9a-f]{64})"\}\Z')
_TAIL_LENGTH = 160
_DIGEST_LENGTH = len(', "digest": ""}') + 64
_MARKERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
_LATE = ("messages", "schema")
"""What of an entry is too long to stand before anything else."""

_MEND = "restore it, or delete it and record it anew with --llm-eval-record"


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """An entry of the store as it is committed. ``tests`` are those that used it, by their names
    in the test file; ``redacted`` tells that a hook changed it, so that its key is not its own.
    """

    key: str
    entry: Mapping[str, Any]
    tests: tuple[str, ...] = ()
    redacted: bool = False

    @property
    def order(self) -> tuple[Any, ...]:
        """Where it stands in its file: by test and task, so that a change stands in one place."""
        return self.tests, self.entry["task"], self.key

    def also_for(self, tests: Iterable[str]) -> VerdictLine:
        """This line, used by ``tests`` as well."""
        return replace(self, tests=tuple(sorted({*self.tests, *tests})))

    def text(self) -> str:
        """The line, without its end: what a reviewer reads stands first, the digest last.

        The digest is the SHA-256 of the line before it.
        """
        entry = dict(self.entry)
        late = {name: entry.pop(name) for name in _LATE}
        row = {
            "tests": list(self.tests),
            "task": entry.pop("task"),
            **told_in(entry["said"]),
            "judge": entry.pop("judge"),
            "resolved_model": entry.pop("resolved_model"),
            "said": entry.pop("said"),
            **({"redacted": True} if self.redacted else {}),
            **dict(sorted(entry.items())),
            **late,
            "key": self.key,
        }
        head = written(row)[:-1]
        return f'{head}, "digest": "{sha256(head.encode()).hexdigest()}"}}'


def told_in(said: str) -> dict[str, Any]:
    """The verdict in a reply that is a JSON object, as far as it is plain values."""
    values = object_in(said) or {}
    plain = {
        name: value
        for name, value in values.items()
        if value is None or isinstance(value, str | int | float)
    }
    return {"verdict": plain} if plain else {}


def sealed_key(raw: bytes) -> str:
    """The key of the line ``raw``, whose digest is looked at and nothing else.

    Raises ``UsageError`` that says what is wrong with the line and what to do.
    """
    tail = _TAIL.search(raw, max(0, len(raw) - _TAIL_LENGTH))
    if tail is None:
        raise UsageError(_unsealed(raw))
    if sha256(raw[:-_DIGEST_LENGTH]).hexdigest().encode() != tail[2]:
        raise UsageError(f"the digest is not that of the line, which was changed; {_MEND}")
    return tail[1].decode()


def _unsealed(raw: bytes) -> str:
    if raw.startswith(_MARKERS):
        return (
            "a merge left its conflict here; keep the lines of both sides and delete the markers "
            '("*.verdicts.jsonl merge=union" in .gitattributes has git do so)'
        )
    try:
        json.loads(raw)
    except (ValueError, RecursionError) as error:
        return f"expected a JSON object: {error}; {_MEND}"
    return f"expected a line that ends with its key and digest, as it is recorded; {_MEND}"


def parsed(raw: bytes) -> VerdictLine:
    """The line that ``raw`` is, all of it looked at.

    Raises ``UsageError`` as ``sealed_key`` does, and for a key that is not that of the line's own
    question, unless it is redacted.
    """
    key = sealed_key(raw)
    try:
        row = json.loads(raw, object_pairs_hook=once, parse_float=finite, parse_constant=finite)
        told = {name: row.pop(name) for name in ("tests", "verdict", "redacted") if name in row}
        del row["key"], row["digest"]
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"this is no verdict as it is recorded: {error!r}; {_MEND}") from None
    tests, redacted = told.pop("tests", None), told.pop("redacted", None)
    if not isinstance(tests, list) or not all(isinstance(each, str) for each in tests):
        raise UsageError(f"tests: expected a list of names; {_MEND}")
    if redacted is not None and redacted is not True:
        raise UsageError(f"redacted: expected true, or nothing; {_MEND}")
    if (fault := entry_fault(key, row, redacted is True)) is not None:
        raise UsageError(f"{fault}; {_MEND}")
    if canonical(told) != canonical(told_in(row["said"])):
        raise UsageError(f"its verdict is not that of its reply; {_MEND}")
    return VerdictLine(key, row, tuple(tests), redacted is True)
