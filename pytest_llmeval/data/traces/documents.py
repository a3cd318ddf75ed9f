"""Retrieved documents as retrievers' spans write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..documents import Document
from .values import decoded, listed, mapping

_CONTENTS = ("page_content", "content", "text", "pageContent")


def documents_in(outputs: Any) -> tuple[Document, ...] | None:
    """The documents of ``outputs``: a list of them, or an object that has one.

    None where it can't be read; no output, and an empty one, hold no document.

    The id of a document is ``doc_uri`` of its metadata, else its ``id``, else ``id``, ``source``
    or ``url`` of its metadata.
    """
    outputs = decoded(outputs)
    if isinstance(outputs, Mapping):
        lists = [each for each in map(decoded, outputs.values()) if isinstance(each, list | tuple)]
        outputs = next(filter(None, lists), [] if lists else outputs)
    found = tuple(each for each in map(_document, listed(outputs)) if each is not None)
    return None if outputs and not found else found


def _document(given: Any) -> Document | None:
    if isinstance(given, str):
        return Document(content=given)
    if not isinstance(given, Mapping):
        return None
    if isinstance(inner := given.get("document", given.get("kwargs")), Mapping):
        given = inner
    metadata = mapping(given.get("metadata"))
    ids = (
        *(metadata.get("doc_uri"), given.get("doc_uri"), given.get("id")),
        *(metadata.get(name) for name in ("id", "source", "url")),
    )
    name = next((str(each) for each in ids if _is_id(each)), None)
    texts = (given.get(each) for each in _CONTENTS)
    content = next((text for text in texts if isinstance(text, str)), None)
    if content is None and name is None:
        return None
    title = metadata.get("title", given.get("title"))
    return Document(content=content or "", id=name, title=title if isinstance(title, str) else None)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""
