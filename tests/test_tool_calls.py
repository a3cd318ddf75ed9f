"""Tool calls: held against those expected, in every shape that they are given in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any, Literal

import pytest
from active_session import active_session
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import (
    Case,
    CaseError,
    CheckFailed,
    EvalError,
    Message,
    ToolCall,
    UsageError,
    assert_tools_called,
    evaluate,
    read_trace,
)
from pytest_llmeval.data.call_match import agrees, match, same
from pytest_llmeval.data.conversation import as_judged
from pytest_llmeval.results import Outcome
from pytest_llmeval.session import Session


@pytest.fixture(autouse=True, scope="module")
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


def calls(text: str) -> list[ToolCall]:
    """``"a b1"``: the tools by their letters, with the number as an argument where there is one."""
    return [ToolCall(each[0], {"n": int(each[1:])} if each[1:] else None) for each in text.split()]


ANY, SAME = {"order": "any"}, {"order": "same"}
OTHERS = {"allow_others": True}


@pytest.mark.parametrize(
    ("expected", "called", "how", "score", "evidence"),
    [
        ("a b", "a b", ANY, 1, ""),
        ("a b", "b a", ANY, 1, ""),
        ("a b", "b a", SAME, 1 / 2, "out of order b"),
        ("a b", "a c b", SAME, 2 / 3, "unexpected c"),
        ("a b", "a c b", {**SAME, **OTHERS}, 1, ""),
        ("a b c", "b c a", SAME, 2 / 3, "out of order a"),
        ("a b", "a", ANY, 1 / 2, "missing b"),
        ("a", "a b", ANY, 1 / 2, "unexpected b"),
        ("a", "a b", OTHERS, 1, ""),
        ("a a", "a", ANY, 1 / 2, "missing a"),
        ("a", "a a", ANY, 1 / 2, "unexpected a"),
        ("a1", "a2", ANY, 0, "altered a(n=1)"),
        ("a1", "a2", {"arguments": "ignore"}, 1, ""),
        ("a", "a2", ANY, 1, ""),
        ("a1", "a", ANY, 0, "altered a(n=1)"),
        ("a a1", "a1 a2", ANY, 1, ""),
        ("a a1", "a1 a2", SAME, 1 / 2, "altered a(n=1)"),
        ("a1 a", "a2 a1", SAME, 1 / 2, "out of order a"),
        ("", "", ANY, 1, ""),
        ("", "a", ANY, 0, "unexpected a"),
        ("a", "", ANY, 0, "missing a"),
    ],
)
def test_each_way_to_be_off_costs_its_share_and_is_named(
    expected: str, called: str, how: dict[str, Any], score: float, evidence: str
) -> None:
    case = Case(tools_called=calls(called), expected_tools=calls(expected))
    result = evaluate(case, "tool_calls", **how)
    assert result.score == pytest.approx(score)
    assert "; ".join(f"{each.kind} {each.text}" for each in result.evidence) == evidence
    assert result.outcome is (Outcome.PASSED if score == 1 else Outcome.FAILED)


BOOKED = ToolCall("book", {"room": 3, "guests": [{"name": "Ann"}], "late": True})


@pytest.mark.parametrize(
    ("arguments", "equal", "subset"),
    [
        ({"room": 3, "guests": [{"name": "Ann"}], "late": True}, True, True),
        ({"late": True, "guests": [{"name": "Ann"}], "room": 3.0}, True, True),
        ({"room": 3}, False, True),
        ({}, False, True),
        (None, True, True),
        ({"room": "3"}, False, False),
        ({"late": 1}, False, False),
        ({"guests": [{"name": "Bob"}]}, False, False),
        ({"guests": [{}]}, False, False),
        ({"guests": []}, False, False),
        ({"floor": None}, False, False),
    ],
)
def test_arguments_are_compared_as_json_has_them(
    arguments: dict[str, Any] | None, equal: bool, subset: bool
) -> None:
    wanted = ToolCall("book", arguments)
    assert agrees(wanted, BOOKED, "equal") is equal
    assert agrees(wanted, BOOKED, "subset") is subset
    assert agrees(wanted, BOOKED, "ignore")
    assert not agrees(wanted, ToolCall("pay", BOOKED.arguments), "ignore")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from([0.0, 1.0, "", "1"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=4,
)


@given(JSON, JSON)
def test_sameness_is_symmetric_and_of_a_value_with_itself(one: Any, other: Any) -> None:
    assert same(one, one)
    assert same(one, other) is same(other, one)


SOME = st.lists(st.sampled_from(calls("a b a1 a2 b1")), max_size=4)


@given(SOME, SOME)
def test_as_many_calls_are_matched_as_any_pairing_could(
    expected: list[ToolCall], called: list[ToolCall]
) -> None:
    """Against every pairing there is, tried one by one."""

    def most(in_order: bool) -> int:
        for size in range(min(len(expected), len(called)), 0, -1):
            for wanted in combinations(expected, size):
                chosen = combinations(called, size) if in_order else permutations(called, size)
                for made in chosen:
                    if all(agrees(w, m, "equal") for w, m in zip(wanted, made, strict=True)):
                        return size
        return 0

    for order in ("any", "same"):
        found = match(expected, called, order, "equal")
        assert len(found.made) == most(order == "same")
        steps = (found.made, found.misplaced, found.altered)
        places = sorted([*found.missing, *(place for step in steps for place in step)])
        assert places == [*range(len(expected))]
        made = sorted([*found.unexpected, *(each for step in steps for each in step.values())])
        assert made == [*range(len(called))]
        if order == "same":
            assert [*found.made.values()] == sorted(found.made.values())
            assert [*found.made] == sorted(found.made)


CALL = ToolCall("book", {"room": 3})


class Dumped:
    """DeepEval's class, as far as it matters here."""

    def model_dump(self) -> dict[str, Any]:
        return {"name": "book", "input_parameters": {"room": 3}, "reasoning": None}


