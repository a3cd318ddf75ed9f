"""The judged quality metrics: through LiteLLM and over HTTP, each passing, failing and in error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from active_session import active_session
from loopback import LoopbackJudge, Request, object_for, says

from pytest_llmeval import (
    Case,
    CheckFailed,
    Result,
    assert_coherent,
    assert_fluent,
    assert_grounded,
    assert_relevant,
    assert_retrieved,
    assert_similar,
)
from pytest_llmeval.errors import CaseError, UnreadableReply

DOCS = [{"id": "tents.md", "content": "The Alpine sleeps two."}, "Its outer is nylon."]
QUERY, ANSWER, TRUTH = "How many sleep in it?", "It sleeps two.", "Two people."
BEFORE = [
    {"role": "user", "content": "Which tent is light?"},
    {"role": "assistant", "content": "The Alpine."},
]
TALK = [*BEFORE, {"role": "user", "content": QUERY}, {"role": "assistant", "content": ANSWER}]
REFERENCE = {"bearing": "yes", "answer": "The Alpine sleeps two."}


def case(**fields: Any) -> Case:
    return Case.model_validate(fields)


def intents(*answered: str) -> dict[str, Any]:
    """One intent for each answer; of those with yes, the first document is named."""
    return {
        "intents": [
            {
                "intent": f"intent {number}",
                "reason": "as the documents say",
                "answered": each,
                "documents": ["tents.md"] if each == "yes" else [],
            }
            for number, each in enumerate(answered, 1)
        ]
    }


@dataclass(frozen=True)
class Check:
    """How a metric is asserted, and the replies by which it passes and fails."""

    row: str
    make: Callable[[], Result]
    passing: Mapping[str, Any]
    failing: Mapping[str, Any]
    told: str
    needs: tuple[Callable[[], Result], str]
    asks: int = 1


CHECKS = [
    Check(
        "coherence",
        lambda: assert_coherent(ANSWER, query=QUERY),
        {"score": 4},
        {"score": 3},
        "coherence 3 is below 4",
        (lambda: assert_coherent(ANSWER), "coherence needs query, which is missing in the case"),
    ),
    Check(
        "fluency",
        lambda: assert_fluent(ANSWER),
        {"score": 4},
        {"score": 1},
        "fluency 1 is below 4",
        (lambda: assert_fluent(case(query="q")), "fluency needs response, which is missing"),
    ),
    Check(
        "similarity",
        lambda: assert_similar(ANSWER, query=QUERY, ground_truth=TRUTH),
        {"score": 5},
        {"score": 2},
        "similarity 2 is below 4",
        (lambda: assert_similar(ANSWER, query=QUERY), "similarity needs ground_truth"),
    ),
    Check(
        "retrieval",
        lambda: assert_retrieved(QUERY, context=DOCS),
        intents("yes", "yes", "yes", "no"),
        intents("yes", "no"),
        "retrieval 3 is below 4",
        (lambda: assert_retrieved(QUERY, context=[" "]), "retrieval needs context, which is blank"),
    ),
    Check(
        "groundedness",
        lambda: assert_grounded(ANSWER, context=DOCS),
        {"score": 4},
        {"score": 3, "ungrounded": [{"quote": "It sleeps two", "why": "no"}]},
        'ungrounded "It sleeps two" (no)',
        (lambda: assert_grounded(ANSWER), "groundedness needs context"),
    ),
    Check(
        "groundedness[yes_no]",
        lambda: assert_grounded(ANSWER, query=QUERY, context=DOCS, scale="yes_no"),
        {"verdict": "yes"},
        {"verdict": "no", "ungrounded": [{"quote": "It sleeps six", "why": "no"}]},
        'unquoted "It sleeps six" (no)',
        (lambda: assert_grounded(ANSWER, context=DOCS, scale="yes_no"), "needs query"),
    ),
    Check(
        "relevance",
        lambda: assert_relevant(ANSWER, query=QUERY, context=DOCS, ground_truth=TRUTH),
        {"score": 4},
        {"score": 3},
        "relevance 3 is below 4",
        (lambda: assert_relevant(ANSWER), "relevance needs query"),
    ),
    Check(
        "relevance",
        lambda: assert_relevant(case(messages=TALK, context=DOCS)),
        {"score": 4, **REFERENCE},
        {"score": 3, **REFERENCE},
        'reference "The Alpine sleeps two."',
        (lambda: assert_relevant(ANSWER, query=QUERY, form="b"), "form 'b' needs context"),
        asks=2,
    ),
    Check(
        "relevance",
        lambda: assert_relevant(ANSWER, query=QUERY, messages=BEFORE, ground_truth=TRUTH),
        {"score": 4, "contradicts": "no", "consistent": "yes"},
        {"score": 5, "contradicts": "yes", "consistent": "yes"},
        "level 5 is capped at 2: it contradicts the ground truth",
        (lambda: assert_relevant(ANSWER, query=QUERY, form="c"), "form 'c' needs ground_truth"),
    ),
]
NAMES = [f"{check.row} {number}" for number, check in enumerate(CHECKS)]


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackJudge]:
    with (
        LoopbackJudge("openai") as running,
        active_session(mode="off", model="openai/judge", base_url=running.url),
    ):
        yield running


@pytest.fixture(autouse=True)
def _fresh(server: LoopbackJudge) -> None:
    server.requests.clear()
    server.answer = answering({})


def answering(values: Mapping[str, Any]) -> Callable[[Request], str]:
    """Answers that hold ``values`` where the question has such fields."""
    return lambda request: json.dumps(object_for(request, {"reason": "It is so.", **values}))


@pytest.mark.parametrize("check", CHECKS, ids=NAMES)
def test_a_good_reply_passes(server: LoopbackJudge, check: Check) -> None:
    server.answer = answering(check.passing)
    result = check.make()
    assert result.passed
    assert (result.metric, result.score) == (check.row, check.passing.get("score", result.score))
    assert result.reason
    assert len(server.bodies) == check.asks


@pytest.mark.parametrize("check", CHECKS, ids=NAMES)
def test_a_poor_reply_fails_and_says_why(server: LoopbackJudge, check: Check) -> None:
    server.answer = answering(check.failing)
    with pytest.raises(CheckFailed) as failed:
        check.make()
    assert check.told in str(failed.value)


@pytest.mark.parametrize("check", CHECKS, ids=NAMES)
def test_a_reply_without_a_verdict_is_asked_for_once_more_and_then_an_error(
    server: LoopbackJudge, check: Check
) -> None:
    server.answer = lambda request: '{"reason": "I like it."}'
    with pytest.raises(UnreadableReply, match="missing '"):
        check.make()
    assert len(server.bodies) == 2
    server.script(says("{}"))
    server.answer = answering(check.passing)
    assert check.make().passed


@pytest.mark.parametrize("check", CHECKS, ids=NAMES)
def test_a_field_that_is_lacking_is_an_error_that_names_it(
    server: LoopbackJudge, check: Check
) -> None:
    make, told = check.needs
    with pytest.raises(CaseError, match=re.escape(told)):
        make()
    assert server.bodies == []


@pytest.mark.parametrize("check", CHECKS, ids=NAMES)
def test_the_reason_is_asked_for_before_the_verdict_and_the_schema_says_so(
    server: LoopbackJudge, check: Check
) -> None:
    server.answer = answering(check.passing)
    check.make()
    for request in server.requests:
        schema = request.schema
        assert schema is not None
        fields = [*schema["properties"]]
        if fields == ["intents"]:
            fields = [*schema["properties"]["intents"]["items"]["properties"]]
        decided = {"score", "verdict", "bearing", "answered", "contradicts", "consistent"}
        assert fields.index("reason") < min(map(fields.index, decided.intersection(fields)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: assert_coherent("\u200b", query=QUERY),
        lambda: assert_fluent(" "),
        lambda: assert_similar("", query=QUERY, ground_truth=TRUTH),
        lambda: assert_grounded("", query=QUERY, context=DOCS, scale="yes_no"),
        lambda: assert_relevant(" ", messages=TALK, form="b"),
    ],
)
def test_a_blank_response_fails_at_once(server: LoopbackJudge, make: Callable[[], Result]) -> None:
    with pytest.raises(CheckFailed, match="the response is empty"):
        make()
    assert server.bodies == []


RUN = """
import pytest

