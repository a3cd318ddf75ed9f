"""Failures in plain words: pytest's report of one without what is of no use in it."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

_PREFIXES = ("pytest_llmeval.errors.CheckFailed: ", "pytest_llmeval.errors.")


def without_class_names(report: Any) -> None:
    """Let the text of a failed check in ``report`` (a pytest test report) begin with its headline.

    Errors keep the name of their kind, without the module's.

    Only lines that pytest itself, or Python in a group of exceptions, put the class name before are
    touched; other kinds of
    representation are left as they are.
    """
    for _, crash, _ in getattr(report.longrepr, "chain", ()):
        if crash is not None:
            crash.message = _stripped(crash.message)
    for traceback, _, _ in getattr(report.longrepr, "chain", ()):
        for entry in traceback.reprentries:
            entry.lines[:] = [_stripped(line) for line in entry.lines]


def without_way(report: Any, path: str, line: int) -> None:
    """Let the error in ``report`` be told by its message alone, as one of the test at ``path``.

    Other kinds of representation are left as they are.
    """
    for traceback, crash, _ in [*getattr(report.longrepr, "chain", ())][-1:]:
        entry = traceback.reprentries[-1]
        told = [each[1:] for each in entry.lines if each.startswith("E ")]
        if told:
            entry.lines[:] = [f"E   {each}" for each in dedent("\n".join(told)).split("\n")]
            entry.reprfuncargs = entry.reprlocals = entry.reprfileloc = None
            traceback.reprentries[:] = [entry]
        if crash is not None:
            crash.path, crash.lineno = path, line


def told_at(report: Any, message: str, path: str, line: int) -> None:
    """Let ``report`` say ``message`` in a line's summary, as of what was raised at ``path``.

    Other kinds of representation are left as they are.
    """
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        crash.message, crash.path, crash.lineno = message, path, line


def summed_up(report: Any) -> None:
    """Let ``report`` be one line in pytest's short summary, which shows all of them in a CI.

    To be called when it is logged: others are given the whole text, as is the section above.
    Other kinds of representation are left as they are.
    """
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        crash.message = crash.message.partition("\n")[0]


def _stripped(line: str) -> str:
    for prefix in _PREFIXES:
        head, found, tail = line.partition(prefix)
        if found and not head.strip("E |"):
            return head + tail
    return line
