"""Reading a trace, in whichever of the known formats it comes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import CaseError
from ...text.shown import shown
from . import langsmith, mlflow, opentelemetry
from .trace import Trace
from .values import json_or_text

_KNOWN = (
    "an MLflow trace, OpenTelemetry spans (OTLP JSON, or those of opentelemetry-sdk) or a "
    "LangSmith run"
)


def read_trace(given: object) -> Trace:
    """What the trace ``given`` tells: query, response, documents, tokens, latency, tool calls.

    It is a trace of MLflow 2 or 3, OpenTelemetry spans (OTLP as JSON, a list of ``ReadableSpan``,
    or of what their ``to_json`` writes) under the GenAI conventions or OpenInference's, or a run
    of LangSmith with its ``child_runs`` or a list of runs: as JSON text, as its value, or as an
    object with ``to_dict``, ``to_json`` or ``model_dump``.

    Raises ``CaseError`` for anything else, for spans of several traces, and for a trace whose
    spans can't be told apart. What a span does not tell, or not in a readable way, is not known.
    """
    try:
        return _read(given)
    except CaseError:
        raise
    except Exception as error:  # of an object's own methods, and what nobody thought of
        raised = f"{type(error).__name__}: {shown(str(error), 120)}"
        raise CaseError(f"trace: it can't be read ({raised})") from error


def _read(given: Any) -> Trace:
    if isinstance(given, Trace):
        return given
    if isinstance(given, str | bytes):
        given = _of_text(given)
    if opentelemetry.is_sdk_span(given):
        return opentelemetry.of_sdk([given])
    if not isinstance(given, Mapping | Sequence):
        given = _of_object(given)
    several = [given] if isinstance(given, Mapping) else [*map(json_or_text, given)]
    readers = [read for is_one, read in _READERS if several and all(map(is_one, several))]
    if mlflow.is_mlflow(given) and (mlflow.has_spans(given) or not readers):
        return mlflow.of_mlflow(given)
    if readers:
        return readers[0](several)
    if not several:
        raise CaseError("trace: it holds no span")
    raise CaseError(f"trace: expected {_KNOWN}; got {_told(given)}")


_READERS = (
    (opentelemetry.is_sdk_span, opentelemetry.of_sdk),
    (opentelemetry.is_otlp, opentelemetry.of_otlp),
    (langsmith.is_run, langsmith.of_runs),
    (opentelemetry.is_printed_span, opentelemetry.of_printed),
)


def _of_text(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CaseError(f"trace: this is no JSON ({shown(str(error), 120)})") from None


def _of_object(given: Any) -> Any:
    for name in ("to_dict", "to_json", "model_dump"):
        if callable(write := getattr(given, name, None)):
            return json_or_text(write())
    raise CaseError(f"trace: expected {_KNOWN}; got {_told(given)}")


def _told(given: object) -> str:
    if isinstance(given, Mapping) and given:
        names = ", ".join(shown(str(name), 30) for name in [*given][:5])
        return f"an object with {names}"
    if isinstance(given, Sequence) and given and not isinstance(given, str):
        return f"a list with {type(given[0]).__name__}"
    return type(given).__name__