@pytest.mark.llm_cases(
    "talk.jsonl", metrics=["coherence", "fluency", "groundedness", "relevance", "retrieval"]
)
def test_it(llm_case):
    from pytest_llmeval import assert_metrics
    assert_metrics(llm_case)
"""


def test_a_file_of_conversations_is_judged_and_judged_again_from_the_store(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    server.answer = answering({"score": 4, **REFERENCE, **intents("yes", "no")})
    pytester.makepyfile(RUN)
    row = {"id": "t1", "messages": TALK, "context": DOCS}
    pytester.path.joinpath("talk.jsonl").write_text(json.dumps(row) + "\n")
    options = ("--llm-eval", "--llm-eval-model=openai/judge", f"--llm-eval-base-url={server.url}")
    told = []
    for asked in (6, 0):
        server.requests.clear()
        result = pytester.runpytest(*options)
        result.assert_outcomes(failed=1)
        assert len(server.bodies) == asked
        told.append([line for line in result.outlines if re.match(r"E  |\w+ +\d/1 ", line)])
    assert told[0] == told[1]
    shown = "\n".join(told[0])
    assert re.search(r"E .*retrieval 3 is below 4", shown)
    assert re.search(r'unanswered +"intent 2" \(as the documents say\)', shown)
    assert re.search(r"query +How many sleep in it\?", shown)
    assert re.search(r"relevance +1/1 .*4\.00", shown)
