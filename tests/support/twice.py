"""The same suite run blocking and deferred, and all that its reports say, to be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import pytest

# What inner runs share, imported before the first of them.
import pytest_llmeval.assertions
import pytest_llmeval.hooks.deferring  # noqa: F401

HEAD = """
import asyncio, logging, os, sys, time, unittest, warnings
import pytest
from late_judge import DOCS, LateJudge
from pytest_llmeval import (
    CheckFailed, EvalError, assert_grounded, assert_relevant, evaluate, together,
)

JUDGE = LateJudge()

def ok(text="fine"):
    return assert_grounded(text, context=DOCS, judge=JUDGE)

pytestmark = pytest.mark.llm_eval
"""


@dataclass(eq=False)
class Reports:
    """A plugin that writes down everything that pytest is told about tests, in order."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    def pytest_runtest_logstart(self, nodeid: str, location: object) -> None:
        self.rows.append({"start": nodeid, "location": location})

    def pytest_runtest_logfinish(self, nodeid: str, location: object) -> None:
        self.rows.append({"finish": nodeid, "location": location})

    def pytest_exception_interact(self, node: Any, call: Any, report: Any) -> None:
        self.rows.append({"interact": node.nodeid, "raised": repr(call.excinfo.value)})

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        self.rows.append(
            {
                "type": type(report).__name__,
                "nodeid": report.nodeid,
                "when": report.when,
                "outcome": report.outcome,
                "wasxfail": getattr(report, "wasxfail", None),
                "longrepr": "" if _not_run(report) else _steady(report.longreprtext),
                "sections": report.sections,
                "user_properties": report.user_properties,
                "keywords": sorted(report.keywords),
                "llm_eval": (getattr(report, "llm_eval", None) or {}).get("records") or None,
                "llm_eval_error": getattr(report, "llm_eval_error", None),
            }
        )


@dataclass
class Seen:
    """What one run came to."""

    rows: list[dict[str, Any]]
    result: pytest.RunResult

    def outcomes(self, when: str = "call") -> dict[str, str]:
        """Each test's outcome in one phase, by its name."""
        reports = [row for row in self.rows if row.get("when") == when]
        return {row["nodeid"].rpartition("::")[2]: row["outcome"] for row in reports}

    def lines(self) -> list[str]:
        """The terminal's lines, without what differs from run to run."""
        return [
            _steady(re.sub(r"\bin \d.*s( \(.*\))? =*|·[^·]* s$", "", line)).rstrip("= ")
            for line in self.result.outlines
            if not line.startswith("llm eval:")
        ]


def run(pytester: pytest.Pytester, *options: str, deferred: bool) -> Seen:
    """One run of what ``pytester`` holds, in this process."""
    reports = Reports()
    switch = ["--llm-eval-deferred"] if deferred else []
    plain = ("-p", "no:cacheprovider", "-W", "default", f"--basetemp={pytester.path / 'temp'}")
    result = pytester.runpytest_inprocess(
        "--llm-eval", *plain, *switch, *options, plugins=[reports]
    )
    return Seen(reports.rows, result)


def compared(pytester: pytest.Pytester, *options: str) -> tuple[Seen, Seen]:
    """Both runs, blocking first, shown to have told the same in the same order."""
    blocking = run(pytester, *options, deferred=False)
    deferred = run(pytester, *options, deferred=True)
    for before, after in zip(blocking.rows, deferred.rows, strict=False):
        differs = {key for key in before | after if before.get(key) != after.get(key)}
        told = {"nodeid", "when", *differs}
        assert not differs, {key: (before.get(key), after.get(key)) for key in told}
    assert len(blocking.rows) == len(deferred.rows)
    assert blocking.result.ret == deferred.result.ret
    return blocking, deferred


def _not_run(report: Any) -> bool:
    """Whether the report's text is, on pytest 8, one of pytest's own frames alone."""
    return bool(getattr(report, "wasxfail", "").startswith("[NOTRUN]"))


_OUR_OWN_FRAMES = re.compile(
    r'^([ |]*)File "[^"]*/(?:site-packages|pytest_llmeval)/.*\n(?:\1  .*\n)*', re.MULTILINE
)


def _steady(text: str) -> str:
    """Without addresses, and without what native tracebacks show of pytest and the plugin."""
    return re.sub(r"0x[0-9a-f]+", "0x", _OUR_OWN_FRAMES.sub("", text))
