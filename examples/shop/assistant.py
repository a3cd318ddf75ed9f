"""The assistant: finds pages and replies with the sentences in them that answer the question.

An app of yours would give the pages to an LLM here. This one quotes them, so that the examples
run anywhere and come out the same each time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .pages import Page
from .search import Index, terms

SORRY = "Sorry, our product pages do not say."


@dataclass(frozen=True, slots=True)
class Answer:
    """What the assistant said, and the pages that it had read."""

    text: str
    pages: tuple[Page, ...]

    @property
    def context(self) -> list[str]:
        """The texts that the answer has to be grounded in."""
        return [page.text for page in self.pages]


class Assistant:
    """Answers questions about ``pages``."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._index = Index(f"{page.title}\n{page.text}" for page in pages)

    def find(self, question: str) -> tuple[Page, ...]:
        """The two pages that match ``question`` best, the best first."""
        places = self._index.search(terms(question))
        return tuple(self._pages[place] for place in places[:2])

    def answer(self, question: str) -> Answer:
        """The sentences of the best page that match ``question``, at most two."""
        pages = self.find(question)
        if not pages:
            return Answer(SORRY, pages)
        sentences = re.split(r"(?<=[.?!])\s+", pages[0].text)
        # The title has led to the page; what else was asked leads to the sentences.
        asked = terms(question) - terms(pages[0].title)
        places = Index(sentences).search(asked, share=0.5)[:2]
        return Answer(" ".join(sentences[place] for place in sorted(places)) or SORRY, pages)


class StaleAssistant(Assistant):
    """Searches an index that was built before a page was taken out: hits are off by one."""

    def find(self, question: str) -> tuple[Page, ...]:
        """The pages behind those that match ``question`` best."""
        places = self._index.search(terms(question))
        return tuple(self._pages[(place + 1) % len(self._pages)] for place in places[:2])


class CarelessAssistant(Assistant):
    """Rounds its answers off with something that no page says, as language models do."""

    def answer(self, question: str) -> Answer:
        """The honest answer and a fact of its own invention."""
        honest = super().answer(question)
        return replace(honest, text=f"{honest.text} It was voted best in class by 4000 hikers.")
