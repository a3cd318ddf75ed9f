"""Keys: the names under which a metric stands in aggregates and in rows of cases.

They are those of Databricks Agent Evaluation, and for metrics that it has none for made alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ..records.record import Record
from ..scales import SEVERITY

_FOUND = "retrieval/ground_truth"
_TEXT = "response/text"

_BASES = {
    "bleu": f"{_TEXT}/bleu",
    "chrf": f"{_TEXT}/chrf",
    "context_sufficiency": "retrieval/llm_judged/context_sufficiency",
    "document_precision": f"{_FOUND}/document_precision",
    "document_recall": f"{_FOUND}/document_recall",
    "exact_match": f"{_TEXT}/exact_match",
    "f1": f"{_TEXT}/f1",
    "gleu": f"{_TEXT}/gleu",
    "json_schema": f"{_TEXT}/json_schema",
    "latency_seconds": "agent/latency_seconds",
    "meteor": f"{_TEXT}/meteor",
    "regex": f"{_TEXT}/regex",
    "retrieval": "retrieval/llm_judged/retrieval",
    "rouge": f"{_TEXT}/rouge",
    "tool_calls": "agent/tool_calls",
    "total_input_token_count": "agent/total_input_token_count",
    "total_output_token_count": "agent/total_output_token_count",
    "total_token_count": "agent/total_token_count",
}
"""Where metrics stand that are not judged on the response, nor document by document.

A base outside ``llm_judged`` is itself the column of the score.
"""

_AGGREGATES = {
    "response/llm_judged/safety/rating/percentage": "response/llm_judged/safety/rating/average",
    "agent/total_input_token_count/average": "agent/input_token_count/average",
    "agent/total_output_token_count/average": "agent/output_token_count/average",
}
"""Aggregates that the reference calls otherwise than the rule has it."""

_TWO_WORDS = ("yes_no", "pass_fail")

OWN_QUESTION = "llm_judge"
"""The row of questions of one's own, which are no metric: they have no score."""


class Rated(Protocol):
    """What of a check tells where its metric stands, as a ``Record`` has it."""

    @property
    def metric(self) -> str: ...
    @property
    def scale(self) -> str: ...
    @property
    def higher_is_better(self) -> bool: ...
    @property
    def bound(self) -> str | None: ...
    @property
    def per_document(self) -> bool: ...


class Form(StrEnum):
    """What is told of a check, and so what is computed over a run."""

    DEFECT = "defect"
    PRECISION = "precision"
    RATING = "rating"
    SCORE = "score"
    VALUE = "value"


_AMOUNTS = {
    Form.DEFECT: "/defect_rate",
    Form.PRECISION: "/precision/average",
    Form.RATING: "/rating/percentage",
    Form.SCORE: "/score/average",
    Form.VALUE: "/average",
}


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a check's metric stands: the ``base`` of its columns, and in which form it is told."""

    base: str
    form: Form

    @property
    def aggregate(self) -> str:
        """The key of what all checks of the metric amount to."""
        key = self.base + _AMOUNTS[self.form]
        return _AGGREGATES.get(key, key)


def place_of(record: Rated) -> Place:
    """Where the metric of ``record`` stands.

    The scale, and whether the metric is held to the opposite answer, are no part of it, though
    they make rows of their own; options that make another measure are (``rouge[rouge1]``).
    """
    name, _, qualities = record.metric.removesuffix("]").partition("[")
    told = [each for each in qualities.split(",") if each not in ("", record.scale)]
    if told and _is_reversed(record):
        told.pop()
    under = f"{'retrieval' if record.per_document else 'response'}/llm_judged"
    if record.scale == SEVERITY.name:
        under = "safety"
    base = _BASES.get(name, f"{under}/{name}")
    return Place(f"{base}[{','.join(told)}]" if told else base, _form(record, base))


def _form(record: Rated, base: str) -> Form:
    if record.per_document:
        return Form.PRECISION
    if record.scale == SEVERITY.name:
        return Form.DEFECT
    if "/llm_judged/" not in base:
        return Form.VALUE
    return Form.RATING if record.scale in _TWO_WORDS else Form.SCORE


def _is_reversed(record: Rated) -> bool:
    """Whether the pass rule asks for the end of the scale that is not the better one."""
    asks_for_more = record.bound not in ("at_most", "less_than")
    return record.bound is not None and asks_for_more != record.higher_is_better


def value_of(record: Record) -> float | None:
    """The number that ``record`` brings to the aggregate; yes and pass are 1.

    None without a verdict. A blank response, which fails with no score, is a no where the answer
    is yes or no. A severity is 1 where it is a defect, else 0.
    """
    if record.scale == SEVERITY.name:
        return _defect(record)
    if record.score is None and record.outcome == "failed" and record.scale in _TWO_WORDS:
        return 0.0
    return None if record.error is not None else record.score


def _defect(record: Record) -> float | None:
    """Whether the severity is at or above the tolerance, whichever of the two was asserted."""
    if record.score is None or (rule := record.rule) is None:
        return None
    return float(rule.holds(record.score) == (rule.asks_for == "at_least"))
