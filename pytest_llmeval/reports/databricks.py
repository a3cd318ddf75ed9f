"""The rows that Databricks Agent Evaluation gives of an evaluation, made of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ..rates.keys import Form, Place, place_of, value_of
from ..records.assessment import Assessment
from ..records.record import Record
from ..results import Outcome, Part
from .case_rows import CaseRow, case_rows
from .run import Run

Kind = Literal["text", "number", "integer", "texts", "documents"]
"""What a column holds: the last two are lists, of texts and of ``{"doc_uri": …}``."""


@dataclass(frozen=True, slots=True)
class Table:
    """Flat rows, each with every column; what it has nothing for is None."""

    columns: dict[str, Kind]
    rows: list[dict[str, Any]]


_CASE: dict[str, Kind] = {
    "request_id": "text",
    "request": "text",
    "response": "text",
    "expected_response": "text",
    "retrieved_context": "documents",
}
_OVERALL = "response/overall_assessment"
_RATINGS = {Outcome.PASSED: "yes", Outcome.FAILED: "no"}
"""Where nothing could decide, measured or not applicable, there is no rating."""

_WHOLE: dict[str, Kind] = {
    f"{_OVERALL}/rating": "text",
    f"{_OVERALL}/rationale": "text",
    f"{_OVERALL}/error_message": "text",
}
_FORMS: dict[Form, dict[str, Kind]] = {
    Form.RATING: {"/rating": "text", "/rationale": "text", "/error_message": "text"},
    Form.DEFECT: {
        "/severity": "text",
        "/defect": "text",
        "/rationale": "text",
        "/error_message": "text",
    },
    Form.SCORE: {"/score": "number", "/rationale": "text", "/error_message": "text"},
    Form.VALUE: {"": "number", "/error_message": "text"},
    Form.PRECISION: {
        "/ratings": "texts",
        "/rationales": "texts",
        "/error_messages": "texts",
        "/precision": "number",
    },
}


def databricks_table(run: Run) -> Table:
    """``run`` by case, under the names of the reference's evaluation results.

    Where a judge failed its error message is there and everything else of it is None. A document's
    error takes its own rating and rationale, and the precision. Texts of documents are not kept in
    run files, so that ``retrieved_context`` has their ids.
    """
    rows = case_rows(run, lambda record: place_of(record).base)
    columns = dict(_CASE)
    if any(row.assessment for row in rows):
        columns |= _WHOLE
    for place, scale in sorted(_places(rows)):
        kinds = _FORMS[place.form]
        columns |= {place.base + end: kind for end, kind in kinds.items()}
        if scale == "count":
            columns[place.base] = "integer"
    return Table(columns, [dict.fromkeys(columns) | _values(row) for row in rows])


def _places(rows: list[CaseRow]) -> set[tuple[Place, str]]:
    return {(place_of(record), record.scale) for row in rows for record in row.checks.values()}


def _values(row: CaseRow) -> dict[str, Any]:
    values: dict[str, Any] = {"request_id": row.id}
    if row.case is not None:
        values |= {
            "request": row.case.query,
            "response": row.case.response,
            "expected_response": row.case.ground_truth,
            "retrieved_context": [{"doc_uri": each} for each in row.case.documents],
        }
    if row.assessment is not None:
        values |= _overall(row.assessment)
    for base, record in row.checks.items():
        form = place_of(record).form
        values |= {f"{base}{end}": value for end, value in _check(record, form)}
    return values


def _overall(made: Assessment) -> dict[str, Any]:
    if made.outcome is Outcome.ERROR:
        return {f"{_OVERALL}/error_message": _unanswered(made)}
    told = []
    if made.root_cause is not None:
        unless = f", unless it is {' or '.join(made.uncertain)}, which got no verdict"
        told.append(f"Root cause: {made.root_cause}{unless if made.uncertain else ''}.")
    if made.fix is not None:
        told.append(f"Suggested fix: {made.fix}")
    return {
        f"{_OVERALL}/rating": _RATINGS.get(made.outcome),
        f"{_OVERALL}/rationale": " ".join(told) or None,
    }


def _unanswered(made: Assessment) -> str:
    """Why there is no answer: which metrics got no verdict, and what the error says."""
    told = [f"no verdict of {', '.join(made.errors)}"] if made.errors else []
    return ": ".join([*told, *([made.message] if made.message else [])])


def _check(record: Record, form: Form) -> Iterator[tuple[str, Any]]:
    if form is Form.PRECISION:
        yield from _documents(record)
    elif record.error is not None:
        yield "/error_message", record.message
    elif form is Form.VALUE:
        whole = record.score is not None and record.scale == "count"
        yield "", int(record.score or 0) if whole else record.score
    elif form is Form.DEFECT:
        yield "/severity", record.label
        yield "/defect", {None: None, 0.0: "no", 1.0: "yes"}[value_of(record)]
        yield "/rationale", record.reason
    elif form is Form.SCORE:
        yield "/score", record.score
        yield "/rationale", record.reason
    else:
        yield "/rating", rating_of(record)
        yield "/rationale", record.reason


def rating_of(record: Record) -> str | None:
    """Yes or no (pass counts as yes), as which a blank response, which fails, is a no."""
    if record.score is None:
        return "no" if record.outcome is Outcome.FAILED else None
    return "yes" if record.score else "no"


def _documents(record: Record) -> Iterator[tuple[str, Any]]:
    parts = record.parts
    yield "/precision", record.score
    if not parts and record.error is not None:
        yield "/error_messages", [record.message]
    else:
        yield "/ratings", [_rated(part) for part in parts]
        yield "/rationales", [None if part.error else part.reason for part in parts]
        yield "/error_messages", [part.error for part in parts]


def _rated(part: Part) -> str | None:
    return None if part.score is None else "yes" if part.score else "no"
