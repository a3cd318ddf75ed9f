"""MLflow's traces as JSON, those of MLflow 2 and 3."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...errors import CaseError
from .conventions import RawSpan, span_of
from .messages import asked_in, said_in
from .trace import Trace, trace_of
from .values import count, json_or_text, listed, mapping, nanoseconds


def is_mlflow(given: object) -> bool:
    """Whether ``given`` is a trace of MLflow."""
    if not isinstance(given, Mapping):
        return False
    has_info = not {"info", "trace_info"}.isdisjoint(given)
    if isinstance(given.get("trace"), Mapping):
        return is_mlflow(given["trace"])
    return "spans" in mapping(given.get("data")) or (
        has_info and not {"data", "spans"}.isdisjoint(given)
    )


def has_spans(given: Mapping[str, Any]) -> bool:
    """Whether the trace ``given`` of MLflow holds spans."""
    inner = given.get("trace")
    given = inner if isinstance(inner, Mapping) else given
    return bool(listed(mapping(given.get("data")).get("spans", given.get("spans"))))


def of_mlflow(given: Mapping[str, Any]) -> Trace:
    """The trace that ``given`` is.

    What its spans don't tell is taken from the trace's own information: request, response, tokens,
    and, where there are no spans, how long it took. Raises ``CaseError`` where the spans are none.
    """
    inner = given.get("trace")
    given = inner if isinstance(inner, Mapping) else given
    data = mapping(given.get("data"))
    info = mapping(given.get("info", given.get("trace_info")))
    notes = {**_notes(info, "request_metadata"), **_notes(info, "trace_metadata")}
    spans = listed(data.get("spans", given.get("spans")))
    usage = mapping(notes.get("mlflow.trace.tokenUsage"))
    told = (count(usage.get("input_tokens")), count(usage.get("output_tokens")))
    trace = trace_of([span_of(raw) for raw in _without_numbers([*map(_raw, spans)])], told)
    request = (data.get("request"), notes.get("mlflow.traceInputs"), info.get("request_preview"))
    response = (
        data.get("response"),
        notes.get("mlflow.traceOutputs"),
        info.get("response_preview"),
    )
    own = () if trace.response is None else (*trace.said_before, trace.response)
    said = next(filter(None, (own, *(said_in(json_or_text(each)) for each in response))), ())
    return replace(
        trace,
        query=_or(trace.query, *(asked_in(json_or_text(each)) for each in request)),
        response=said[-1] if said else None,
        said_before=said[:-1],
        seconds=trace.seconds if spans else _seconds(info),
    )


def _notes(info: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The metadata ``name`` of ``info``, an object or a list of keys and values."""
    pairs = [mapping(each) for each in listed(info.get(name))]
    return mapping(info.get(name)) or {str(each.get("key")): each.get("value") for each in pairs}


def _or(*values: str | None) -> str | None:
    return next((value for value in values if value is not None), None)


def _seconds(info: Mapping[str, Any]) -> float | None:
    for name in ("execution_time_ms", "execution_duration_ms"):
        if (found := count(info.get(name))) is not None:
            return found / 1000
    duration = info.get("execution_duration")
    found_text = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)s", str(duration))
    return float(found_text[1]) if found_text else None


def _raw(given: Any) -> RawSpan:
    if not isinstance(given, Mapping):
        raise CaseError(f"trace: expected spans, got {type(given).__name__} among them")
    context = mapping(given.get("context"))
    status = mapping(given.get("status"))
    code = given.get("status_code", status.get("code"))
    failed = code in ("ERROR", "STATUS_CODE_ERROR", 2)
    message = given.get("status_message") or status.get("message")
    attributes = mapping(given.get("attributes"))
    return RawSpan(
        id=str(context.get("span_id") or given.get("span_id") or ""),
        parent=str(given.get("parent_id") or given.get("parent_span_id") or "") or None,
        name=str(given.get("name")),
        start=_moment(given, "start_time"),
        end=_moment(given, "end_time"),
        attributes={str(name): json_or_text(value) for name, value in attributes.items()},
        error=str(message or "failed") if failed else None,
    )


def _moment(given: Mapping[str, Any], name: str) -> int | None:
    """A time of a span, which is in nanoseconds, also where its name does not say so."""
    for each in (f"{name}_unix_nano", f"{name}_ns"):
        if each in given:
            return count(given[each]) or None
    return nanoseconds(given.get(name))


def _without_numbers(spans: Sequence[RawSpan]) -> list[RawSpan]:
    """``spans`` by the names that the app gave: MLflow numbers spans of one name from 1."""
    numbers: dict[str, set[int]] = defaultdict(set)
    for span in spans:
        base, _, number = span.name.rpartition("_")
        if number.isascii() and number.isdigit() and len(number) < 6:
            numbers[base].add(int(number))
    numbered = {
        f"{base}_{number}": base
        for base, found in numbers.items()
        for number in found
        if len(found) > 1 and found == {*range(1, len(found) + 1)}
    }
    return [replace(span, name=numbered.get(span.name, span.name)) for span in spans]
