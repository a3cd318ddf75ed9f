"""Documents in the words of any tool, as those of a case; and the ids of expected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...errors import CaseError
from ..documents import Document
from .naming import meant
from .values import name_of

_OURS = frozenset(("content", "id", "doc_uri", "title"))
_CONTENT = ("content", "page_content", "text")
_IDS = ("id", "doc_uri", "source")


def documents_of(value: object) -> Any:
    """``value`` as a case takes its documents; what is no document is left for it to refuse.

    The text of a document may be its ``page_content`` or ``text``, its id that of its ``metadata``,
    as LangChain and MLflow have them. Further names of a document are passed over; one that is
    written wrongly is refused. A document of which only the id is known has no text.
    """
    if isinstance(value, Mapping):
        if "citations" in value:
            return documents_of(value["citations"])
        return _document(value)
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return [_document(item) if isinstance(item, Mapping) else item for item in value]
    return value


def ids_of(value: object) -> Any:
    """The ids of expected documents, which may be told as documents."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray):
        return value
    return [_id(item) if isinstance(item, Mapping) else name_of(item) for item in value]


def with_ids(documents: object, ids: object) -> list[dict[str, Any]]:
    """``documents`` that are texts, with the ``ids`` that stand apart from them."""
    if not (isinstance(documents, list) and isinstance(ids, list) and len(documents) == len(ids)):
        raise CaseError("retrieved_context_ids: expected one for each retrieved context")
    return [
        {**(document if isinstance(document, dict) else {"content": document}), "id": name_of(name)}
        for document, name in zip(documents, ids, strict=True)
    ]


def _document(item: Mapping[Any, Any]) -> Mapping[Any, Any] | Document:
    if _OURS.issuperset(item) and item.get("content") is not None:
        ids = {name: name_of(item[name]) for name in ("id", "doc_uri") if name in item}
        return {**item, **ids}
    for name in item:
        if (right := _misspelt(name)) is not None:
            raise CaseError(f"a document has no {name!r}: did you mean {right!r}?")
    further = item.get("metadata")
    further = further if isinstance(further, Mapping) else {}
    content = _first(item, _CONTENT)
    name = _first(item, _IDS[:2])
    if item.get("doc_uri", name) not in (None, name):
        raise CaseError("a document has one id; 'id' and 'doc_uri' name different ones")
    name = name_of(_first(further, _IDS) if name is None else name)
    if content is None and name is None:
        told = ", ".join(map(str, item)) or "nothing"
        raise CaseError(f"a document has 'content'; this one has {told}")
    title = item.get("title", further.get("title"))
    return {"content": "" if content is None else content, "id": name, "title": title}


@lru_cache(256)
def _misspelt(name: object) -> str | None:
    if not isinstance(name, str) or name in (*_OURS, *_CONTENT):
        return None
    return meant(name, ("content", "doc_uri", "title", "page_content"))


def _id(item: Mapping[Any, Any]) -> Any:
    name = _document({"content": "", **item})
    assert isinstance(name, Mapping)
    found = name.get("id", name.get("doc_uri"))
    if found is None:
        told = ", ".join(map(str, item)) or "nothing"
        raise CaseError(f"each has 'doc_uri' or 'id'; this one has {told}")
    return found


def _first(item: Mapping[Any, Any], names: Sequence[str]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)
