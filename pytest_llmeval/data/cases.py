"""A case: one thing to evaluate, in the words of the field, whatever shape its context came in."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, StrictStr, model_validator

from ..errors import CaseError, CaseTypeError
from .messages import checked_role, text_of
from .piece import Piece

Role = Literal["system", "user", "assistant", "tool"]


class Document(Piece):
    """One retrieved document. ``id`` is what citations and expected documents refer to."""

    content: StrictStr
    id: StrictStr | None = None
    title: StrictStr | None = None


Context = str | Document | Mapping[str, Any] | Sequence[str | Document | Mapping[str, Any]]
"""The shapes in which documents may be given."""


class Message(Piece):
    """One turn of a conversation; ``context`` is what was retrieved for it.

    ``content`` may be given in parts (``[{"type": "text", "text": …}]``), as long as each is text.
    """

    role: Role
    content: StrictStr
    context: tuple[Document, ...] = ()

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            role: Role,
            content: str | Sequence[str | Mapping[str, Any]],
            context: Context | None = None,
        ) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _shaped(cls, values: Any) -> Any:
        given = _with_documents(values)
        if isinstance(given, dict):
            for name, read in (("role", checked_role), ("content", text_of)):
                if name in given:
                    given[name] = read(given[name])
        return given


class Measured(Piece):
    """What answering took: seconds end to end, and tokens where they are known."""

    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False, strict=True)
    input_tokens: int | None = Field(default=None, ge=0, strict=True)
    output_tokens: int | None = Field(default=None, ge=0, strict=True)


class Case(Piece):
    """One thing to evaluate: a query, a response, and whatever grounds them.

    ``context`` may be given as a string, a list of strings, a list of documents or of mappings
    (``content`` with ``id`` or ``doc_uri``, and ``title``), or ``{"citations": [...]}``; it is
    kept as a tuple of ``Document``. A field that is None is absent. ``id`` is a stable identity;
    ``measured`` and ``metadata`` are carried along and never judged.

    Raises ``CaseError`` for an unknown field, naming the closest right one, and ``CaseTypeError``
    for a value of the wrong type: objects are never sent to a judge as their ``repr``.
    """

    id: StrictStr | None = None
    query: StrictStr | None = None
    response: StrictStr | None = None
    context: tuple[Document, ...] = ()
    ground_truth: StrictStr | None = None
    messages: tuple[Message, ...] = ()
    expected_context: tuple[StrictStr, ...] = ()
    guidelines: tuple[StrictStr, ...] | dict[str, tuple[StrictStr, ...]] = ()
    guidelines_context: dict[str, StrictStr] | None = None
    expected_facts: tuple[StrictStr, ...] = ()
    trace: Any = None
    measured: Measured | None = None
    metadata: dict[str, Any] | None = None

    if TYPE_CHECKING:  # the shapes that fields may be given in, which type checkers can't infer

        def __init__(
            self,
            *,
            id: str | None = None,
            query: str | None = None,
            response: str | None = None,
            context: Context | None = None,
            ground_truth: str | None = None,
            messages: Sequence[Message | Mapping[str, Any]] | None = None,
            expected_context: Sequence[str] | None = None,
            guidelines: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
            guidelines_context: Mapping[str, str] | None = None,
            expected_facts: Sequence[str] | None = None,
            trace: object = None,
            measured: Measured | Mapping[str, Any] | None = None,
            metadata: Mapping[str, Any] | None = None,
        ) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _shaped(cls, values: Any) -> Any:
        given = _with_documents(values)
        if isinstance(given, dict) and isinstance(messages := given.get("messages"), list | tuple):
            given["messages"] = [_message(number, each) for number, each in enumerate(messages, 1)]
        return given

    def has(self, name: str) -> bool:
        """Whether the field ``name`` holds anything but white space."""
        return not is_blank(getattr(self, name))

    @property
    def identity(self) -> str | None:
        """The given id, else a digest of what the case asks and expects; None if it asks nothing.

        The response, the context and the trace are never in it, so that it stays the same when
        the app under test changes.
        """
        if self.id is not None:
            return self.id
        kept = self.model_dump(
            mode="json",
            include={
                "query",
                "messages",
                "ground_truth",
                "expected_context",
                "expected_facts",
                "guidelines",
            },
        )
        if not any(kept.values()):
            return None
        return sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def digest(self) -> str:
        """The digest of all that metrics may see: every field but id, trace and what is carried."""
        seen = self.model_dump(mode="json", exclude={"id", "trace", "measured", "metadata"})
        return sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()[:16]


def is_blank(value: object) -> bool:
    """Whether ``value`` is None, empty, or made only of characters that nobody can see.

    These are, by their Unicode category, white space and other separators, controls, formats (of
    width or direction, tags), surrogates and unassigned ones, marks that combine with nothing, and
    the few letters and symbols that are drawn as a blank.
    """
    if value is None:
        return True
    if isinstance(value, str):
        return all(map(_is_unseen, value))
    if isinstance(value, Document):
        return is_blank(value.content)
    if isinstance(value, Message):
        return is_blank(value.content)
    if isinstance(value, Mapping):
        return all(is_blank(item) for item in value.values())
    if isinstance(value, Sequence):
        return all(is_blank(item) for item in value)
    return False


_UNSEEN = {"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Cn", "Mn", "Me"}
_DRAWN_AS_BLANK = "\u115f\u1160\u2800\u3164\uffa0"
"""Fillers of Korean syllables, and the Braille pattern without a dot."""


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN or character in _DRAWN_AS_BLANK


def _with_documents(values: Any) -> Any:
    """``values`` without what is None, its ``context`` as a list of documents."""
    if not isinstance(values, Mapping):
        return values
    given = {name: value for name, value in values.items() if value is not None}
    if "context" in given:
        given["context"] = as_documents(given["context"])
    return given


def as_documents(context: object) -> tuple[Document, ...]:
    """``context`` in any of its shapes as documents.

    Raises ``CaseTypeError`` for another shape.
    """
    if isinstance(context, str | Document):
        return (_document(context),)
    if isinstance(context, Mapping):
        if "citations" in context:
            return as_documents(context["citations"] or ())
        return (_document(context),)
    if isinstance(context, Sequence) and not isinstance(context, bytes | bytearray):
        return tuple(_document(item) for item in context)
    raise CaseTypeError(f"context: {_SHAPES}, got {type(context).__name__}")


def _message(number: int, given: object) -> Message:
    """``given`` as the message that stands at ``number``, from 1."""
    try:
        return Message.model_validate(given)
    except CaseError as error:
        raise type(error)(f"message {number}: {error}") from None


_SHAPES = "expected text, a Document, a mapping with 'content', or a list of these"


def _document(item: object) -> Document:
    if isinstance(item, Document):
        return item
    if isinstance(item, str):
        return Document(content=item)
    if isinstance(item, Mapping):
        if item.get("id", item.get("doc_uri")) != item.get("doc_uri", item.get("id")):
            raise CaseError("a document has one id; 'id' and 'doc_uri' name different ones")
        named = {"id" if name == "doc_uri" else name: value for name, value in item.items()}
        return Document.model_validate(
            {name: value for name, value in named.items() if value is not None}
        )
    raise CaseTypeError(f"context: {_SHAPES}, got a list with {type(item).__name__}")
