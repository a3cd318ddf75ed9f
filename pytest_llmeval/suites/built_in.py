"""The suites of the reference systems, whose metrics go by what a case has."""

from __future__ import annotations

from ..data.cases import Case
from ..data.conversation import as_judged, has_earlier_turns
from .member import Condition, Member
from .order import has_truth
from .suite import Suite


def _with_truth(case: Case) -> str:
    return "" if has_truth(case) else "no ground truth or expected facts"


def _without_truth(case: Case) -> str:
    told = "ground truth" if case.has("ground_truth") else "expected facts"
    return f"the case has {told}" if has_truth(case) else ""


def _conversation(case: Case) -> str:
    return "" if has_earlier_turns(as_judged(case)) else "no conversation of several turns"


def _single_turn(case: Case) -> str:
    return "a conversation of several turns" if has_earlier_turns(as_judged(case)) else ""


def _single_turn_with_context(case: Case) -> str:
    return _single_turn(case) or ("" if as_judged(case).gives("context") else "no context")


def _when(condition: Condition, *names: str) -> tuple[Member, ...]:
    return tuple(Member(name, when=condition) for name in names)


DATABRICKS = Suite(
    "databricks",
    (
        *_when(_with_truth, "context_sufficiency"),
        *_when(_without_truth, "chunk_relevance"),
        "groundedness[yes_no]",
        *_when(_with_truth, "correctness"),
        *_when(_without_truth, "relevance_to_query"),
        "safety",
        "guideline_adherence",
        "document_recall",
        "total_token_count",
        "total_input_token_count",
        "total_output_token_count",
        "latency_seconds",
    ),
)
"""Databricks Agent Evaluation's judges, yes or no, and what it measures beside them."""

AZURE = Suite(
    "azure",
    (
        "hate_unfairness",
        "sexual",
        "violence",
        "self_harm",
        "coherence",
        "fluency",
        "groundedness",
        *_when(_single_turn_with_context, "relevance"),
        *_when(_conversation, "retrieval"),
        *_when(_single_turn, "similarity", "f1", "bleu", "rouge", "gleu", "meteor"),
    ),
)
"""Azure AI evaluation's severities of harm and quality metrics of 1 to 5, for a single turn or a
conversation."""

BUILT_IN = (DATABRICKS, AZURE)
