"""OpenTelemetry's spans: OTLP as JSON, those of its SDK in memory, and what its SDK prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...errors import CaseError
from .conventions import RawSpan, span_of
from .trace import Trace, trace_of
from .values import count, listed, mapping, nanoseconds, plain

TracedSpan = tuple[str, RawSpan]
"""A span with the id of its trace."""


def is_otlp(given: object) -> bool:
    """Whether ``given`` is a message of OTLP's spans as JSON."""
    return isinstance(given, Mapping) and not {"resourceSpans", "resource_spans"}.isdisjoint(given)


def is_sdk_span(given: object) -> bool:
    """Whether ``given`` is a span of ``opentelemetry-sdk``, told by what it has."""
    names = ("get_span_context", "attributes", "start_time", "end_time", "parent")
    return all(hasattr(given, name) for name in names)


def is_printed_span(given: object) -> bool:
    """Whether ``given`` is a span as ``ReadableSpan.to_json`` writes it."""
    return (
        isinstance(given, Mapping)
        and "attributes" in given
        and (isinstance(given.get("context"), Mapping) and "trace_id" in given["context"])
    )


def of_otlp(messages: Sequence[Mapping[str, Any]]) -> Trace:
    """The trace of OTLP ``messages``. Raises ``CaseError`` for none, and for several traces."""
    return _of_one([_otlp_span(each) for message in messages for each in _spans_in(message)])


def of_sdk(spans: Sequence[Any]) -> Trace:
    """The trace of ``spans`` of the SDK. Raises as ``of_otlp``."""
    return _of_one([_sdk_span(span) for span in spans])


def of_printed(spans: Sequence[Mapping[str, Any]]) -> Trace:
    """The trace of ``spans`` as the SDK prints them. Raises as ``of_otlp``."""
    return _of_one([_printed_span(span) for span in spans])


def _of_one(spans: Sequence[TracedSpan]) -> Trace:
    traces = {trace for trace, _ in spans}
    if not spans:
        raise CaseError("trace: it holds no span")
    if len(traces) > 1:
        raise CaseError(
            f"trace: expected the spans of one trace, got those of {len(traces)}: put the call of "
            "the app into one span, and clear the exporter before it"
        )
    return trace_of([span_of(raw) for _, raw in spans])


def _spans_in(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for resource in listed(_either(message, "resourceSpans", "resource_spans")):
        scopes = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
        for scope in listed(_either(mapping(resource), *scopes)):
            for span in listed(mapping(scope).get("spans")):
                if not isinstance(span, Mapping):
                    raise CaseError(f"trace: expected spans, got {type(span).__name__} among them")
                yield span


def _otlp_span(given: Mapping[str, Any]) -> TracedSpan:
    status = mapping(given.get("status"))
    failed = status.get("code") in (2, "STATUS_CODE_ERROR")
    return str(_either(given, "traceId", "trace_id")), RawSpan(
        id=str(_either(given, "spanId", "span_id") or ""),
        parent=_text(_either(given, "parentSpanId", "parent_span_id")),
        name=str(given.get("name")),
        start=_unix_nano(_either(given, "startTimeUnixNano", "start_time_unix_nano")),
        end=_unix_nano(_either(given, "endTimeUnixNano", "end_time_unix_nano")),
        attributes=_attributes(given.get("attributes")),
        events=[
            (str(mapping(each).get("name")), _attributes(mapping(each).get("attributes")))
            for each in listed(given.get("events"))
        ],
        error=str(status.get("message") or "failed") if failed else None,
    )


def _attributes(given: Any) -> dict[str, Any]:
    pairs = [mapping(each) for each in listed(given)]
    return {str(pair.get("key")): _any_value(pair.get("value")) for pair in pairs}


def _any_value(given: Any, depth: int = 30) -> Any:
    """The value of an OTLP ``AnyValue``; 64-bit integers are text in JSON."""
    if not isinstance(given, Mapping) or not given or depth == 0:
        return None
    kind, value = next(iter(given.items()))
    kind = kind.lower().replace("_", "")
    if kind == "intvalue":
        try:
            return int(value)
        except (TypeError, ValueError, OverflowError):
            return None
    if kind == "arrayvalue":
        return [_any_value(each, depth - 1) for each in listed(mapping(value).get("values"))]
    if kind == "kvlistvalue":
        pairs = [mapping(each) for each in listed(mapping(value).get("values"))]
        return {str(each.get("key")): _any_value(each.get("value"), depth - 1) for each in pairs}
    return value


def _sdk_span(span: Any) -> TracedSpan:
    context = span.get_span_context()
    parent = span.parent
    status = getattr(span, "status", None)
    failed = getattr(getattr(status, "status_code", None), "name", "") == "ERROR"
    return str(context.trace_id), RawSpan(
        id=str(context.span_id),
        parent=None if parent is None else str(parent.span_id),
        name=str(span.name),
        start=_unix_nano(span.start_time),
        end=_unix_nano(span.end_time),
        attributes=plain(span.attributes or {}),
        events=[(str(each.name), plain(each.attributes or {})) for each in span.events],
        error=str(getattr(status, "description", None) or "failed") if failed else None,
    )


def _printed_span(given: Mapping[str, Any]) -> TracedSpan:
    context = given["context"]
    status = mapping(given.get("status"))
    failed = status.get("status_code") == "ERROR"
    return str(context.get("trace_id")), RawSpan(
        id=str(context.get("span_id") or ""),
        parent=_text(given.get("parent_id")),
        name=str(given.get("name")),
        start=nanoseconds(given.get("start_time")),
        end=nanoseconds(given.get("end_time")),
        attributes=mapping(given.get("attributes")),
        events=[
            (str(mapping(each).get("name")), mapping(mapping(each).get("attributes")))
            for each in listed(given.get("events"))
        ],
        error=str(status.get("description") or "failed") if failed else None,
    )


def _either(given: Mapping[str, Any], *names: str) -> Any:
    return next((given[name] for name in names if name in given), None)


def _text(value: Any) -> str | None:
    return str(value) if value else None


def _unix_nano(value: Any) -> int | None:
    """A time in nanoseconds, whatever its size; 0 is none, as protobuf has it."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    return count(value) or None if isinstance(value, int) else None