@pytest.mark.parametrize(
    "given",
    [
        CALL,
        {"name": "book", "arguments": {"room": 3}},
        {"name": "book", "arguments": '{"room": 3}'},
        {"name": "book", "input_parameters": {"room": 3}, "description": "Books."},
        {"name": "book", "args": {"room": 3}, "id": "c1", "type": "tool_call"},
        {"type": "tool_use", "id": "c1", "name": "book", "input": {"room": 3}},
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "book", "arguments": '{"room": 3}'},
        },
        Dumped(),
    ],
)
def test_a_call_is_taken_in_the_shapes_of_other_tools(given: Any) -> None:
    case = Case(tools_called=[given], expected_tools=["book"])
    assert case.tools_called == (CALL,)
    assert case.expected_tools == (ToolCall("book"),)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("book", "tool calls: expected a list of them, got str"),
        ({"name": "book"}, "tool calls: expected a list of them, got dict"),
        ([3], "expected a ToolCall, the name of a tool, or a mapping with 'name', got a list with"),
        ([{"arguments": {}}], "a tool call needs 'name'"),
        ([{"nam": "book"}], "a tool call has no 'nam': did you mean 'name'?"),
        ([{"name": "book", "arguments": "[3]"}], "arguments of the tool call 'book' are no JSON"),
        ([{"name": "book", "arguments": "{"}], "arguments of the tool call 'book' are no JSON"),
        ([{"name": 3}], "ToolCall.name: input should be a valid string, got int"),
        ([{"name": "book", "arguments": {"at": object()}}], "ToolCall.arguments"),
    ],
)
def test_what_is_no_call_is_refused(given: Any, fault: str) -> None:
    with pytest.raises(CaseError) as refused:
        Case(tools_called=given)
    assert fault in str(refused.value)
    with pytest.raises(UsageError) as of_option:
        assert_tools_called(Case(tools_called=[]), given)
    assert fault in str(of_option.value)


def test_the_assertion_raises_with_every_fault_named() -> None:
    case = Case(tools_called=["pay", ToolCall("book", {"room": 4}), "search"])
    expected: list[str | ToolCall] = ["search", CALL, "confirm"]
    with pytest.raises(CheckFailed) as failed:
        assert_tools_called(case, expected)
    text = str(failed.value)
    assert text.startswith("tool_calls 0.25 is below 1")
    assert "1 of 3 calls were made as expected: 1 missing, 1 with other" in text
    for line in ('"confirm" (it was not called)', '"book(room=3)" (called book(room=4))', '"pay"'):
        assert line in text
    assert assert_tools_called(case, expected, at_least=0.25).passed
    assert assert_tools_called(case, ["search"], allow_others=True).passed


def test_a_call_that_shows_badly_is_shown_in_one_line() -> None:
    case = Case(tools_called=[ToolCall("run", {"code": "a\n\x1b[31m" + "b" * 500})])
    with pytest.raises(CheckFailed) as failed:
        assert_tools_called(case, [])
    [line] = [
        each for each in str(failed.value).splitlines() if "unexpected" in each and "run" in each
    ]
    assert "\x1b" not in line
    assert len(line) < 200


def test_the_options_are_refused_where_they_can_not_be() -> None:
    case = Case(tools_called=["a"])
    order: Any = "sorted"
    with pytest.raises(UsageError, match="tool_calls: order is one of 'any', 'same'; got 'sorted'"):
        assert_tools_called(case, ["a"], order=order)
    with pytest.raises(EvalError, match="no call is expected and others are allowed"):
        assert_tools_called(case, [], allow_others=True)
    with pytest.raises(CaseError, match="tool_calls needs expected_tools, which is missing"):
        assert_tools_called(case)
    with pytest.raises(CaseError, match="tool_calls needs tools_called, which is missing in the"):
        assert_tools_called(Case(response="Done."), ["a"])
    result = evaluate("tool_calls", tools_called=["a"], expected_tools=["a"])
    assert result.outcome is Outcome.PASSED


