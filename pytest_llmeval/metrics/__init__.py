"""The metrics by name; each is a small async function of a case and ``ask`` in its own file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from .base import Metric
from .prompts import Rubric

_FILES = {
    "bleu": "bleu",
    "chrf": "chrf",
    "chunk_relevance": "chunk_relevance",
    "coherence": "coherence",
    "context_relevancy": "context_relevancy",
    "context_sufficiency": "context_sufficiency",
    "correctness": "correctness",
    "document_precision": "documents",
    "document_recall": "documents",
    "exact_match": "exact_match",
    "f1": "f1",
    "fact_check": "fact_check",
    "fluency": "fluency",
    "gleu": "gleu",
    "groundedness": "groundedness",
    "guideline_adherence": "guideline_adherence",
    "hate_unfairness": "hate_unfairness",
    "json_schema": "json_schema",
    "latency_seconds": "usage",
    "meteor": "meteor",
    "regex": "regex",
    "relevance": "relevance",
    "relevance_to_query": "relevance_to_query",
    "retrieval": "retrieval",
    "rouge": "rouge",
    "safety": "safety",
    "self_harm": "self_harm",
    "sexual": "sexual",
    "similarity": "similarity",
    "source_reliability": "source_reliability",
    "tool_calls": "tool_calls",
    "total_input_token_count": "usage",
    "total_output_token_count": "usage",
    "total_token_count": "usage",
    "violence": "violence",
}
"""The metrics that come with the plugin, and the file that each is in."""

_FORMS = ("relevance_in_conversation",)
"""Files with rubrics of metrics that are in another file."""


class Catalogue(Mapping[str, Metric]):
    """The metrics that come with the plugin; the file of one is imported when it is asked for."""

    def __init__(self) -> None:
        self._met: dict[str, Metric] = {}

    def __getitem__(self, name: str) -> Metric:
        if name not in self._met:
            self._met[name] = getattr(import_module(f".{_FILES[name]}", __name__), name)
        return self._met[name]

    def __contains__(self, name: object) -> bool:
        return name in _FILES

    def __iter__(self) -> Iterator[str]:
        return iter(_FILES)

    def __len__(self) -> int:
        return len(_FILES)


CATALOGUE: Mapping[str, Metric] = Catalogue()


def built_in_rubrics() -> dict[str, Rubric]:
    """Every rubric that comes with the plugin, by its name; all metrics' files are imported."""
    files = dict.fromkeys((*_FILES.values(), *_FORMS))
    modules = [import_module(f".{file}", __name__) for file in files]
    found = [each for module in modules for each in vars(module).values()]
    return {each.name: each for each in found if isinstance(each, Rubric)}
