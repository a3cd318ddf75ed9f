"""The judged yes/no metrics: what they decide, what they rest on, and what is no verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import loopback
import pytest
from loopback import LoopbackJudge
from yes_no_metrics import CASE, IDS, ROWS, Row

from pytest_llmeval.data.cases import Case
from pytest_llmeval.errors import CaseError, PartlyJudged, UnreadableReply, UsageError
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.testing import ScriptedJudge

EACH_ROW = pytest.mark.parametrize("row", ROWS, ids=IDS)
DISAGREEING = [row for row in ROWS if row.contradicts]
SHOWING_A_RESPONSE = [row for row in ROWS if "response" in row.shows]


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as running:
        yield running


@pytest.fixture(scope="module")
def http(server: LoopbackJudge) -> Iterator[Session]:
    session = Session(Settings(model="openai/judge", base_url=server.url, mode="off"))
    yield session
    session.close()


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(Settings(mode="off"))
    yield session
    session.close()


def evidence_of(result: Result) -> list[tuple[str, str, str]]:
    return [(each.kind, each.text, each.why) for each in result.evidence]


@EACH_ROW
def test_over_http_a_metric_passes_fails_and_is_an_error_as_the_judge_says(
    http: Session, server: LoopbackJudge, row: Row
) -> None:
    server.values, sent = dict(row.good), len(server.bodies)
    passed = http.evaluate(CASE, row.metric, options=row.options)
    assert (passed.outcome, passed.score, passed.error) == (Outcome.PASSED, 1, None)
    assert len(server.bodies) - sent == passed.usage.asked == row.asked
    server.values = dict(row.bad)
    failed = http.evaluate(CASE, row.metric, options=row.options)
    assert (failed.outcome, failed.score) == (Outcome.FAILED, 0)
    assert evidence_of(failed) == list(row.evidence)
    assert failed.reason
    server.script(*[loopback.declines()] * row.asked)
    refused = http.evaluate(CASE, row.metric, options=row.options)
    assert (refused.outcome, refused.graded) == (Outcome.ERROR, None)
    assert "declined to answer" in str(refused.error)


@pytest.mark.parametrize("row", DISAGREEING, ids=lambda row: row.metric)
def test_over_http_a_verdict_that_its_own_faults_contradict_is_asked_for_once_more(
    http: Session, server: LoopbackJudge, row: Row
) -> None:
    server.values = dict(row.bad)
    server.script(loopback.says(json.dumps(row.contradicts)))
    result = http.evaluate(CASE, row.metric)
    assert (result.outcome, result.usage.input_tokens) == (Outcome.FAILED, 240)
    assert row.told in server.requests[-1].prompt


@pytest.mark.parametrize("row", DISAGREEING, ids=lambda row: row.metric)
def test_a_judge_that_contradicts_itself_twice_gives_no_verdict(session: Session, row: Row) -> None:
    result = session.evaluate(CASE, row.metric, judge=ScriptedJudge(row.contradicts or {}))
    assert result.outcome is Outcome.ERROR
    assert row.told in str(result.error)
    assert isinstance(result.error, UnreadableReply | PartlyJudged)


@EACH_ROW
@pytest.mark.parametrize("lack", ["verdict", "null", "score", "both"])
def test_a_reply_without_an_explicit_yes_or_no_is_an_error(
    session: Session, row: Row, lack: str
) -> None:
    changes: dict[str, Any] = {
        "verdict": {},
        "null": {"verdict": None},
        "score": {"verdict": 1},
        "both": {"verdict": "yes and no"},
    }
    bare = {name: value for name, value in row.good.items() if name != "verdict"}
    judge = ScriptedJudge(json.dumps({**bare, **changes[lack]}))
    result = session.evaluate(CASE, row.metric, judge=judge, options=row.options)
    assert (result.outcome, result.graded) == (Outcome.ERROR, None)
    assert len(judge.questions) == 2 * row.asked


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_a_field_that_is_needed_and_missing_is_named_and_nothing_is_asked(
    session: Session, row: Row
) -> None:
    judge = ScriptedJudge(row.good)
    metric = session.names.metrics[row.metric]
    for need in metric.needs:
        names = (need,) if isinstance(need, str) else need
        lacking = CASE.model_copy(update=dict.fromkeys(names))
        result = session.evaluate(lacking, metric, judge=judge, options=row.options)
        assert isinstance(result.error, CaseError)
        expected = f"{row.metric} needs {' or '.join(names)}, which "
        assert str(result.error).startswith(expected), result.error
        assert "case 'c7'" in str(result.error)
    assert judge.questions == []


@pytest.mark.parametrize("row", SHOWING_A_RESPONSE, ids=lambda row: row.metric)
def test_a_blank_response_fails_unless_something_else_is_there_to_judge(
    session: Session, row: Row
) -> None:
    judge = ScriptedJudge(row.good)
    blank = CASE.model_copy(update={"response": " \u200b"})
    result = session.evaluate(blank, row.metric, judge=judge, options=row.options)
    # Without a response at all guidelines may be held against other texts; a blank one fails.
    needed = (
        "response" in session.names.metrics[row.metric].needs or row.metric == "guideline_adherence"
    )
    assert result.outcome is (Outcome.FAILED if needed else Outcome.PASSED)
    assert (result.score is None) is needed
    assert len(judge.questions) == (0 if needed else row.asked)


def test_what_guidelines_speak_of_is_judged_where_no_response_was_given_and_a_blank_one_fails(
    session: Session,
) -> None:
    judge = ScriptedJudge({"broken": [], "reason": "r", "verdict": "yes"})
    given = {"query": "q", "guidelines": ["Be polite."]}
    texts = {"guidelines_context": {"letter": "Dear Sir"}}
    case = Case.model_validate({**given, **texts})
    assert session.evaluate(case, "guideline_adherence", judge=judge).score == 1
    for response in ("", " \u200b"):
        for more in (texts, {"guidelines_context": {"letter": " "}}, {}):
            blank = Case.model_validate({**given, **more, "response": response})
            result = session.evaluate(blank, "guideline_adherence", judge=judge)
            assert (result.outcome, result.reason) == (Outcome.FAILED, "the response is empty")
            assert result.score is None
    missing = session.evaluate(Case.model_validate(given), "guideline_adherence", judge=judge)
    assert "needs response or guidelines_context, which are missing" in str(missing.error)
    assert len(judge.questions) == 1


@pytest.mark.parametrize("facts", [True, False])
@pytest.mark.parametrize("metric", ["correctness", "context_sufficiency"])
def test_the_expected_answer_may_be_a_text_or_facts(
    session: Session, metric: str, facts: bool
) -> None:
    row = next(each for each in ROWS if each.metric == metric)
    judge = ScriptedJudge(row.good)
    left_out = "ground_truth" if facts else "expected_facts"
    given = {"expected_facts": ("Two years.", *CASE.expected_facts), left_out: None}
    case = CASE.model_copy(update=given)
    assert session.evaluate(case, metric, judge=judge).passed
    assert f"(no {left_out.replace('_', ' ').rstrip('s')}" in judge.messages[0][1][1]


@pytest.mark.parametrize("metric", ["correctness", "context_sufficiency"])
def test_blank_expected_facts_are_not_shown_and_where_all_are_blank_they_are_missing(
    session: Session, metric: str
) -> None:
    row = next(each for each in ROWS if each.metric == metric)
    judge = ScriptedJudge(row.good)
    case = CASE.model_copy(update={"expected_facts": (" ", "Two years.", "\u200b")})
    assert session.evaluate(case, metric, judge=judge).passed
    assert judge.questions[0].inputs["expected_facts"] == ["Two years."]
    assert judge.messages[0][1][1].count("<expected_fact-") == 1
    blank = CASE.model_copy(update={"expected_facts": (" ", ""), "ground_truth": None})
    error = session.evaluate(blank, metric, judge=judge).error
    assert isinstance(error, CaseError)
    assert "needs ground_truth or expected_facts, which are blank" in str(error)


TEMPLATE = "{{ query }} {{ response }} {{ context }}"


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{{ query }} {{ response }}", r"does not hold {{ context }}"),
        ("{query} {response} {context}", r"{{ query }}, {{ response }}, {{ context }}"),
        ("", "does not hold"),
        (TEMPLATE + " {{ mood }}", "no value for mood"),
        (TEMPLATE + " {% if %}", "template, line 1"),
    ],
)
def test_a_template_that_cannot_be_is_refused_before_anything_is_asked(
    session: Session, template: str, told: str
) -> None:
    judge = ScriptedJudge({"reason": "r", "verdict": "yes"})
    result = session.evaluate(
        CASE, "context_relevancy", judge=judge, options={"template": template}
    )
    assert isinstance(result.error, UsageError)
    assert told in str(result.error)
    assert judge.questions == []


def test_a_template_takes_the_prompts_place_and_the_form_of_the_reply_is_added(
    session: Session,
) -> None:
    judge = ScriptedJudge({"reason": "r", "verdict": "yes"})
    options = {"template": f"Passt das?\n{TEMPLATE}"}
    assert session.evaluate(CASE, "context_relevancy", judge=judge, options=options).passed
    prompt = judge.messages[0][1][1]
    assert prompt.startswith("Passt das?\n<query-")
    assert '"verdict": "yes" or "no"' in prompt
    assert "In line" not in prompt


def test_a_judge_of_words_does_not_answer_what_a_template_asks(session: Session) -> None:
    options = {"template": TEMPLATE}
    result = session.evaluate(CASE, "context_relevancy", judge="lexical", options=options)
    assert type(result.error).__name__ == "MetricRefused"
