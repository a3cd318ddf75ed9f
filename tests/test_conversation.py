"""Conversations: judged on their last turn, by one rule for every metric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from active_session import active_session
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import Case, Document, Message, Outcome, evaluate
from pytest_llmeval.data.conversation import as_judged, has_earlier_turns
from pytest_llmeval.errors import CaseError
from pytest_llmeval.metrics.base import Metric
from pytest_llmeval.metrics.built_in import built_in
from pytest_llmeval.results import Verdict
from pytest_llmeval.scales import YES_NO
from pytest_llmeval.session import Session
from pytest_llmeval.testing import ScriptedJudge

WORDS = {"u": "user", "a": "assistant", "s": "system", "t": "tool"}


@pytest.fixture
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


def turns(said: str, **context: Any) -> list[dict[str, Any]]:
    """``u1 a1`` as messages; ``context`` is that of a message by its content."""
    return [
        {"role": WORDS[each[0]], "content": each, "context": context.get(each)}
        for each in said.split()
    ]


def case(said: str, **fields: Any) -> Case:
    return Case.model_validate({"messages": turns(said), **fields})


def judged(said: str, **fields: Any) -> tuple[str, str | None, str | None]:
    """The earlier turns, the query and the response that are judged."""
    made = as_judged(case(said, **fields))
    return " ".join(each.content for each in made.messages), made.query, made.response


@pytest.mark.parametrize(
    ("said", "fields", "expected"),
    [
        ("u1 a1", {}, ("", "u1", "a1")),
        ("s1 u1 a1 u2 a2", {}, ("s1 u1 a1", "u2", "a2")),
        ("u1 a1 u2", {}, ("u1 a1", "u2", None)),
        ("u1 a1 u2", {"response": "own"}, ("u1 a1", "u2", "own")),
        ("u1 a1 u2 a2", {"response": "own"}, ("u1 a1", "u2", "own")),
        ("u1 a1 u2 a2", {"response": ""}, ("u1 a1", "u2", "")),
        ("u1 a1 u2 a2", {"query": " u2"}, ("u1 a1", "u2", "a2")),
        ("u1 a1 u2 a2", {"query": " "}, ("u1 a1", "u2", "a2")),
        ("u1 a1", {"query": "own", "response": "r"}, ("u1 a1", "own", "r")),
        ("u1 a1", {"query": "own"}, ("u1 a1", "own", None)),
        ("u1 a1 t1 a2", {}, ("a1 t1", "u1", "a2")),
        ("u1 u2 a1 s1", {}, ("u1", "u2", "a1")),
        ("a1", {}, ("a1", None, None)),
        ("s1", {"query": "q", "response": "r"}, ("s1", "q", "r")),
    ],
)
def test_the_last_turn_is_judged_and_the_ones_before_are_in_view(
    said: str, fields: dict[str, Any], expected: tuple[str, str | None, str | None]
) -> None:
    assert judged(said, **fields) == expected


def test_documents_of_the_last_turn_join_those_of_the_case_once() -> None:
    messages = turns("u1 a1 u2 a2", a1=["old"], u2=["new"], a2={"citations": ["new", "own", "b"]})
    made = as_judged(Case.model_validate({"messages": messages, "context": ["own"]}))
    assert [each.content for each in made.context] == ["own", "new", "b"]


def test_a_single_turn_is_no_conversation_however_it_is_given() -> None:
    assert not has_earlier_turns(as_judged(case("s1 a0 u1 a1")))
    assert not has_earlier_turns(as_judged(Case(query="u1", response="a1")))
    assert has_earlier_turns(as_judged(case("u1 u2 a2")))


MESSAGES = st.lists(st.builds(Message, role=st.sampled_from([*WORDS.values()]), content=st.text()))
PLAIN = st.builds(
    Case,
    id=st.none() | st.just("c"),
    query=st.none() | st.text(),
    response=st.none() | st.text(),
    context=st.lists(st.builds(Document, content=st.text()), max_size=2).map(tuple),
)


@given(PLAIN, MESSAGES)
def test_nothing_that_a_case_gives_is_lost_but_what_the_response_replaces(
    plain: Case, messages: list[Message]
) -> None:
    given_case = plain.model_copy(update={"messages": messages})
    made = as_judged(given_case)
    seen = [*(each.content for each in made.messages), made.query, made.response]
    asked = max((at for at, each in enumerate(messages) if each.role == "user"), default=-1)
    assert all(each.content in seen for each in messages[: asked + 1])
    assert made.context == plain.context
    assert plain.response in (None, made.response)
    assert made.id == plain.id
    assert as_judged(plain) is plain


FAULTS = [
    ({"messages": []}, "its conversation is empty"),
    ({"messages": [{"role": "user", "content": " "}]}, "conversation is empty"),
    ({"messages": turns("s1 a1")}, "its conversation has no user turn"),
    ({"messages": turns("u1 a1 u2")}, "its conversation ends on a user turn"),
    ({"messages": turns("u1 t1")}, "its conversation ends on a tool turn"),
    (
        {"messages": turns("u1 a1"), "query": "own"},
        "its query is not the last user turn of its conversation",
    ),
]


@pytest.mark.parametrize(("fields", "fault"), FAULTS)
@pytest.mark.parametrize("name", ["fluency", "coherence", "groundedness"])
def test_a_conversation_without_an_answered_last_turn_is_an_error_that_says_why(
    session: Session, fields: dict[str, Any], fault: str, name: str
) -> None:
    judge = ScriptedJudge({})
    made = Case.model_validate({"id": "c7", "context": ["d"], **fields})
    result = evaluate(made, name, judge=judge)
    assert type(result.error) is CaseError
    assert name in str(result.error)
    assert "case 'c7'" in str(result.error)
    assert fault in str(result.error)
    assert judge.questions == []


def test_what_the_conversation_has_no_part_in_is_not_put_down_to_it(session: Session) -> None:
    result = evaluate(case("u1 a1 u2", response="r"), "similarity", judge=ScriptedJudge({}))
    assert str(result.error) == "similarity needs ground_truth, which is missing in the case"


def test_a_blank_last_answer_fails_without_a_question(session: Session) -> None:
    messages = [*turns("u1 a1 u2"), {"role": "assistant", "content": "\u200b"}]
    result = evaluate(Case.model_validate({"messages": messages}), "fluency", judge="lexical")
    assert (result.outcome, result.reason) == (Outcome.FAILED, "the response is empty")


def test_the_turn_that_was_judged_is_shown(session: Session) -> None:
    result = evaluate(case("u1 a1 u2 a2"), "relevance", form="a", judge=ScriptedJudge({}))
    assert result.shown == (("query", "u2"), ("response", "a2"))


def seeing(*needs: str) -> tuple[Metric, list[Case]]:
    seen: list[Case] = []

    async def look(case: Case, ask: Any) -> Verdict:
        seen.append(case)
        return Verdict(1, "seen")

    return built_in(needs=needs, scale=YES_NO)(look), seen


def test_a_metric_that_needs_the_messages_judges_the_whole_conversation(session: Session) -> None:
    given_case = case("u1 a1 u2 a2")
    whole, seen = seeing("messages")
    last, seen_last = seeing("query", "response")
    assert evaluate(given_case, whole).score == evaluate(given_case, last).score == 1
    assert seen == [given_case]
    assert [each.content for each in seen_last[0].messages] == ["u1", "a1"]


def test_the_identity_of_a_conversation_does_not_change_with_the_answers_documents() -> None:
    first = case("u1 a1 u2", response="a", context=["x"])
    assert first.identity == case("u1 a1 u2", response="b").identity
    assert first.identity != case("u1 a1 u3", response="a").identity


AZURE: list[dict[str, Any]] = [
    {"role": "user", "content": "Which tent is the most waterproof?", "context": None},
    {
        "role": "assistant",
        "content": "The Alpine Explorer.",
        "context": {"citations": [{"id": "tents.md", "content": "Alpine Explorer: 3000 mm."}]},
    },
    {"role": "user", "content": "How much is it?"},
    {
        "role": "assistant",
        "content": "$120.",
        "context": {"citations": [{"id": "prices.md", "content": "Alpine Explorer: $120."}]},
    },
]
FOUND = [{"doc_uri": "d", "content": "Alpine Explorer: $120."}]
"""As the rows of an evaluation set have it, beside ``request.messages`` and a response."""


@pytest.mark.parametrize(
    ("fields", "response", "documents"),
    [
        ({"messages": AZURE}, "$120.", ["prices.md"]),
        ({"messages": AZURE[:3], "response": "Own.", "context": FOUND}, "Own.", ["d"]),
    ],
)
def test_what_reference_systems_call_a_conversation_is_judged_on_its_last_turn(
    fields: dict[str, Any], response: str, documents: list[str]
) -> None:
    made = as_judged(Case.model_validate(fields))
    assert (made.query, made.response) == ("How much is it?", response)
    assert [each.id for each in made.context] == documents
    assert [each.content for each in made.messages] == [AZURE[0]["content"], AZURE[1]["content"]]
