"""What the lexical judge says of documents: which of them speak of what a query asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..text.answering import bearing
from ..text.claims import asks
from ..text.coverage import Support
from ..text.intents import intents
from ..text.passages import Documents

BEARING = 0.46
"""Share of a query from which on a document that holds it together is relevant to it.

The best cut for nine of eleven queries whose documents people rated, when the query is left out.
"""


def chunk_relevance(inputs: Mapping[str, Any]) -> dict[str, object]:
    """Yes where the document holds enough of an intent of the query, standing together."""
    documents = Documents(inputs["documents"], inputs.get("titles") or ())
    query = _asked(inputs)
    found = max((bearing(each, documents) for each in [query, *intents(query)]), key=_share)
    return {"reason": _account([found]), "verdict": "yes" if found.share >= BEARING else "no"}


def retrieval(inputs: Mapping[str, Any]) -> dict[str, object]:
    """For each intent of the query the documents that hold enough of it, standing together."""
    texts, titles = inputs["documents"], inputs.get("titles") or ()
    ids = inputs.get("document_ids") or [str(number) for number, _ in enumerate(texts, 1)]
    documents = [
        Documents([text], titles[at : at + 1]) for at, text in enumerate(texts[: len(ids)])
    ]
    return {"intents": [_intent(each, ids, documents) for each in intents(_asked(inputs))]}


def _intent(intent: str, ids: Sequence[str], documents: Iterable[Documents]) -> dict[str, object]:
    found = [bearing(intent, document) for document in documents]
    answering = [name for name, held in zip(ids, found, strict=False) if held.share >= BEARING]
    return {
        "intent": intent,
        "reason": _account(found),
        "answered": "yes" if answering else "no",
        "documents": answering,
    }


def _account(found: Sequence[Support]) -> str:
    """What the document that holds the most lacks."""
    best = max(found, key=_share, default=Support(0.0, "there is no document"))
    which = "The document" if len(found) == 1 else "The best document"
    if best.share >= BEARING:
        return f"{which} speaks of what is asked" + (f", though {best.why}." if best.why else ".")
    return f"{which} does not: {best.why or 'the words of the query do not stand together'}."


def _share(held: Support) -> float:
    return held.share


def _asked(inputs: Mapping[str, Any]) -> str:
    """The query; without one, the last turn that asks something, or the last of all."""
    if query := inputs.get("query"):
        return str(query)
    turns = [turn for turn in reversed(inputs.get("history") or ()) if turn]
    return str(next(filter(asks, turns), turns[0] if turns else ""))
