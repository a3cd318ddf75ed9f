"""The table of the metrics in the docs says what the code says."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from active_session import active_session

import pytest_llmeval
from pytest_llmeval import Case
from pytest_llmeval.errors import CheckFailed, EvalError
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.metrics.base import Metric
from pytest_llmeval.scales import Scale, Threshold
from pytest_llmeval.session import Session

PAGE = Path(__file__).parent.parent.joinpath("docs/metrics.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| `\w+(\[\w+\])?` \| `assert_", line)
]
BY_MEASURE = {row[0].strip("`"): row for row in ROWS}


def measures() -> Iterator[Metric]:
    for metric in CATALOGUE.values():
        yield metric
        yield from metric.others
    yield CATALOGUE["fact_check"].held_to(Threshold("at_most", 0))


MEASURES = {metric.row: metric for metric in measures()}


def test_every_metric_has_one_row() -> None:
    assert len(ROWS) == len(BY_MEASURE)
    assert BY_MEASURE.keys() == MEASURES.keys()


def needed(metric: Metric) -> str:
    return ", ".join(need if isinstance(need, str) else " or ".join(need) for need in metric.needs)


def mark(rule: Threshold | None, scale: Scale) -> str:
    if rule is None:
        return ""
    if len(scale.labels) == 2:
        return scale.label_of(rule.value) or ""
    return f"{rule.bound.replace('_', ' ')} {scale.show(rule.value)}"


@pytest.mark.parametrize("row", sorted(MEASURES))
def test_a_row_says_what_the_metric_needs_gives_and_passes_at(row: str) -> None:
    metric = MEASURES[row]
    _, _, needs, scale, passes, source = BY_MEASURE[row]
    told = (needed(metric), metric.scale.name, mark(metric.threshold, metric.scale))
    assert (needs, scale, passes) == told
    assert source


def test_every_assertion_on_a_metric_stands_in_the_table() -> None:
    listed = {re.match(r"`(\w+)", row[1]) for row in ROWS}
    named = {found[1] for found in listed if found} | {
        "assert_metric",
        "assert_metrics",
        "assert_quality",
    }
    assert named == {name for name in pytest_llmeval.__all__ if name.startswith("assert_")}


@pytest.fixture
def session() -> Iterator[Session]:
    with active_session(mode="off", model="lexical") as session:
        yield session


GIVEN: dict[str, Any] = {
    "pattern": "a",
    "schema": {},
    "at_least": 0.5,
    "at_most": 1,
}
"""Arguments that an assertion may need before it looks at its case."""


@pytest.mark.parametrize("row", sorted(MEASURES))
def test_the_assertion_in_a_row_counts_under_that_row(row: str, session: Session) -> None:
    call = BY_MEASURE[row][1].strip("`")
    name, _, how = call.partition("(…, ")
    assertion: Callable[..., object] = getattr(pytest_llmeval, name)
    arguments = dict(re.findall(r'(\w+)="(\w+)"', how))
    parameters = inspect.signature(assertion).parameters
    for option, parameter in parameters.items():
        if option in ("pattern", "schema") and parameter.default is parameter.empty:
            arguments[option] = GIVEN[option]
    if MEASURES[row].threshold is None:
        bound = MEASURES[row].scale.better
        arguments[bound] = GIVEN[bound]
    session.notebook.enter("t", "call")
    with pytest.raises((EvalError, CheckFailed)):
        assertion(Case(), **arguments)
    news = session.news("t", "call")
    assert news is not None
    assert [record["metric"] for record in news["records"]] == [row]
