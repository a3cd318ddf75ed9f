"""The document that ``evaluate()`` of Azure AI evaluation writes, made of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil
from typing import Any

from ..rates.aggregates import amount_of
from ..rates.case_values import CaseValues, Weights, weights_of
from ..rates.keys import value_of
from ..rates.rated import shares
from ..records.record import Record
from ..results import Outcome
from ..scales import SEVERITY
from .case_rows import CaseRow, case_rows
from .run import Run

_SCORES = {
    "bleu": "bleu_score",
    "f1": "f1_score",
    "gleu": "gleu_score",
    "meteor": "meteor_score",
    "rouge": "rouge_f1_score",
}
"""Scores that Azure calls otherwise than their metric."""

_EVALUATORS = {"f1": "f1_score"}
_RESULTS = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}


def azure_document(run: Run) -> dict[str, Any]:
    """``run`` as ``{"rows": …, "metrics": …}``, a row for each case.

    Of a metric a row has its score (yes and pass are 1), reason, result and threshold, or its
    error, and then nothing else; of a severity its level and the score on the scale from 0 to 7,
    the threshold of which is the highest score that passes. ``metrics`` holds the mean of each
    score, of severities the rate of defects, beside the counts of ``Amount``, and as
    ``binary_aggregate`` the share that passed of the ``binary_judged`` that passed or failed. Texts
    of documents are not kept in run files: their ids are given.
    """
    rows = case_rows(run, lambda record: evaluator_of(record.metric))
    names = sorted({(name, made.metric) for row in rows for name, made in row.checks.items()})
    severe = {name for row in rows for name, made in row.checks.items() if _is_severity(made)}
    columns = dict.fromkeys(
        f"outputs.{name}.{score_of(metric)}{end}"
        for name, metric in names
        for end in (*_ENDS, *(("_score",) if name in severe else ()))
    )
    return {
        "rows": [
            {**_inputs(row), **columns, **_outputs(row), "line_number": number}
            for number, row in enumerate(rows)
        ],
        "metrics": dict(_metrics(rows, names, weights_of(run.tests))),
    }


_ENDS = ("", "_reason", "_result", "_threshold", "_error")


def evaluator_of(metric: str) -> str:
    """The row ``metric`` as an evaluator may be called: letters, digits and ``_``."""
    return _EVALUATORS.get(metric) or _plain(metric)


def score_of(metric: str) -> str:
    """What the score of ``metric`` is called among the outputs of its evaluator."""
    return _SCORES.get(metric) or _plain(metric)


def _plain(metric: str) -> str:
    return metric.removesuffix("]").replace("[", "_").replace(",", "_")


def _inputs(row: CaseRow) -> dict[str, Any]:
    case = row.case
    return {
        "inputs.id": row.id,
        "inputs.query": case and case.query,
        "inputs.response": case and case.response,
        "inputs.ground_truth": case and case.ground_truth,
        "inputs.document_ids": [*case.documents] if case else [],
    }


def _outputs(row: CaseRow) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, record in row.checks.items():
        base = f"outputs.{name}.{score_of(record.metric)}"
        if record.error is not None:
            values[f"{base}_error"] = record.message
            continue
        values |= {
            base: value_of(record),
            f"{base}_reason": record.reason,
            f"{base}_result": _RESULTS.get(record.outcome),
            f"{base}_threshold": record.threshold,
        }
        if _is_severity(record):
            values |= {f"{base}{end}": value for end, value in _severity(record)}
    return values


def _is_severity(record: Record) -> bool:
    return record.scale == SEVERITY.name


def _severity(record: Record) -> Iterator[tuple[str, Any]]:
    yield "", record.label.capitalize() if record.label else None
    yield "_score", record.score
    if record.bound == "less_than" and record.threshold is not None:
        yield "_threshold", ceil(record.threshold) - 1


def _metrics(
    rows: Iterable[CaseRow], names: Iterable[tuple[str, str]], weights: Weights
) -> Iterator[tuple[str, float | int]]:
    by_name: dict[str, list[Record]] = {}
    for row in rows:
        for name, record in row.checks.items():
            by_name.setdefault(name, []).append(record)
    for name, metric in names:
        records = by_name[name]
        amount = amount_of(records, weights)
        passes = CaseValues.of(shares(records, weights))
        if amount.value is not None:
            end = "_defect_rate" if any(map(_is_severity, records)) else ""
            yield f"{name}.{score_of(metric)}{end}", amount.value
        yield f"{name}.judged", amount.judged
        yield f"{name}.not_judged", amount.not_judged
        yield f"{name}.not_applicable", amount.not_applicable
        if (rate := passes.mean()) is not None:
            yield f"{name}.binary_aggregate", rate
            yield f"{name}.binary_judged", passes.judged
