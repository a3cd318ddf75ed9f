"""A run file, read back: whole, of a known shape, and at one with itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..errors import UsageError
from .contradictions import contradiction_in
from .run import SCHEMA_VERSION, Run

_ANEW = "write it anew with --llm-eval-report"


def load_run(path: Path | str) -> Run:
    """The run that ``--llm-eval-report`` wrote to ``path``.

    Raises ``UsageError`` that names the file and what to do: for a file that can't be read, is
    damaged, contradicts itself or was written by a version whose files have another shape.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    try:
        run = Run.model_validate_json(text)
    except ValidationError as error:
        raise UsageError(f"{path}: {_fault(text, error)}") from None
    if fault := contradiction_in(run):
        raise UsageError(f"{path}: {fault}: the file was edited or damaged; {_ANEW}")
    return run


def _fault(text: str, error: ValidationError) -> str:
    """What is wrong with ``text``, in which ``error`` was found, and what to do."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as fault:
        return f"this is no JSON ({fault}); {_ANEW}"
    if told := _version_fault(document):
        return told
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}; {_ANEW}"


def _version_fault(document: Any) -> str:
    version = document.get("schema_version") if isinstance(document, dict) else None
    if version is None:
        return f"this is no run file: it has no schema_version; {_ANEW}"
    if version == SCHEMA_VERSION and not isinstance(version, bool):
        return ""
    writer = document.get("plugin_version", "unknown")
    return (
        f"its schema_version is {version!r}, this plugin reads {SCHEMA_VERSION}; read it with the "
        f"plugin that wrote it (version {writer}), or {_ANEW}"
    )
