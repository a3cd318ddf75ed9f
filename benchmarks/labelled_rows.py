"""Rows that people labelled, by task: what is asked about them, and the count of words to beat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Measure:
    """A task, the rows that people labelled for it, and the count of words it has to beat.

    ``inputs`` are what the judge is asked about a row: several where several expected answers are
    right, of which the best counts. ``good`` is what people found, ``trivial`` the count.
    """

    task: str
    file: str
    inputs: Callable[[Row], Iterable[Mapping[str, object]]]
    good: Callable[[Row], bool]
    counted: str
    trivial: Callable[[Row], float]
    rows: Callable[[Row], bool] = lambda row: True


def tokens(text: str) -> list[str]:
    """Words in lower case."""
    return re.findall(r"\w+", text.lower())


def coverage(text: str, other: str) -> float:
    """The share of the distinct words of ``text`` that ``other`` holds anywhere."""
    said, held = set(tokens(text)), set(tokens(other))
    return len(said & held) / len(said) if said else 0.0


def token_f1(row: Row) -> float:
    """The best F-measure of the response's words and those of a reference."""
    return max(_f1(tokens(row["response"]), tokens(each)) for each in row["references"])


def _f1(said: list[str], due: list[str]) -> float:
    both = sum((Counter(said) & Counter(due)).values())
    return 2 * both / (len(said) + len(due)) if both else 0.0


def _grounds(row: Row) -> list[dict[str, object]]:
    inputs = {name: row[name] for name in ("query", "response")}
    return [{**inputs, "documents": [row["context"]] if row["context"] else []}]


def _chunks(row: Row) -> list[dict[str, object]]:
    return [{"query": row["query"], "documents": re.split(r"\n{2,}", row["context"])}]


def _chunk(row: Row) -> list[dict[str, object]]:
    return [{"query": row["query"], "documents": [row["context"]]}]


def _claim(row: Row) -> list[dict[str, object]]:
    return [{"claim": row["response"], "document": row["context"]}]


def _expected(row: Row) -> list[dict[str, object]]:
    return [{**_chunk(row)[0], "ground_truth": row["expected_response"]}]


def _references(row: Row) -> list[dict[str, object]]:
    inputs = {name: row[name] for name in ("query", "response")}
    return [{**inputs, "ground_truth": reference} for reference in row["references"]]


def _is_one(row: Row) -> bool:
    return bool(row["label"] == 1)


def _said(row: Row) -> float:
    return coverage(row["response"], row["context"])


def _taken_up(row: Row) -> float:
    return coverage(row["query"], row["response"])


def _found(row: Row) -> float:
    return coverage(row["query"], row["context"])


MEASURES = (
    Measure("groundedness", "grounded", _grounds, _is_one, "response coverage", _said),
    Measure("groundedness[yes_no]", "grounded", _grounds, _is_one, "response coverage", _said),
    Measure("fact_check", "grounded", _claim, _is_one, "response coverage", _said),
    Measure(
        "context_relevancy",
        "grounded",
        _grounds,
        _is_one,
        "response coverage",
        _said,
        rows=lambda row: bool(row["query"]),
    ),
    Measure(
        "relevance",
        "relevance",
        _grounds,
        lambda row: bool(row["label"] >= 4),
        "query coverage",
        _taken_up,
    ),
    Measure(
        "relevance_to_query",
        "relevance",
        _grounds,
        lambda row: bool(row["label"] >= 2),
        "query coverage",
        _taken_up,
    ),
    Measure(
        "chunk_relevance",
        "chunk_relevance",
        _chunk,
        lambda row: bool(row["label"] >= 1),
        "query coverage",
        _found,
    ),
    Measure(
        "retrieval",
        "context_sufficiency",
        _chunks,
        _is_one,
        "query coverage",
        _found,
        rows=lambda row: row["source"] == "noveleval",
    ),
    Measure(
        "context_sufficiency",
        "context_sufficiency",
        _expected,
        _is_one,
        "answer coverage",
        lambda row: coverage(row["expected_response"], row["context"]),
        rows=lambda row: "expected_response" in row,
    ),
    Measure("correctness", "correctness", _references, _is_one, "token F1", token_f1),
    Measure("similarity", "correctness", _references, _is_one, "token F1", token_f1),
    Measure(
        "similarity",
        "quality",
        _references,
        lambda row: bool(row["relevance"] >= 4),
        "token F1",
        token_f1,
    ),
)
"""What is measured. Similarity has no labels of its own: right answers, and good summaries."""
