"""Failures in plain words: pytest's report of one without our module's name before it."""

from __future__ import annotations

from typing import Any

_PREFIXES = ("pytest_llmeval.errors.CheckFailed: ", "pytest_llmeval.errors.")


def without_class_names(report: Any) -> None:
    """Let the text of a failed check in ``report`` (a pytest test report) begin with its headline.

    Errors keep the name of their kind, without the module's.

    Only lines that pytest itself put the class name before are touched; other kinds of
    representation are left as they are.
    """
    for _, crash, _ in getattr(report.longrepr, "chain", ()):
        if crash is not None:
            crash.message = _stripped(crash.message)
    for traceback, _, _ in getattr(report.longrepr, "chain", ()):
        for entry in traceback.reprentries:
            entry.lines[:] = [_stripped(line) for line in entry.lines]


def _stripped(line: str) -> str:
    for prefix in _PREFIXES:
        head, found, tail = line.partition(prefix)
        if found and not head.strip("E "):
            return head + tail
    return line
