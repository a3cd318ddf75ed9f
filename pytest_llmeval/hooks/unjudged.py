"""Reports of checks without a verdict: pytest's errors, whoever else took the exception in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest import TestCase

import pytest

from ..errors import CheckFailed, DamagedVerdicts, EvalError, NoJudge
from ..results import Outcome
from .raised import all_of, parts_of


def error_behind(
    raised: BaseException, item: pytest.Item, report: Any, news: Mapping[str, Any] | None
) -> EvalError | None:
    """The check without a verdict that the ``report`` of ``item`` is of, if there is one.

    ``raised`` is what ended the phase, ``news`` what it recorded.
    """
    return (
        next(iter(all_of(raised, EvalError)), None)
        or _expected_by_unittest(item, report, news)
        or _absorbed_by_xfail(report, raised)
    )


def report_error(error: EvalError, item: pytest.Item, report: Any, how: str) -> None:
    """Report ``error`` as the setting ``how`` says; xfail never absorbs it."""
    if hasattr(report, "wasxfail"):
        del report.wasxfail
    if how == "skip" and not isinstance(error, NoJudge | DamagedVerdicts):
        path, line, _ = item.location
        report.outcome = "skipped"
        report.longrepr = (path, (line or 0) + 1, f"Skipped: no verdict: {error}")
        return
    report.outcome = "failed"
    if how != "fail" and report.when == "call":
        report.llm_eval_error = type(error).__name__


def _absorbed_by_xfail(report: Any, raised: BaseException) -> EvalError | None:
    """An error that is told beside failing checks, or raised beside others, which ``xfail``
    expected."""
    if not hasattr(report, "wasxfail"):
        return None
    for each in parts_of(raised):
        if isinstance(each, EvalError):
            return each
        if isinstance(each, CheckFailed) and each.errors:
            return each.errors[0]
    return None


def _expected_by_unittest(
    item: pytest.Item, report: Any, news: Mapping[str, Any] | None
) -> EvalError | None:
    """The error that unittest's ``expectedFailure`` took for one: it shows in the records only."""
    cls = getattr(item, "cls", None) or object
    if not (hasattr(report, "wasxfail") and issubclass(cls, TestCase) and news):
        return None
    rows = news["assessments"][-1]["errors"] if news["assessments"] else ()
    last = news["records"][-1:]
    of_suite = [record for record in news["records"] if record["metric"] in rows]
    for record in (*last, *reversed(of_suite)):
        if record["outcome"] == Outcome.ERROR:
            return EvalError(record["message"])
    return None
