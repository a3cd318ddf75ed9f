"""Redacted lines: what a hook makes of a committed verdict, which has to decide the same still."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any

from ..errors import EvalError, UnreadableReply, UsageError
from ..text.shown import shown
from .base import Question, Said
from .heard import answer_of
from .mending import decoded
from .objects import Damaged, Fault, objects_in, whole
from .schema import FREE_TEXT, asked_for
from .store import canonical
from .transfer import entry_fault
from .verdict_line import VerdictLine, told_in
from .words import yes_or_no

Redact = Callable[[dict[str, Any]], Mapping[str, Any] | None]
"""What an entry becomes before it is written; None where it is not to be."""

HOOK = "pytest_llm_eval_redact"

_UNREAD = "nothing that can be read"


class Redaction:
    """A hook's way with lines: it is asked once about each, however often that is read anew.

    ``asked`` are the questions that are known here, by key: by these what is left is read as a
    replay will, with all that a schema can't say. ``refused`` is what other processes, which know
    other questions, found so, by key.
    """

    def __init__(
        self,
        redact: Redact,
        asked: Mapping[str, Question[Any]],
        refused: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._redact = redact
        self._asked = asked
        self._refused = refused
        self._made: dict[str, tuple[Mapping[str, Any], VerdictLine | None]] = {}

    def of(self, line: VerdictLine) -> VerdictLine | None:
        """What is written of ``line``; raises as ``redacted`` and ``refuse_unread`` do."""
        entry, made = self._made.get(line.key, (None, None))
        if entry != line.entry:
            made = redacted(line, self._redact)
            if made is not None and line.key in self._asked:
                refuse_unread(made, self._asked[line.key])
            if made is not None and line.key in self._refused:
                raise UsageError(self._refused[line.key])
            self._made[line.key] = (line.entry, made)
        if made is None:
            return None
        return VerdictLine(line.key, made.entry, line.tests, made.redacted or line.redacted)


def redacted(line: VerdictLine, redact: Redact) -> VerdictLine | None:
    """``line`` as it is to be written, None where ``redact`` leaves it out.

    Raises ``UsageError`` for what is no entry, for a reply that decides otherwise than the one it
    was made of or can't be read any more, and where redacting once more would change it again.
    """
    entry = redact(deepcopy(dict(line.entry)))
    if entry is None or entry == line.entry:
        return None if entry is None else line
    told = f"got {type(entry).__name__}"
    if not isinstance(entry, dict) or (told := entry_fault(line.key, entry, redacted=True) or ""):
        raise UsageError(f"{HOOK} gives an entry, or None to leave it out: {told}")
    if entry["task"] != line.entry["task"]:
        raise UsageError(f"{HOOK} changes the task, by which a verdict is known; leave it")
    before, after = (_decision(each["said"], line.entry["schema"]) for each in (line.entry, entry))
    if before != after or (before == _UNREAD and entry["said"] != line.entry["said"]):
        raise UsageError(
            f"{HOOK} changes what the reply decides, from {shown(before, 100)} to "
            f"{shown(after, 100)}; have it change free text alone, which a reply of your "
            "own declares as FreeText, within the limits that it sets, or leave the entry out"
        )
    if told_in(line.entry["said"]) and not told_in(entry["said"]):
        raise UsageError(
            f"{HOOK} leaves a reply that is no JSON object any more: {shown(entry['said'], 100)}; "
            "redact_texts(entry, change) changes the texts in it and keeps their escapes"
        )
    if redact(deepcopy(entry)) != entry:
        raise UsageError(
            f"{HOOK} changes once more what it changed; twice has to give what once does"
        )
    return VerdictLine(line.key, entry, line.tests, redacted=True)


def refuse_unread(line: VerdictLine, question: Question[Any]) -> None:
    """Raise ``UsageError`` where ``line``, redacted, is no answer to ``question`` any more."""
    if not line.redacted:
        return
    try:
        answer_of(line.key, [Said(line.entry["said"])], question)
    except EvalError as error:
        told = error.fault if isinstance(error, UnreadableReply) else str(error)
        raise UsageError(
            f"{HOOK} leaves a reply that {question.reply.__name__} does not take, since {told} "
            "Have it write what that takes, or leave the entry out"
        ) from None


def _decision(said: str, schema: Mapping[str, Any] | None) -> str:
    """What the reply ``said`` decides, in words that are equal where it is."""
    try:
        if schema is None:
            return yes_or_no(said)[0]
        definitions = schema.get("$defs", {})
        values = [asked_for(each, schema, definitions, _decisive) for each in _objects(said)]
        return canonical(values[0] if len(values) == 1 else values) if values else "nothing"
    except (Fault, RecursionError, UsageError):
        return _UNREAD


def _objects(said: str) -> list[Any]:
    try:
        return [whole(said)]
    except Damaged:
        return [value for _, value in decoded(objects_in(said).found)]


def _decisive(text: str, schemas: Sequence[Mapping[str, Any]]) -> str:
    return "(text)" if schemas and all(_is_free(text, each) for each in schemas) else text


def _is_free(text: str, schema: Mapping[str, Any]) -> bool:
    """Whether ``schema`` lets ``text`` say what it likes; one off its limits could not be read."""
    lengths = range(schema.get("minLength", 0), 1 + schema.get("maxLength", len(text)))
    return FREE_TEXT in schema and not _HELD_TO & schema.keys() and len(text) in lengths


_HELD_TO = {"enum", "const", "pattern", "format"}
"""What a schema says of text that is not free, whatever else it says."""
