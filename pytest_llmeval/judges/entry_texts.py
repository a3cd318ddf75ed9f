"""The texts of an entry, put through a change that knows nothing of how they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..errors import UsageError
from ..text.escapes import readings
from ..text.shown import shown
from .mending import decoded
from .objects import Damaged, Fault, Found, objects_in, whole
from .schema import asked_for

_STRING = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?', re.DOTALL)
"""A string of sound JSON; with a second group the name of a value."""
_ROUNDS = 6
"""How often a text may read otherwise once its escapes are undone; there are three kinds."""


def redact_texts(entry: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """``entry`` with ``change`` made to each of its texts: for ``pytest_llm_eval_redact``.

    These are the content of each message, and the texts within the reply: the strings in its JSON
    as whoever reads the verdict gets them, with the names of values but for those that the question
    asks for. What stands around that JSON goes as a whole where there is anything in it to change.
    Values that the question does not ask for, and nobody reads, go as well: they may be numbers.
    A text that holds, behind escapes of JSON, HTML or URLs, what ``change`` takes out is written
    without these escapes. What ``change`` leaves alone stays as it came.

    Raises ``UsageError`` where ``change`` gives something else than a text, and where it writes
    escapes of its own again and again.
    """

    def changed(text: str) -> str:
        made = change(text)
        if not isinstance(made, str):
            raise UsageError(
                f"redact_texts takes a function from text to text; it gave {type(made).__name__}"
            )
        return made

    schema = entry.get("schema") or {}
    texts = _Texts(changed, schema, frozenset(_names_in(schema)))
    messages = [[role, texts.text(text)] for role, text in entry["messages"]]
    return {**entry, "messages": messages, "said": texts.reply(entry["said"])}


def _names_in(schema: Any) -> Iterator[str]:
    """The names that ``schema`` has for values, at any depth."""
    if isinstance(schema, Mapping):
        yield from schema.get("properties", ())
    if isinstance(schema, Mapping | list):
        for each in schema.values() if isinstance(schema, Mapping) else schema:
            yield from _names_in(each)


@dataclass(frozen=True, slots=True)
class _Texts:
    """A change to texts, and the ``names`` of a ``schema`` that it is not made to."""

    change: Callable[[str], str]
    schema: Mapping[str, Any]
    names: frozenset[str]

    def text(self, text: str) -> str:
        """``text`` changed as it stands, and as it reads where that leaves anything to change."""
        made = self.change(text)
        for _ in range(_ROUNDS):
            changes = ((plain, self.change(plain)) for plain in readings(made))
            left = next((changed for plain, changed in changes if changed != plain), None)
            if left is None:
                return made
            made = left
        raise UsageError(
            "redact_texts takes a function that leaves what it gave as it is; "
            f"of {shown(made, 60)} it goes on making something else"
        )

    def reply(self, said: str) -> str:
        """The reply ``said`` with its texts changed, read as whoever makes a verdict of it does."""
        try:
            return self._whole(said, whole(said))
        except Damaged:
            with suppress(Fault, RecursionError):
                if read := decoded(objects_in(said).found):
                    return self._read(said, read)
        except (Fault, RecursionError):
            pass
        return self.text(said)

    def _read(self, said: str, read: Sequence[tuple[Found, Any]]) -> str:
        """``said``, of which ``read`` is what is read: the rest goes where anything in it changes.

        Whether a verdict within prose is concluded hangs on how the sentences around it end.
        """
        objects = {found.text: self._object(found, value) for found, value in read}
        longest = sorted(objects, key=len, reverse=True)
        parts = re.split(f"({'|'.join(map(re.escape, longest))})", said)
        if any(part not in objects and self.text(part) != part for part in parts):
            parts = [*chain.from_iterable((found.text, "\n") for found, _ in read)][:-1]
        return "".join(objects.get(part, part) for part in parts)

    def _object(self, found: Found, value: Any) -> str:
        """What is written of an object that is read as ``value``; one that is mended is sound."""
        if found.value is not None:
            return self._whole(found.text, value)
        changed = self._value(self._needed(value))
        if changed == value and self.text(found.text) == found.text:
            return found.text
        return json.dumps(changed, ensure_ascii=False)

    def _whole(self, text: str, value: Any) -> str:
        """``text``, which is the JSON ``value``, with its strings changed."""
        needed = self._needed(value)
        if needed != value:
            text = json.dumps(needed, ensure_ascii=False)
        return self._sound(text)

    def _needed(self, value: Any) -> Any:
        return asked_for(value, self.schema, self.schema.get("$defs", {}))

    def _sound(self, text: str) -> str:
        """``text``, which is JSON, with its strings changed and everything else kept."""

        def rewritten(match: re.Match[str]) -> str:
            plain = json.loads(match[1], strict=False)
            made = self._name(plain) if match[2] else self.text(plain)
            if made == plain:
                return match[0]
            return json.dumps(made, ensure_ascii=False) + (match[2] or "")

        return _STRING.sub(rewritten, text)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self._value(each) for each in value]
        if isinstance(value, dict):
            return {self._name(name): self._value(each) for name, each in value.items()}
        return value

    def _name(self, name: str) -> str:
        return name if name in self.names else self.text(name)
