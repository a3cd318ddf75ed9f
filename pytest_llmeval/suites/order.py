"""Causal order: of metrics that failed on a case, which one the others may follow from."""

from __future__ import annotations

from ..data.cases import Case
from ..metrics import CATALOGUE

WITH_TRUTH = (
    "context_sufficiency",
    "groundedness",
    "correctness",
    "safety",
    "guideline_adherence",
)
"""With a ground truth. A retriever that missed makes the answer wrong, too."""

WITHOUT_TRUTH = (
    "chunk_relevance",
    "groundedness",
    "relevance_to_query",
    "safety",
    "guideline_adherence",
)
"""Without one. Source of both: Databricks Agent Evaluation's root cause analysis."""


def has_truth(case: Case) -> bool:
    """Whether it is told what a right answer says: by a ground truth, or by facts."""
    return case.has("ground_truth") or case.has("expected_facts")


def causal_place(metric: str, truth: bool) -> int:
    """Where the metric of this name stands; metrics of one place are in the order declared.

    After those that the order names come the other built-in ones, then everybody's own.
    """
    order = WITH_TRUTH if truth else WITHOUT_TRUTH
    if metric in order:
        return order.index(metric)
    return len(order) if metric in CATALOGUE else len(order) + 1
