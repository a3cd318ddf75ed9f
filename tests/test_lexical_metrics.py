"""Metrics asked of the lexical judge: each passes, fails and shows why, through a session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_llmeval.data.cases import Case
from pytest_llmeval.data.documents import Document
from pytest_llmeval.errors import CaseError, MetricRefused
from pytest_llmeval.judges.lexical import TASKS
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings

GOOD = Case(
    query="How much does the Alpine tent weigh, and how long does its warranty run?",
    response="The Alpine tent weighs 1.8 kg. Its warranty runs two years.",
    context=(
        Document(id="weight", title="Alpine tent", content="The Alpine tent weighs 1.8 kg."),
        Document(content="The warranty of this Alpine tent runs two years."),
    ),
    ground_truth="It weighs 1.8 kg and the warranty runs two years.",
)
WRONG = {"response": "The Alpine tent weighs 3 kg. Its warranty runs two years."}
OFF = {"response": "Green is the colour of the season."}
POOR = {"context": (Document(content="Our shops open at nine."),)}


@dataclass(frozen=True)
class Row:
    """A metric with what spoils the good case, how it then scores, and what is shown of it."""

    metric: str
    spoilt: dict[str, Any]
    score: float
    shown: str
    best: float = 1
    options: dict[str, Any] = field(default_factory=dict)


YES_NO = {"scale": "yes_no"}
ROWS = (
    Row("groundedness", WRONG, 3, "ungrounded: The Alpine tent weighs 3 kg.", 5),
    Row("groundedness", WRONG, 0, "ungrounded: The Alpine tent weighs 3 kg.", options=YES_NO),
    Row("fact_check", WRONG, 0, "it says '3 kg' where the documents say '1.8 kg'"),
    Row("relevance", OFF, 1, "gives neither a number nor a time", 5),
    Row("relevance_to_query", OFF, 0, "gives neither a number nor a time"),
    Row("context_relevancy", OFF, 0, "gives neither a number nor a time"),
    Row("correctness", WRONG, 0, "contradicted: It weighs 1.8 kg and the warranty runs two"),
    Row("similarity", WRONG, 2, "it says '1.8 kg' where the response says '3 kg'", 5),
    Row("context_sufficiency", POOR, 0, "missing: It weighs 1.8 kg and the warranty runs"),
    Row("chunk_relevance", POOR, 0, "are in no document"),
    Row("retrieval", POOR, 1, "unanswered: how long does its warranty run?", 5),
)
IDS = [f"{row.metric}{'-yes_no' * bool(row.options)}" for row in ROWS]


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(Settings(model="lexical", mode="off"))
    yield session
    session.close()


def told(result: Result) -> str:
    """All that a result says."""
    pieces = [f"{each.kind}: {each.text} {each.why}" for each in result.evidence]
    return "\n".join([result.reason, *pieces, *(part.reason for part in result.parts)])


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_a_good_case_passes_and_a_spoilt_one_fails_with_why(row: Row, session: Session) -> None:
    good = session.evaluate(GOOD, row.metric, options=row.options)
    assert (good.outcome, good.score) == (Outcome.PASSED, row.best), told(good)
    spoilt = GOOD.model_copy(update=row.spoilt)
    bad = session.evaluate(spoilt, row.metric, options=row.options)
    assert (bad.outcome, bad.score) == (Outcome.FAILED, row.score), told(bad)
    assert row.shown in told(bad)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_a_case_without_what_the_metric_needs_is_an_error(row: Row, session: Session) -> None:
    result = session.evaluate(Case(id="bare"), row.metric, options=row.options)
    assert result.outcome is Outcome.ERROR
    assert isinstance(result.error, CaseError)


JUDGED = {name for name, metric in CATALOGUE.items() if metric.judged}


@pytest.mark.parametrize("name", sorted(JUDGED - {row.metric for row in ROWS}))
def test_what_words_cannot_tell_is_refused_with_what_to_set(name: str, session: Session) -> None:
    case = GOOD.model_copy(update={"guidelines": ("Be kind.",)})
    result = session.evaluate(case, name)
    assert isinstance(result.error, MetricRefused)
    assert "set an LLM judge with --llm-eval-model" in str(result.error)


def test_every_task_of_the_lexical_judge_is_asked_by_a_metric() -> None:
    asked = {f"{row.metric}{'[yes_no]' * bool(row.options)}" for row in ROWS}
    assert asked == {*TASKS}
