"""What the app answers in a run: how long it took, what its test is given, how its faults read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from pytest_llmeval import Case
from pytest_llmeval.data.completed import completed
from pytest_llmeval.errors import CaseError
from pytest_llmeval.hooks.app_answers import AppAnswers
from pytest_llmeval.hooks.app_given import TAKES, answered_by

TOOK_90 = {
    "run_type": "chain",
    "inputs": {"query": "How long?"},
    "start_time": "2025-06-15T15:06:40",
    "end_time": "2025-06-15T15:08:10",
}


@pytest.mark.parametrize(
    ("recorded", "answer", "is_of_the_trace"),
    [
        (None, {"trace": TOOK_90}, True),
        ({"run_type": "chain"}, {"trace": TOOK_90}, True),
        (None, {"trace": {**TOOK_90, "end_time": None}}, False),
        (None, {"trace": {"no": "trace"}}, False),
        (TOOK_90, {}, False),  # of an earlier answer
        (None, {}, False),
    ],
)
def test_seconds_are_those_of_the_trace_that_comes_with_the_answer(
    recorded: object, answer: dict[str, Any], is_of_the_trace: bool
) -> None:
    answers = AppAnswers(1)
    asked = Case(query="q", trace=recorded)
    given = answers.take("t", asked, lambda case: case.answered("a", **answer)).case
    answers.close()
    measured = (given if answer.get("trace") == {"no": "trace"} else completed(given)).measured
    assert measured is not None
    assert (measured.seconds == 90) is is_of_the_trace
    assert measured.seconds is not None


TESTS = """
import pytest
from pytest_llmeval import Case, evaluate

def echo(case):
    return f"of {case.query}"

@pytest.mark.llm_cases("traced.jsonl")
def test_completed(llm_case):
    assert llm_case.query == "How long?"
    assert llm_case.measured.seconds == 90

@pytest.mark.llm_cases("traced.jsonl", answer=echo)
def test_the_app_is_asked_what_the_trace_tells(llm_case):
    assert llm_case.response == "of How long?"
    assert llm_case.measured.seconds < 90

@pytest.mark.llm_cases("damaged.jsonl")
def test_damaged(llm_case):
    assert "no trace" not in str(evaluate(llm_case, "f1", at_least=0.5).error)
    assert "trace: expected" in str(evaluate(llm_case, "f1", at_least=0.5).error)
"""


def test_the_test_is_given_what_the_trace_of_its_case_tells(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("traced.jsonl").write_text(json.dumps({"trace": TOOK_90}))
    damaged = {"query": "q", "trace": {"no": "trace"}}
    pytester.path.joinpath("damaged.jsonl").write_text(json.dumps(damaged))
    pytester.makepyfile(TESTS)
    pytester.runpytest("--llm-eval").assert_outcomes(passed=3)


ASKED = Case(id="a", query="q", response="old", metadata={"topic": "tents"})


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ("new", {"response": "new"}),
        ({"response": "new", "context": ["d"]}, {"response": "new", "context": ["d"]}),
        ({"answer": "new", "contexts": ["d"]}, {"response": "new", "context": ["d"]}),
        (
            {"input": "q", "context": ["d"], "answer": "new"},
            {"response": "new", "context": ["d"]},
        ),
        ({"context": []}, {"response": "old", "context": []}),
        (
            {"id": "chat-1", "response": "new", "model": "m"},
            {"response": "new", "metadata": {"topic": "tents", "model": "m"}},
        ),
        (
            Case(id="chat-1", response="new", metadata={"k": 1}),
            {"metadata": {"topic": "tents", "k": 1}},
        ),
        ({"response": "", "measured": {"input_tokens": 3}}, {"response": ""}),
    ],
)
def test_an_answer_is_text_a_case_or_fields_by_their_names(
    given: object, fields: dict[str, Any]
) -> None:
    answered = answered_by(ASKED, given, 2.5)
    wanted = Case(**{"id": "a", "query": "q", "metadata": {"topic": "tents"}, **fields})
    for name in fields:
        assert getattr(answered, name) == getattr(wanted, name)
    assert (answered.id, answered.query) == ("a", "q")
    assert answered.measured is not None
    assert answered.measured.seconds == 2.5


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "answer= gave NoneType; expected the response as text, fields of a case by"),
        ({"response": None, "context": ["d"]}, "answer= gave a response that is None; an empty"),
        ({"respnse": "new"}, "answer=: Case has no field 'respnse': did you mean 'response'?"),
        ({"text": "new"}, "answer=: none of its names is one of a case: text; expected the resp"),
        ({"outputs": "new"}, "'outputs' may be the app's answer or the reference; expected the"),
        ({"response": "a", "answer": "b"}, "given twice, with different values: as 'response'"),
        ({"response": ["new"]}, "answer=: Case.response: input should be a valid string, got list"),
        ({}, "answer=: it is empty"),
    ],
)
def test_what_is_no_answer_is_refused_and_no_older_one_judged(given: object, told: str) -> None:
    with pytest.raises(CaseError, match=re.escape(told)) as refused:
        answered_by(ASKED, given, 1)
    assert "fields=" not in str(refused.value)  # of the marker, which is for files


APPS = """
import pytest