USER: dict[str, Any] = {"role": "user", "content": "Book a room."}
ASKS: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "function": {"name": "book", "arguments": '{"room": 3}'}}],
}
GAVE: dict[str, Any] = {"role": "tool", "tool_call_id": "c1", "content": "booked"}
SAID: dict[str, Any] = {"role": "assistant", "content": "Done."}


@pytest.mark.parametrize(
    ("messages", "called"),
    [
        ([USER, ASKS, GAVE, SAID], ["book"]),
        ([USER, ASKS, GAVE, SAID, USER, SAID], []),
        ([USER, SAID, USER, ASKS, GAVE, ASKS, GAVE, SAID], ["book", "book"]),
        ([USER, ASKS], ["book"]),
        ([USER, SAID, ASKS, GAVE], ["book"]),
    ],
)
def test_the_calls_of_a_conversation_are_those_of_its_last_turn(
    messages: list[dict[str, Any]], called: list[str]
) -> None:
    case = Case(messages=messages)
    assert assert_tools_called(case, called).passed
    own = case.model_copy(update={"tools_called": ["own"]})
    assert assert_tools_called(own, ["own"]).passed


def test_a_turn_that_only_calls_a_tool_is_no_response() -> None:
    assert as_judged(Case(messages=[USER, SAID, ASKS, GAVE])).response == "Done."
    for messages, end in (([USER, ASKS], "a tool call"), ([USER, ASKS, GAVE], "a tool turn")):
        error = evaluate(Case(messages=messages, ground_truth="a"), "f1").error
        assert str(error).endswith(f"in the case: its conversation ends on {end}")


def test_a_conversation_without_an_answer_does_not_say_what_was_called() -> None:
    with pytest.raises(CaseError, match="tool_calls needs tools_called, which is missing"):
        assert_tools_called(Case(messages=[USER]), [])
    with pytest.raises(CaseError, match="Message needs 'content'"):
        Case(messages=[{"role": "assistant", "content": None}])
    role: Literal["assistant"] = "assistant"
    assert Message(role=role, tool_calls=["book"]).content == ""


def test_expected_calls_are_in_the_identity_and_made_ones_are_not() -> None:
    case = Case(query="Book a room.")
    assert case.identity == Case(query="Book a room.", tools_called=["a"]).identity
    assert case.identity != Case(query="Book a room.", expected_tools=["a"]).identity
    answered = Case(messages=[USER, {**ASKS, "content": "."}])
    assert (
        answered.identity == Case(messages=[USER, {"role": "assistant", "content": "."}]).identity
    )
    assert case.digest != Case(query="Book a room.", tools_called=["a"]).digest


@pytest.mark.parametrize("name", ["", " ", "\u200b"])
def test_a_call_of_a_tool_without_a_name_is_refused(name: str) -> None:
    for call in (name, {"name": name}, {"function": {"name": name, "arguments": "{}"}}):
        with pytest.raises(CaseError, match="needs the name of a tool"):
            Case(tools_called=[call])
    unnamed = {"run_type": "tool", "name": name, "inputs": {"a": 1}}
    assert [each.name for each in read_trace(unnamed).tool_calls] == ["(unnamed tool)"]
    asked = [{"name": name, "args": {}}, {"name": "stock", "args": {}}]
    said = {"messages": [{"role": "assistant", "content": "", "tool_calls": asked}]}
    called = read_trace({"run_type": "llm", "outputs": said}).tool_calls
    assert [each.name for each in called] == ["stock"]


def test_text_of_a_call_is_the_same_however_its_letters_are_composed() -> None:
    one = ToolCall("caf\u00e9", {"st\u00e4dte": ["Z\u00fcrich", {"\u00e9": 1}]})
    other = ToolCall("cafe\u0301", {"sta\u0308dte": ["Zu\u0308rich", {"e\u0301": 1}]})
    for how in ("equal", "subset", "ignore"):
        assert_tools_called(Case(tools_called=[one]), [other], arguments=how)
    with pytest.raises(CheckFailed, match="altered"):
        assert_tools_called(Case(tools_called=[one]), [ToolCall("caf\u00e9", {"stadte": []})])


def test_names_of_a_call_may_be_in_camel_case() -> None:
    call = {"name": "book", "inputParameters": {"roomNo": 3}, "output": "ok", "callId": "c"}
    assert Case(tools_called=[call]).tools_called == (ToolCall("book", {"roomNo": 3}, result="ok"),)
