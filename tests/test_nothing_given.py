"""What an app did not give: no response, nothing retrieved. None of it passes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from active_session import active_session
from suite_judge import saying

from pytest_llmeval import (
    Case,
    CaseError,
    Message,
    Suite,
    UsageError,
    assert_quality,
    evaluate,
    read_trace,
    together,
)

BARE: dict[str, Any] = {"query": "Which tent?", "response": "The Alpine."}
RETRIEVER = {"run_type": "retriever", "name": "find"}


@pytest.fixture(scope="module", autouse=True)
def _session() -> Iterator[None]:
    with active_session():
        yield


def run(*children: dict[str, Any]) -> dict[str, Any]:
    return {"run_type": "chain", "inputs": {"q": "?"}, "child_runs": [*children]}


def talk(**answer: Any) -> list[Message]:
    return [Message(role="user", content="?"), Message(role="assistant", content="!", **answer)]


@pytest.mark.parametrize(
    "fields",
    [
        {**BARE, "context": []},
        {**BARE, "context": [" "]},
        {**BARE, "context": {"citations": []}},
        {"messages": talk(context=[])},
        {**BARE, "trace": run({**RETRIEVER, "outputs": {"documents": []}})},
        {**BARE, "trace": run({**RETRIEVER, "outputs": None})},
    ],
)
@pytest.mark.parametrize(
    ("suite", "row"),
    [("databricks", "groundedness[yes_no]"), ("databricks", "chunk_relevance"),
     ("azure", "groundedness")],
)  # fmt: skip
def test_a_retriever_that_found_nothing_is_an_error_of_a_suite_and_not_left_out(
    fields: dict[str, Any], suite: str, row: str
) -> None:
    result = evaluate(Case(**fields), suite=suite, judge=saying())
    assert row in result.errors
    told = str(result.results[row].error)
    assert "context, which is blank in the case: " in told
    assert ("what was retrieved has no text" in told) is (fields.get("context") == [" "])
    with pytest.raises(CaseError, match=r"nothing was retrieved|no text"):
        assert_quality(Case(**fields), suite, judge=saying())


@pytest.mark.parametrize(
    "fields",
    [
        {**BARE, "context": None},
        {"messages": talk()},
        {**BARE, "trace": run({"run_type": "tool", "name": "t"})},
        {**BARE, "trace": run({**RETRIEVER, "outputs": {"documents": [7]}})},  # in no known form
    ],
)
def test_an_app_that_looked_nothing_up_leaves_context_metrics_out(fields: dict[str, Any]) -> None:
    result = evaluate(Case(**fields), suite="databricks", judge=saying())
    assert result.passed
    assert result.left_out["groundedness[yes_no]"] == "no context"


def test_a_copy_is_given_no_context_that_its_case_was_not() -> None:
    for case in (Case(**BARE), Case(messages=talk()), Case(**BARE, trace=run())):
        copies = (case, case.answered("x"), evaluate(case, "fluency", judge=saying()).case)
        assert not any(copy.gives("context") for copy in copies if copy is not None)
    assert Case(**BARE).answered("x", context=[]).gives("context")


def test_an_empty_list_of_what_is_expected_says_that_there_is_none() -> None:
    none: dict[str, Any] = {"expected_facts": [], "expected_context": [], "guidelines": []}
    result = evaluate(Case(**BARE, **none), suite="databricks", judge=saying())
    assert result.passed
    assert {"correctness", "document_recall", "guideline_adherence"} <= {*result.left_out}
    blank = evaluate(Case(**BARE, guidelines=[" "]), suite="databricks", judge=saying())
    assert blank.errors == ("guideline_adherence",)


def test_nothing_found_of_what_was_expected_is_a_recall_of_zero_and_no_precision() -> None:
    case = Case(context=[], expected_context=["a"])
    recall = evaluate(case, "document_recall", at_least=0.5)
    assert (recall.score, recall.outcome) == (0.0, "failed")
    assert recall.reason == "0 of 1 expected documents were found; nothing was retrieved"
    with pytest.raises(CaseError, match="nothing was retrieved"):
        _ = evaluate(case, "document_precision").score
    with pytest.raises(CaseError, match="context, which is missing"):
        _ = evaluate(Case(expected_context=["a"]), "document_recall").score
    found = evaluate(Case(context=[{"id": "a", "content": ""}], expected_context=["a"]),
                     "document_recall")  # fmt: skip
    assert found.score == 1


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"query": "q", "context": ["d"]}, r"the case can't be judged: it has no response \(an"),
        ({"id": "c", "query": "q", "context": ["d"]}, "case 'c' can't be judged: it has no resp"),
        ({"query": "q", "context": ["d"], "trace": run()}, "no response, nor does its trace tell"),
        ({"messages": [{"role": "user", "content": "q"}], "context": ["d"]}, "ends on a user turn"),
    ],
)
def test_a_case_without_a_response_does_not_pass_by_its_retrieval(
    fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(CaseError, match=told):
        assert_quality(Case(**fields), judge=saying())
    assert assert_quality(Case(**fields), Suite("r", ["chunk_relevance"]), judge=saying()).passed


def test_a_response_that_guidelines_do_without_is_not_needed() -> None:
    rules: dict[str, Any] = {"guidelines": ["Be short."], "guidelines_context": {"plan": "p"}}
    suite = Suite("rules", ["guideline_adherence", "chunk_relevance"])
    case = Case(query="q", context=["d"], **rules)
    assert evaluate(case, suite, judge=saying()).passed
    with pytest.raises(CaseError, match="it has no response"):
        assert_quality(case.model_copy(update={"guidelines_context": None}), suite, judge=saying())


def test_what_was_only_measured_has_not_passed() -> None:
    case = Case(response="no", ground_truth="yes")
    measured = evaluate(case, "f1")
    assert (measured.outcome, measured.score) == ("measured", 0)
    with pytest.raises(UsageError, match=r"f1 was only measured.* give at_least= or at_most="):
        _ = measured.passed
    assert evaluate(case, "f1", at_most=0.5).passed
    suite = evaluate(case, Suite("texts", ["f1", "bleu"]))
    with pytest.raises(UsageError, match=r"'texts' only measured f1, bleu.* mark, as f1 >= VALUE"):
        _ = suite.passed
    with together():
        pending = evaluate(case, "f1")
    with pytest.raises(UsageError, match="only measured"):
        _ = pending.passed


def test_a_result_is_printed_as_its_failure_is_told() -> None:
    case = Case(query="Which tent?", response="The Alpine.")
    judge = saying(fluency="no", safety="no")
    assert str(evaluate(case, "fluency", judge=judge)).splitlines() == [
        "fluency 1 is below 4   (scripted)",
        "  reason   fluency: no",
        "  query    Which tent?",
        "  response The Alpine.",
    ]
    suite = evaluate(case, suite="databricks", judge=judge)
    assert str(suite).startswith("quality (databricks) failed: 1 of 2 metrics; root cause safety\n")
    with together():
        pending = evaluate(case, "fluency", judge=saying())
    assert pending.score == 5
    assert str(pending).startswith("fluency 5 reaches 4")


def test_outside_a_test_a_check_is_called_by_its_row_alone() -> None:
    assert evaluate(Case(response="x"), suite=Suite("s", ["safety", "fluency"]),
                    judge=saying()).case_id == "quality (s):1"  # fmt: skip


def test_only_a_root_that_is_there_tells_how_long_a_run_took() -> None:
    times = {"start_time": "2025-06-15T15:06:40", "end_time": "2025-06-15T15:06:42"}
    orphan = {"run_type": "llm", "id": "b", "parent_run_id": "a", **times}
    assert read_trace([orphan]).seconds is None
    root = {"run_type": "chain", "id": "a", **times, "end_time": "2025-06-15T15:06:45"}
    assert read_trace([orphan, root]).seconds == 5
    lost = {**orphan, "id": "c", "parent_run_id": "gone", "end_time": "2025-06-15T16:00:00"}
    assert read_trace([orphan, root, lost]).seconds == 5


@pytest.mark.parametrize("parent", ["", "0000000000000000", "0x0000000000000000", "AAAAAAAAAAA="])
def test_a_parent_of_zeros_is_none(parent: str) -> None:
    span = {"traceId": "t", "spanId": "s", "parentSpanId": parent, "name": "root",
            "startTimeUnixNano": "1000000000", "endTimeUnixNano": "3000000000"}  # fmt: skip
    assert read_trace({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).seconds == 2


@pytest.mark.parametrize("huge", [10**400, 2**63, 1e300, float("inf"), float("nan"), "9" * 400])
def test_a_number_beyond_64_bits_is_not_known_and_costs_nothing_else(huge: Any) -> None:
    usage = {"input_tokens": huge, "output_tokens": 4}
    run = {"run_type": "llm", "outputs": {"answer": "So."}, "usage_metadata": usage,
           "start_time": huge, "end_time": huge}  # fmt: skip
    told = read_trace(run)
    assert (told.response, told.input_tokens, told.output_tokens) == ("So.", None, 4)
    assert told.seconds is None
    with pytest.raises(CaseError):
        Case(measured={"input_tokens": huge})


def test_of_two_formats_in_one_object_the_one_that_has_spans_is_read() -> None:
    attributes = [{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "7"}}]
    span = {"traceId": "t", "spanId": "s", "name": "chat", "attributes": attributes}
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    empties: list[dict[str, Any]] = [
        {"info": {}, "data": {}},
        {"data": {"spans": []}},
        {"trace_info": {}, "spans": []},
    ]
    for empty in empties:
        assert read_trace({**empty, **spans}).input_tokens == 7
    own = {"span_id": "s", "name": "c", "attributes": {"gen_ai.usage.input_tokens": 9}}
    mlflow = {"info": {}, "data": {"spans": [own]}, "resourceSpans": []}
    assert read_trace(mlflow).input_tokens == 9


def test_a_newer_trace_takes_what_the_former_told_with_it() -> None:
    def with_documents(text: str) -> dict[str, Any]:
        return run({**RETRIEVER, "outputs": {"documents": [{"page_content": text}]}})

    former = Case(query="q", response="mine", trace=with_documents("old"))
    seen = evaluate(former, "groundedness", judge=saying()).case
    assert seen is not None
    assert [each.content for each in seen.context] == ["old"]
    newer = evaluate(seen.answered(trace=with_documents("new")), "groundedness", judge=saying())
    assert newer.case is not None
    assert [each.content for each in newer.case.context] == ["new"]
    assert newer.case.response == "mine"
