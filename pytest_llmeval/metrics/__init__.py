"""The metrics by name; each is a small async function of a case and ``ask`` in its own file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from .base import Metric

_FILES = {
    "bleu": "bleu",
    "chrf": "chrf",
    "document_precision": "documents",
    "document_recall": "documents",
    "exact_match": "exact_match",
    "f1": "f1",
    "fact_check": "fact_check",
    "gleu": "gleu",
    "groundedness": "groundedness",
    "json_schema": "json_schema",
    "latency_seconds": "usage",
    "meteor": "meteor",
    "regex": "regex",
    "relevance": "relevance",
    "rouge": "rouge",
    "total_input_token_count": "usage",
    "total_output_token_count": "usage",
    "total_token_count": "usage",
}
"""The metrics that come with the plugin, and the file that each is in."""


class Catalogue(Mapping[str, Metric]):
    """The metrics that come with the plugin; the file of one is imported when it is asked for."""

    def __getitem__(self, name: str) -> Metric:
        module = import_module(f".{_FILES[name]}", __name__)
        found: Metric = getattr(module, name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)


CATALOGUE: Mapping[str, Metric] = Catalogue()
