"""What the parts of a verdict are called: documents and sentences, no two of them the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..data.documents import Document
from ..text.encodable import encodable


def document_names(documents: Sequence[Document]) -> list[str]:
    """What each document is called: its id, else its number from 1; no two the same."""
    numbered = enumerate(documents, 1)
    return told_apart(encodable(each.id or "").strip() or str(number) for number, each in numbered)


def told_apart(names: Iterable[str]) -> list[str]:
    """``names`` in order; of several that are the same, those after the first carry a number."""
    told: dict[str, None] = {}
    times: dict[str, int] = {}
    for name in names:
        named = name
        while named in told:
            times[name] = times.get(name, 1) + 1
            named = f"{name} ({times[name]})"
        told[named] = None
    return list(told)
