"""The faults that a judge names beside its verdict: they have to agree with it, and be there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic_core import PydanticCustomError

from ..results import Evidence
from ..text.quotes import find_quote


def contradiction(told: str) -> PydanticCustomError:
    """What a reply's validator raises where its faults and its verdict contradict each other.

    The judge is asked once more, and ``told`` why.
    """
    return PydanticCustomError("contradiction", "{told}", {"told": told})


def names_all(quotes: Sequence[str], pieces: Iterable[str]) -> bool:
    """Whether each of ``pieces``, of which there are some, stands as a whole in a quote."""
    named = [any(find_quote(piece, quote) for quote in quotes) for piece in pieces]
    return bool(named) and all(named)


def quoted(kind: str, quote: str, why: str, text: str) -> Evidence:
    """The fault of that ``kind`` as evidence: the place of ``text`` that ``quote`` quotes.

    What ``text`` does not hold word for word is kept, too, as ``unquoted``.
    """
    found = find_quote(quote, text)
    return Evidence("unquoted", quote, why) if found is None else Evidence(kind, found, why)
