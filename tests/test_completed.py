"""A case completed from its trace, for every metric, once; what it says itself stands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fake_agent as agent
import pytest
from active_session import active_session

from pytest_llmeval import (
    Case,
    CaseError,
    CheckFailed,
    Document,
    ToolCall,
    assert_grounded,
    assert_latency,
    assert_tokens,
    assert_tools_called,
    evaluate,
    load_run,
    metric,
)
from pytest_llmeval.data.completed import completed
from pytest_llmeval.data.conversation import as_judged
from pytest_llmeval.data.datasets import load_cases
from pytest_llmeval.data.measured import Measured
from pytest_llmeval.data.traces import read
from pytest_llmeval.session import Session


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with active_session(mode="off", model="lexical") as session:
        yield session


TOOK = Measured(seconds=2.5, input_tokens=250, output_tokens=50)


def test_what_the_case_lacks_comes_from_its_trace() -> None:
    made = completed(Case(id="c", trace=agent.mlflow_3()))
    assert (made.query, made.response, made.context) == (
        agent.QUERY,
        agent.ANSWER,
        agent.DOCUMENTS,
    )
    assert (made.measured, made.tools_called, made.id) == (TOOK, (agent.CALL,), "c")
    assert completed(made) is made


def test_what_the_case_says_itself_stands() -> None:
    own = Case(
        query="Own?",
        response=" ",
        context=["own"],
        tools_called=[],
        measured={"seconds": 0.0, "output_tokens": 0},
        trace=agent.mlflow_3(),
    )
    made = completed(own)
    assert (made.query, made.response, made.tools_called) == ("Own?", " ", ())
    assert made.context == (Document(content="own"),)
    assert made.measured == Measured(seconds=0.0, input_tokens=250, output_tokens=0)
    plain = Case(query="Own?")
    assert completed(plain) is plain


USER: dict[str, Any] = {"role": "user", "content": "And in stock?"}
SAID: dict[str, Any] = {"role": "assistant", "content": "It is."}


def test_the_trace_of_a_conversation_tells_of_the_turn_that_is_judged() -> None:
    trace = agent.langsmith()
    answered = as_judged(completed(Case(messages=[USER, SAID], trace=trace)))
    assert (answered.query, answered.response) == ("And in stock?", "It is.")
    assert (answered.context, answered.tools_called) == (agent.DOCUMENTS, (agent.CALL,))
    asked = as_judged(completed(Case(messages=[USER, SAID, USER], trace=trace)))
    assert (asked.query, asked.response) == ("And in stock?", agent.ANSWER)
    document = {**SAID, "context": ["own"], "tool_calls": ["own"]}
    own = as_judged(completed(Case(messages=[USER, document], trace=trace)))
    assert (own.context, own.tools_called) == ((Document(content="own"),), (ToolCall("own"),))


def test_every_metric_sees_the_completed_case_and_the_trace_is_read_once(
    monkeypatch: pytest.MonkeyPatch, session: Session
) -> None:
    reads = []

    def counting(given: object, read_it: Any = read.read_trace) -> Any:
        reads.append(given)
        return read_it(given)

    monkeypatch.setattr(read, "read_trace", counting)

    @metric(needs=["query", "context", "measured.seconds"], scale="0-1")
    def own(case: Case) -> float:
        assert case.measured == TOOK
        return 1 if case.query == agent.QUERY else 0

    session.notebook.enter("t", "call")
    case = Case(trace=agent.spans(agent.genai))
    assert assert_latency(case, at_most=2.5).score == 2.5
    assert assert_tokens(case, at_most=300).score == 300
    assert assert_tokens(case, at_most=250, of="input").score == 250
    assert assert_tools_called(case, [ToolCall("stock", {"product": "Alpine"})]).passed
    assert evaluate(case, own).score == 1
    assert evaluate(case, "groundedness[yes_no]").label in ("yes", "no")
    with pytest.raises(CheckFailed, match="latency_seconds 2.5 is above 2"):
        assert_latency(case, at_most=2)
    assert len(reads) == 1
    news = session.news("t", "call")
    assert news is not None
    assert len(news["cases"]) == 1
    assert (news["cases"][0]["query"], news["cases"][0]["documents"]) == (
        agent.QUERY,
        ["alpine", "dune"],
    )


def test_a_trace_as_text_in_a_file_is_read(tmp_path: Path) -> None:
    rows = [{"id": "a", "trace": json.dumps(agent.mlflow_2())}, {"id": "b", "trace": {"x": 1}}]
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    good, bad = load_cases(file)
    assert evaluate(good, "total_token_count").score == 300
    error = evaluate(bad, "total_token_count").error
    assert isinstance(error, CaseError)
    assert "trace: expected an MLflow trace, " in str(error)


@pytest.mark.parametrize(
    ("name", "lacking"),
    [
        ("total_token_count", "measured.input_tokens"),
        ("total_output_token_count", "measured.output_tokens"),
        ("latency_seconds", "measured.seconds"),
        ("groundedness", "context"),
    ],
)
def test_what_neither_the_case_nor_its_trace_tells_is_missing(name: str, lacking: str) -> None:
    trace = {"run_type": "llm", "outputs": {"output": "Hi."}}
    error = evaluate(Case(id="q1", trace=trace), name).error
    told = f"{name} needs {lacking}, which is missing in case 'q1': its trace does not tell it"
    assert str(error) == told


def test_a_trace_that_cannot_be_read_is_an_error_of_the_check(session: Session) -> None:
    with pytest.raises(CaseError, match="trace: this is no JSON"):
        assert_grounded(Case(response="a", context=["a"], trace="<xml>"))


TESTS = """
    import pytest

    @pytest.mark.llm_eval
    @pytest.mark.llm_cases(
        "traced.jsonl",
        metrics={
            "tool_calls": {"order": "same"},
            "latency_seconds": {"at_most": 3},
            "document_recall": {"at_least": 1},
        },
    )
    def test_shop(llm_case):
        from pytest_llmeval import assert_metrics
        assert_metrics(llm_case)
"""


def test_a_file_of_traces_is_a_suite_of_its_own(pytester: pytest.Pytester) -> None:
    rows = [
        {"id": name, "trace": trace, "expected_tools": tools, "expected_context": ["alpine"]}
        for name, trace, tools in (
            ("mlflow", agent.mlflow_3(), ["stock"]),
            ("otlp", agent.otlp(agent.genai), [{"name": "stock", "arguments": {"product": "x"}}]),
            ("langsmith", json.dumps(agent.langsmith()), []),
        )
    ]
    file = pytester.path / "traced.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    pytester.makepyfile(TESTS)
    ran = pytester.runpytest_inprocess("--llm-eval", "--llm-eval-report=run.json")
    ran.assert_outcomes(passed=1, failed=2)
    ran.stdout.fnmatch_lines(
        [
            "*0 of 1 call was made as expected: 1 with other arguments",
            '*altered * "stock(product="x")" (called stock(product="Alpine"))*',
            "*no call was expected, 1 call was made*",
        ]
    )
    run = load_run(pytester.path / "run.json")
    rows_of = {row.metric: (row.passed, row.judged) for row in run.metrics}
    assert rows_of["tool_calls"] == (1, 3)
    assert rows_of["latency_seconds"] == rows_of["document_recall"] == (3, 3)
    assert {case.response for case in run.cases} == {agent.ANSWER}
