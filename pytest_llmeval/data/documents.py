"""Documents: what was retrieved for a case, in one shape for the many that it comes in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import StrictStr

from ..errors import CaseError, CaseTypeError
from .piece import Piece


class Document(Piece):
    """One retrieved document. ``id`` is what citations and expected documents refer to."""

    content: StrictStr
    id: StrictStr | None = None
    title: StrictStr | None = None


Context = str | Document | Mapping[str, Any] | Sequence[str | Document | Mapping[str, Any]]
"""The shapes in which documents may be given."""


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
