"""JUnit XML: checks are properties of their test; one without a verdict is an ``<error>``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import pytest

from ..records.assessment import Assessment
from ..records.record import Record
from ..results import Outcome
from ..text.shown import shown

PREFIX = "llm_eval."
"""What the names of our properties begin with."""

_LONGEST = 1000


def properties(
    records: Iterable[Record], assessments: Iterable[Assessment], taken: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Names and values of the properties that tell of ``records`` and ``assessments``.

    A check has its score under its metric (``llm_eval.groundedness``), beside ``.outcome`` and
    ``.reason``; a suite (``llm_eval.quality[rag]``) has ``.outcome``, ``.root_cause`` and ``.fix``.
    A further check of a metric is numbered: ``llm_eval.groundedness#2``. So it is where the name
    is among those that are ``taken``. What XML can't hold is written as its escape.
    """
    used = set(taken)
    made: list[tuple[str, str]] = []
    told = [(record.metric, [*_of_check(record)]) for record in records]
    told += [(f"quality[{each.suite}]", [*_of_suite(each)]) for each in assessments]
    for what, pairs in told:
        name = _free(f"{PREFIX}{shown(what, 100)}", used)
        used.add(f"{name}.outcome")
        made += [(f"{name}{detail}", shown(value, _LONGEST)) for detail, value in pairs if value]
    return made


def _free(name: str, used: Collection[str]) -> str:
    number, free = 1, name
    while f"{free}.outcome" in used:
        number += 1
        free = f"{name}#{number}"
    return free


def _of_check(record: Record) -> Iterator[tuple[str, str]]:
    if record.score is not None:
        yield "", record.label or f"{record.score:.6g}"
    yield ".outcome", record.outcome.value
    yield ".reason", record.message if record.outcome is Outcome.ERROR else record.reason


def _of_suite(assessment: Assessment) -> Iterator[tuple[str, str]]:
    yield ".outcome", assessment.outcome.value
    yield ".root_cause", assessment.root_cause or ""
    yield ".fix", assessment.fix or ""
    yield ".reason", assessment.message


def as_error(config: pytest.Config, report: Any) -> None:
    """Have pytest's own JUnit report, if one is written, file ``report`` as an error.

    pytest files every failing call as a failure and offers no hook for it, so that the node of
    this one test is told otherwise.
    """
    plugins: list[tuple[str, Any]] = config.pluginmanager.list_name_plugin()
    for _, plugin in plugins:
        if type(plugin).__name__ == "LogXML":
            node = plugin.node_reporter(report)

            def append_error(report: Any, node: Any = node) -> None:
                crash = getattr(report.longrepr, "reprcrash", None)
                message = crash.message if crash else str(report.longrepr)
                del node.append_failure  # a later failure of the same test is one
                node._add_simple("error", message, str(report.longrepr))

            node.append_failure = append_error
