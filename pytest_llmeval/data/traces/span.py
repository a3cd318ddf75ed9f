"""A span in our words, whichever tool wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from ..documents import Document
from ..tool_calls import ToolCall


class Kind(Enum):
    """What a span is of."""

    LLM = auto()
    RETRIEVER = auto()
    RERANKER = auto()
    TOOL = auto()
    EMBEDDING = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Span:
    """One step of a run; what is not known of it is None or empty, also its ``id``.

    ``documents`` are empty where it retrieved none.

    ``start`` and ``end`` are nanoseconds since the epoch. ``query`` is what its input asks
    and ``said`` what its output says, behind what was said on the way to that. ``call`` is the tool
    call that a span of a tool is, ``asked_for`` the calls that a model asked for.
    """

    id: str
    parent: str | None
    kind: Kind
    start: int | None = None
    end: int | None = None
    query: str | None = None
    said: tuple[str, ...] = ()
    documents: tuple[Document, ...] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    call: ToolCall | None = None
    asked_for: tuple[ToolCall, ...] = ()
