"""The metrics by name; each is a small async function of a case and ``ask`` in its own file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from .base import Metric

_FILES = {
    "chunk_relevance": "chunk_relevance",
    "coherence": "coherence",
    "context_relevancy": "context_relevancy",
    "context_sufficiency": "context_sufficiency",
    "correctness": "correctness",
    "fact_check": "fact_check",
    "fluency": "fluency",
    "groundedness": "groundedness",
    "guideline_adherence": "guideline_adherence",
    "relevance": "relevance",
    "relevance_to_query": "relevance_to_query",
    "retrieval": "retrieval",
    "safety": "safety",
    "similarity": "similarity",
    "source_reliability": "source_reliability",
}
"""The metrics that come with the plugin, and the file that each is in."""


class Catalogue(Mapping[str, Metric]):
    """The metrics that come with the plugin; the file of one is imported when it is asked for."""

    def __init__(self) -> None:
        self._met: dict[str, Metric] = {}

    def __getitem__(self, name: str) -> Metric:
        if name not in self._met:
            self._met[name] = getattr(import_module(f".{_FILES[name]}", __name__), name)
        return self._met[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)


CATALOGUE: Mapping[str, Metric] = Catalogue()
