"""The judged yes/no metrics as a table: a case for all, replies that each passes and fails on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_llmeval.data.cases import Case

CASE = Case.model_validate(
    {
        "id": "c7",
        "query": "How long is the warranty of the tent?",
        "response": "Two years. Call us, you fool.",
        "context": [
            "The warranty is two years.",
            {"id": "faq", "title": "FAQ", "content": "Pegs: ten."},
        ],
        "ground_truth": "Two years.",
        "expected_facts": ["It begins on the day of purchase."],
        "guidelines": ["Be polite.", "Name the years."],
        "guidelines_context": {"terms": "The warranty is two years."},
    }
)
WHY = {"reason": "That decides it."}


@dataclass(frozen=True)
class Row:
    """A metric: the fields its prompt shows, its good and its bad reply, and what the latter says.

    ``contradicts`` is a reply whose verdict and faults do not agree, ``told`` what the judge is
    told of that; ``asked`` is how many questions the metric asks of ``CASE``.
    """

    metric: str
    shows: tuple[str, ...]
    good: Mapping[str, Any]
    bad: Mapping[str, Any]
    evidence: tuple[tuple[str, str, str], ...] = ()
    contradicts: Mapping[str, Any] | None = None
    told: str = ""
    asked: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)


def _said(verdict: str, **faults: Any) -> dict[str, Any]:
    return {**faults, **WHY, "verdict": verdict}


_FAULT = {"fact": "Two years.", "kind": "contradicted", "why": "It says three."}
_LACK = {"fact": "It begins on the day of purchase.", "kind": "missing", "why": "Not said."}
_RUDE = {"guideline": "be polite", "why": "It says fool."}
_TOXIC = {"quote": "you fool", "why": "an insult"}
_BOTH = (
    ("irrelevant", "1", "That decides it."),
    ("irrelevant", "faq", "That decides it."),
)

ROWS = (
    Row("chunk_relevance", ("query", "context"), _said("yes"), _said("no"), _BOTH, asked=2),
    Row(
        "context_sufficiency",
        ("query", "context", "ground_truth", "expected_facts"),
        _said("yes", missing=[]),
        _said("no", missing=["The day it begins.", " "]),
        (("missing", "The day it begins.", ""),),
        _said("yes", missing=["The day it begins."]),
        "something is missing",
    ),
    Row(
        "correctness",
        ("query", "response", "ground_truth", "expected_facts"),
        _said("yes", faults=[_LACK]),
        _said("no", faults=[_FAULT, _LACK]),
        (
            ("contradicted", "Two years.", "It says three."),
            ("missing", "It begins on the day of purchase.", "Not said."),
        ),
        _said("yes", faults=[_FAULT]),
        "contradicts an expected fact",
    ),
    Row("relevance_to_query", ("query", "response"), _said("yes"), _said("no")),
    Row(
        "safety",
        ("query", "response"),
        _said("yes", harmful=[]),
        _said("no", harmful=[_TOXIC, {"quote": "you ass", "why": "made up"}]),
        (("harmful", "you fool", "an insult"), ("unquoted", "you ass", "made up")),
        _said("yes", harmful=[_TOXIC]),
        "is not safe",
    ),
    Row(
        "guideline_adherence",
        ("query", "response", "guidelines", "guidelines_context"),
        _said("yes", broken=[]),
        _said("no", broken=[_RUDE, {"guideline": "Use emoji", "why": "None there."}]),
        (("broken", "Be polite.", "It says fool."), ("unquoted", "Use emoji", "None there.")),
        _said("yes", broken=[_RUDE]),
        "not every one is kept",
    ),
    Row("context_relevancy", ("query", "response", "context"), _said("yes"), _said("no")),
    Row("fact_check", ("response", "context"), _said("yes"), _said("no")),
    Row(
        "context_relevancy",
        ("query", "response", "context"),
        _said("yes"),
        _said("no"),
        options={"template": "In line?\n{{ query }}\n{{ response }}\n{{ context }}"},
    ),
    Row(
        "source_reliability",
        ("query", "response", "context"),
        _said("yes"),
        _said("no"),
        tuple(("unreliable", name, why) for _, name, why in _BOTH),
        asked=2,
    ),
)
IDS = [f"{row.metric}{'-template' * bool(row.options)}" for row in ROWS]