@pytest.fixture(scope="module", params=["gpt", "claude"])
def model(request): return request.param

@pytest.fixture(scope="module")
def app(model): return lambda case: model

CASES = [{"query": f"q{number}"} for number in range(3)]

@pytest.mark.llm_cases(CASES, answer="app")
def test_it(llm_case, model):
    assert llm_case.response == model

class TestInherited:
    @pytest.fixture(scope="module")
    def app(self, app): return lambda case: app(case).upper()

    @pytest.mark.llm_cases(CASES, answer="app")
    def test_it(self, llm_case, model):
        assert llm_case.response == model.upper()
"""


@pytest.mark.parametrize("order", [(), ("-p", "reversing")])
def test_each_test_is_answered_by_the_app_that_its_fixture_gives_it(
    pytester: pytest.Pytester, order: tuple[str, ...]
) -> None:
    mixed = "def pytest_collection_modifyitems(items): items[:] = items[::-2] + items[::2]"
    pytester.makepyfile(APPS, reversing=mixed)
    pytester.syspathinsert()
    result = pytester.runpytest("--llm-eval", *order)
    result.assert_outcomes(passed=12)
    result.stdout.fnmatch_lines(["answers of the app: 12, *"])


def test_an_answer_that_another_app_gave_is_not_taken() -> None:
    answers = AppAnswers(1)
    answers.begin("t", ASKED, lambda case: "one")
    assert answers.take("t", ASKED, lambda case: "two").case.response == "two"
    answers.close()


FAULTS = """
import pytest
from pytest_llmeval import evaluate

@pytest.fixture(scope="module")
def three():
    return 3

@pytest.fixture
def checking():
    return evaluate("f1", response="x", odd=1)

def gives_a_list(case):
    return ["x"]

@pytest.mark.llm_cases("qa.jsonl", answer=gives_a_list)
def test_list(llm_case): pass

@pytest.mark.llm_cases("qa.jsonl", answer="three", argname="question")
def test_fixture(question): pass

def test_no_marker(llm_case): pass

def test_own_fixture(checking): pass

def test_question(llm_judge):
    llm_judge("Polite? {{ reply }}", int, reply="x")
"""
TOLD = [
    f"CaseTypeError: answer= gave list; {TAKES}",
    "UsageError: answer: the fixture 'three' gave int, no function",
    "UsageError: llm_case comes from @pytest.mark.llm_cases(file)",
]


@pytest.mark.parametrize("style", ["auto", "short", "line"])
def test_an_error_of_ours_at_setup_is_told_in_one_line(
    pytester: pytest.Pytester, style: str
) -> None:
    pytester.path.joinpath("qa.jsonl").write_text('{"query": "q"}\n')
    pytester.makepyfile(test_faults=FAULTS)
    result = pytester.runpytest("--llm-eval", f"--tb={style}")
    result.assert_outcomes(errors=5)
    lines = result.stdout.lines
    for fault in TOLD:
        (place,) = [number for number, line in enumerate(lines) if line == f"E   {fault}"]
        assert lines[place - 1].strip() == "" or lines[place - 1].startswith("____")
        assert lines[place + 1].startswith(("____", "===="))
    shown = "\n".join(lines)
    assert "pluggy" not in shown.partition("ERRORS")[2]
    assert "prefetch.py" not in shown
    assert "question.py" not in shown  # of our own, where a question's reply is refused
    if style == "auto":
        result.stdout.fnmatch_lines(["*test_faults.py:*: UsageError"])
