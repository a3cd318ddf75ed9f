"""Shapes: the rows of each tool as its documentation has them come to be the same case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_llmeval import Case, Document, Message, ToolCall
from pytest_llmeval.data.field_names import FieldNames
from pytest_llmeval.data.files.row_files import row_file
from pytest_llmeval.data.measured import Measured
from pytest_llmeval.data.rows import Row
from pytest_llmeval.data.words.recognised import Recognised
from pytest_llmeval.data.words.shapes import case_of, fields_of
from pytest_llmeval.errors import CaseError, CaseTypeError

Q, R, G, D = "How long?", "Two years.", "2 years", "The warranty is two years."
TALK = (
    Message(role="user", content="A tent?"),
    Message(role="assistant", content="The Alpine."),
    Message(role="user", content=Q),
    Message(role="assistant", content=R, context=[{"id": "w", "content": D}]),
)
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "A tent?"},
    {"role": "assistant", "content": "The Alpine."},
    {"role": "user", "content": Q},
]
ANSWERED: list[dict[str, Any]] = [
    *CHAT,
    {"role": "assistant", "content": R, "context": {"citations": [{"id": "w", "content": D}]}},
]
HUMAN = [
    {"type": "human", "content": "A tent?"},
    {"type": "ai", "content": "The Alpine."},
    {"type": "human", "content": Q},
]


def case(values: dict[str, Any], flat: bool = False, fields: Any = None) -> Case:
    return case_of(Row("f.jsonl:1", values, flat, FieldNames.of(fields)))


SINGLE = Case(query=Q, response=R, context=(Document(content=D),), ground_truth=G)
SINGLES: dict[str, dict[str, Any]] = {
    "own": {"query": Q, "response": R, "context": [D], "ground_truth": G},
    "Azure": {"query": Q, "response": R, "context": D, "ground_truth": G},
    "Azure, older": {"question": Q, "answer": R, "context": D, "ground_truth": G},
    "Azure, agents": {
        "query": [{"role": "user", "content": [{"type": "text", "text": Q}]}],
        "response": [
            {"role": "assistant", "content": [{"type": "tool_call", "name": "find"}]},
            {"role": "tool", "content": [{"type": "tool_result", "tool_result": {"a": 1}}]},
            {"role": "assistant", "content": [{"type": "text", "text": R}]},
        ],
        "context": D,
        "ground_truth": G,
    },
    "Databricks": {
        "request": Q,
        "response": R,
        "retrieved_context": [{"content": D}],
        "expected_response": G,
    },
    "Databricks, chat": {
        "request": {"messages": [{"role": "user", "content": Q}]},
        "response": {"choices": [{"message": {"role": "assistant", "content": R}}]},
        "retrieved_context": [{"content": D}],
        "expected_response": G,
    },
    "Databricks, responses": {
        "request": {"input": [{"role": "user", "content": Q}]},
        "response": {
            "output": [
                {"type": "function_call", "name": "find"},
                {"role": "assistant", "content": [{"type": "output_text", "text": R}]},
            ]
        },
        "retrieved_context": [{"content": D, "doc_uri": None}],
        "expected_response": G,
    },
    "MLflow": {
        "inputs": {"question": Q},
        "outputs": {"response": R, "retrieved_context": [{"content": D}]},
        "expectations": {"expected_response": G},
    },
    "MLflow, chat": {
        "inputs": {"messages": [{"role": "user", "content": Q}]},
        "outputs": {"choices": [{"message": {"content": R}}]},
        "expectations": {"expected_response": G},
        "retrieved_context": [{"content": D}],
    },
    "MLflow, a name of its own": {
        "inputs": {"prompt": Q},
        "outputs": {"reply": R},
        "expectations": {"expected_answer": G},
        "contexts": [D],
    },
    "Spring": {"userText": Q, "dataList": [{"text": D}], "responseContent": R, "groundTruth": G},
    "DeepEval": {
        "input": Q,
        "actual_output": R,
        "expected_output": G,
        "retrieval_context": [D],
    },
    "DeepEval, camel": {
        "input": Q,
        "actualOutput": R,
        "expectedOutput": G,
        "retrievalContext": [D],
    },
    "Ragas": {"user_input": Q, "response": R, "retrieved_contexts": [D], "reference": G},
    "Ragas, older": {"question": Q, "answer": R, "contexts": [D], "ground_truth": G},
    "Ragas, oldest": {"question": Q, "answer": R, "contexts": [D], "ground_truths": [G]},
    "promptfoo": {"vars": {"question": Q, "context": D, "reference": G, "output": R}},
    "LangSmith": {
        "inputs": {"input": Q},
        "outputs": {"output": R, "documents": [{"page_content": D, "type": "Document"}]},
        "reference_outputs": {"answer": G},
    },
    "LangSmith, graphs": {
        "inputs": {"messages": [{"type": "human", "data": {"content": Q}}]},
        "outputs": {"messages": [{"type": "human", "content": Q}, {"type": "ai", "content": R}]},
        "reference_outputs": {"text": G},
        "documents": [D],
    },
    "LangSmith, constructors": {
        "inputs": {
            "messages": [
                {"lc": 1, "type": "constructor", "kwargs": {"type": "human", "content": Q}}
            ]
        },
        "outputs": R,
        "reference_outputs": G,
        "documents": [D],
    },
    "LangSmith, columns": {
        "inputs.question": Q,
        "outputs.answer": R,
        "reference_outputs.answer": G,
        "documents": [D],
    },
}


@pytest.mark.parametrize("values", SINGLES.values(), ids=SINGLES.keys())
def test_a_single_turn_is_the_same_case_in_the_words_of_every_tool(values: dict[str, Any]) -> None:
    assert case(values).model_copy(update={"tools_called": None}) == SINGLE


@pytest.mark.parametrize(
    "values",
    [
        {"messages": ANSWERED},
        {"conversation": {"messages": ANSWERED}},
        {"conversation": ANSWERED},
        {
            "turns": [
                *CHAT,
                {
                    "role": "assistant",
                    "content": R,
                    "retrieval_context": [{"id": "w", "content": D}],
                },
            ]
        },
        {
            "messages": [
                *HUMAN,
                {"type": "ai", "content": R, "context": [{"id": "w", "content": D, "url": "x"}]},
            ]
        },
        {
            "messages": [
                *CHAT,
                {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
                {**ANSWERED[-1], "name": "shop"},
            ]
        },
    ],
)
def test_a_conversation_is_the_same_in_the_words_of_every_tool(values: dict[str, Any]) -> None:
    assert case(values).messages == TALK


CALL = {"name": "search", "arguments": {"q": "tent"}}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": CALL}]},
        {
            "role": "assistant",
            "tool_calls": [{"function": {**CALL, "arguments": '{"q": "tent"}'}}],
        },
        {"type": "ai", "content": "", "tool_calls": [{"name": "search", "args": {"q": "tent"}}]},
        {
            "role": "assistant",
            "content": [{"type": "tool_call", "tool_call_id": "1", **CALL}],
        },
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "name": "search", "input": {"q": "tent"}}],
        },
        {"role": "assistant", "content": "", "function_call": CALL},
    ],
)
def test_the_tools_that_a_message_calls_are_kept(message: dict[str, Any]) -> None:
    told = case({"user_input": [*HUMAN, message, ANSWERED[-1]]})
    assert [each.content for each in told.messages[-2:]] == ["", R]
    assert told.messages[-2].tool_calls == (ToolCall("search", {"q": "tent"}),)


@pytest.mark.parametrize("name", ["expected_tools", "expected_tool_calls", "reference_tool_calls"])
def test_the_tools_of_other_tools_are_ours(name: str) -> None:
    told = case({"input": "Q?", "tools_called": [CALL], name: ["search"]})
    assert told.tools_called == (ToolCall("search", {"q": "tent"}),)
    assert told.expected_tools == (ToolCall("search"),)


def test_what_is_asked_in_a_conversation_is_the_query_with_all_messages() -> None:
    for values in (
        {"request": {"messages": CHAT}},
        {"inputs": {"messages": CHAT}},
        {"request": CHAT},
    ):
        assert case({**values, "response": R}) == Case(query=Q, response=R, messages=TALK[:3])
    history = case({"request": {"query": Q, "history": CHAT[:2]}})
    assert history == Case(query=Q, messages=TALK[:2])
    ended = case({"request": {"messages": ANSWERED}})
    assert (ended.query, ended.messages) == (None, TALK)


def test_what_an_evaluation_set_of_databricks_holds_is_read_in_full() -> None:
    values = {
        "request_id": "7",
        "request": Q,
        "retrieved_context": [{"doc_uri": "w", "content": D}, {"doc_uri": "bare"}],
        "expected_facts": ["two"],
        "expected_retrieved_context": [{"doc_uri": "w"}, {"doc_uri": "x", "content": "y"}],
        "guidelines": {"tone": "Be kind.", "facts": ["Name years.", "Be short."]},
        "guidelines_context": {"terms": "a"},
        "trace": {"info": {}},
        "locale": "en",
    }
    assert case(values) == Case(
        id="7",
        query=Q,
        context=[{"id": "w", "content": D}, {"id": "bare", "content": ""}],
        expected_facts=["two"],
        expected_context=["w", "x"],
        guidelines={"tone": ["Be kind."], "facts": ["Name years.", "Be short."]},
        guidelines_context={"terms": "a"},
        trace={"info": {}},
        metadata={"locale": "en"},
    )


@pytest.mark.parametrize(
    "values",
    [
        {"userText": Q, "dataList": [], "responseContent": R},
        {"query": Q, "dataList": [], "response": R},
    ],
)
def test_without_documents_the_question_to_spring_is_no_document_of_its_own(values: Any) -> None:
    assert case(values) == Case(query=Q, context=[], response=R)
    assert "context" in case(values).model_fields_set
    for flat in (True, False):
        given = {**values, "dataList": "[]" if flat else []}
        assert case(given, flat).context == ()
        asked = next(iter(values))
        checked = case(given, flat, {asked: "context"})
        assert checked == Case(context=[Q], response=R)


def test_what_other_tools_have_beside_is_metadata_or_what_was_measured() -> None:
    made = case({"input": Q, "completion_time": 2, "additional_metadata": {"a": 1}, "name": "n"})
    assert made.measured == Measured(seconds=2.0)
    assert made.metadata == {"a": 1, "name": "n"}
    ragas = {"user_input": Q, "retrieved_contexts": ["a", "b"], "retrieved_context_ids": [1, "x"]}
    assert [each.id for each in case(ragas).context] == ["1", "x"]
    assert case({"user_input": Q, "reference_context_ids": ["x"]}).expected_context == ("x",)
    asserted = {"vars": {"query": Q, "language": "fr"}, "assert": [{"type": "equals"}]}
    told = {"vars.language": "fr", "assert": [{"type": "equals"}]}
    assert case(asserted).metadata == told


def test_an_example_of_langsmith_expects_its_outputs_and_a_run_gave_them() -> None:
    example = {"inputs": {"question": Q}, "outputs": {"answer": G}, "metadata": {"a": 1}}
    told = {**example, "dataset_id": "d"}
    assert case(told) == Case(query=Q, ground_truth=G, metadata={"a": 1, "dataset_id": "d"})
    run = {"id": "u", "run_type": "chain", "inputs": {"input": Q}, "outputs": {"output": R}}
    assert case(run) == Case(id="u", query=Q, response=R, trace=run)


def test_what_an_app_gave_beside_its_messages_is_read_too() -> None:
    outputs = {"messages": [{"role": "assistant", "content": ["Two ", {"text": "years."}]}]}
    made = case({"inputs": {"question": Q}, "outputs": {**outputs, "documents": [D], "n": 1}})
    assert made.response == "Two \nyears."
    assert (made.context, made.metadata) == ((Document(content=D),), {"outputs.n": 1})
    drafted = {"inputs": Q, "outputs": {**outputs, "answer": R, "text": "a draft"}}
    both = case(drafted, fields={"outputs": "response"})
    assert (both.query, both.response) == (Q, R)
    assert both.metadata == {"outputs.text": "a draft", "outputs.messages": outputs["messages"]}
    tool = {"role": "tool", "content": {"found": "日本"}}
    messages = case({"messages": [*CHAT, tool, Message(role="assistant", content=R)]}).messages
    assert (messages[3].content, messages[4].content) == ('{"found": "日本"}', R)


def test_an_input_of_several_values_without_a_query_is_metadata() -> None:
    made = case({"inputs": {"city": "Bern", "days": 3}, "response": R})
    assert made == Case(response=R, metadata={"inputs.city": "Bern", "inputs.days": 3})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"query": "a", "question": "b"},
            (
                "query is given twice, with different values: as 'query' and as 'question'; "
                'leave one out by fields={"question": None}'
            ),
        ),
        (
            {"query": "a", "metadata": {"x": 1}, "x": 2},
            "metadata 'x' is given twice, with different values",
        ),
        ({"query": None, "x": None}, "it has no value but null"),
        ({}, "it is empty"),
        (
            {"inputs": {}},
            (
                "none of its names is one of a case: inputs; say what they are, as in "
                'fields={"inputs": "query"}'
            ),
        ),
        (
            {"prompt": "a", "completion": "b"},
            (
                "none of its names is one of a case: prompt, completion; say what they are, as in "
                'fields={"prompt": "query"}'
            ),
        ),
        ({"question": 5}, "question: expected text, got int"),
        (
            {"request": {"q": 1}},
            "request: expected text, or 'messages' or 'query' in an object; it has q",
        ),
        (
            {"question": "a", "contexts": ["d"], "ground_truths": ["a", "b"]},
            "ground_truths: expected one reference answer, got 2",
        ),
        ({"conversation": "hello"}, "conversation: a conversation is a list of messages, got str"),
        (
            {"messages": ["hello"]},
            "messages: message 1: a message has 'role' and 'content', got str",
        ),
        (
            {"messages": [{"role": "robot", "content": "x"}]},
            "messages: message 1: its role is system, user, assistant or tool; got 'robot'",
        ),
        (
            {"messages": [{"role": "user", "contnt": "x"}]},
            "messages: message 1: a message has no 'contnt': did you mean 'content'?",
        ),
        (
            {"messages": [{"role": "user", "content": [5]}]},
            "messages: message 1: a part of a message is text or an object, got int",
        ),
        (
            {"context": [{"contnt": "x"}]},
            "context: a document has no 'contnt': did you mean 'content'?",
        ),
        ({"context": [{"url": "x"}]}, "context: a document has 'content'; this one has url"),
        (
            {"context": [{"id": "a", "doc_uri": "b", "content": "x"}]},
            "a document has one id; 'id' and 'doc_uri' name different ones",
        ),
        (
            {"expected_retrieved_context": [{"content": "x"}]},
            "expected_retrieved_context: each has 'doc_uri' or 'id'; this one has content",
        ),
        (
            {"user_input": "q", "retrieved_contexts": ["a"], "retrieved_context_ids": []},
            "retrieved_context_ids: expected one for each retrieved context",
        ),
        ({"query": "a", "metadata": "x"}, "metadata: expected an object, got str"),
        (
            {"input": "a", "completion_time": "soon"},
            "completion_time: expected a number, got 'soon'",
        ),
        (
            {"expectations": {"expected_respnse": "x"}},
            "Case has no field 'expected_respnse': did you mean 'expected_response'?",
        ),
        ({"query": "a", " ": 1}, "a name is blank: ' '"),
        ({"query": "a", 5: 1}, "a name is text, got 5"),
    ],
)
def test_a_row_that_cannot_be_is_refused_by_its_names(values: Any, message: str) -> None:
    with pytest.raises(CaseError) as raised:
        case(values)
    assert str(raised.value) == f"f.jsonl:1: {message}"


def test_a_row_that_is_nested_without_end_is_refused() -> None:
    cited: Any = []
    for _ in range(100_000):
        cited = {"citations": cited}
    with pytest.raises(CaseError, match="f.jsonl:1: it is nested too deeply"):
        case({"context": cited})


def test_two_names_for_one_field_may_say_the_same() -> None:
    assert case({"query": Q, "question": Q, "request": Q}) == Case(query=Q)
    assert case({"query": Q, "question": None}) == Case(query=Q)


def test_lists_and_objects_of_columns_are_read_where_a_field_takes_them_and_only_there() -> None:
    made = case(
        {
            "query": '{"not": "read"}',
            "response": '["a", "b"]',
            "context": '["d", {"id": "x", "content": "e"}]',
            "expected_facts": "['f', 'g']",
            "guidelines": '{"tone": "Be kind."}',
            "note": "[1]",
        },
        flat=True,
    )
    assert (made.query, made.response) == ('{"not": "read"}', '["a", "b"]')
    assert made.context == (Document(content="d"), Document(id="x", content="e"))
    assert made.expected_facts == ("f", "g")
    assert made.guidelines == {"tone": ("Be kind.",)}
    assert made.metadata == {"note": "[1]"}
    cited = case({"query": "q", "context": "[1] As the source says."}, flat=True)
    assert cited.context == (Document(content="[1] As the source says."),)
    assert case({"query": "q", "context": "[1]"}, flat=True).context == (Document(content="[1]"),)
    assert case({"query": "q", "metadata.x": "1"}, flat=True).metadata == {"x": "1"}
    request = json.dumps({"messages": CHAT})
    assert case({"request": request}, flat=True).messages == TALK[:3]
    assert case({"request": "[1] what?"}, flat=True).query == "[1] what?"
    with pytest.raises(CaseTypeError, match="expected a list, as JSON in its cell; got 'two'"):
        case({"query": "q", "expected_facts": "two"}, flat=True)
    with pytest.raises(CaseTypeError, match="measured: expected an object, as JSON in its cell"):
        case({"query": "q", "measured": "[1]x"}, flat=True)


def test_what_was_recognised_is_told_in_one_line(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)

    def told(*rows: dict[str, Any], holder: str = "") -> str:
        path = tmp_path / "q.json"
        path.write_text(json.dumps({holder: rows} if holder else rows))
        source = row_file("q.json", tmp_path)
        recognised = Recognised(source)
        for _, row in source:
            recognised.add(row, fields_of(row)[1])
        return recognised.line()

    assert told({"query": Q}) == "q.json: 1 case"
    row = {"request": Q, "expected_response": G, "locale": "en"}
    assert told(row, row, holder="rows") == (
        "q.json, its 'rows': 2 cases, Databricks evaluation set (request → query, "
        "expected_response → ground_truth; kept as metadata: locale)"
    )
    assert told({"vars": {"query": Q}, "assert": []}) == (
        "q.json: 1 case, promptfoo test (vars.query → query; kept as metadata: assert; "
        "its assertions are not run: say in the test what to check)"
    )
    assert told({"query": Q}, {"query": Q}, {"user_input": Q}) == (
        "q.json: 3 cases, 2 in our names, 1 Ragas sample (user_input → query)"
    )
    many = told({"query": Q, **{f"x{number}": 1 for number in range(10)}})
    assert many.endswith("kept as metadata: x0, x1, x2, x3, x4, x5, x6, x7 and 2 more)")


NAMES = [
    "query",
    "messages",
    "context",
    "inputs",
    "outputs",
    "request",
    "metadata",
    "expectations",
    "user_input",
    "retrieved_context_ids",
    "retrieved_contexts",
    "dataList",
    "guidelines",
    "expected_context",
    "turns",
    "vars",
    "completion_time",
    "trace",
    "x",
    "inputs.question",
]
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*NAMES, "role", "content", "type", "choices", "id", "citations"])
            | st.text(max_size=2),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@example({"request": [""]}, True)
@example({"request": [{"role": "user"}, ""]}, True)
@given(
    st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), JSON, max_size=4), st.booleans()
)
def test_whatever_a_row_holds_it_is_a_case_or_refused_with_its_place(
    values: dict[str, Any], flat: bool
) -> None:
    if flat:
        values = {name: json.dumps(value) for name, value in values.items()}
    try:
        told = "f.jsonl:1: " if isinstance(case(values, flat), Case) else ""
    except CaseError as error:
        told = str(error)
    assert told.startswith("f.jsonl:1: ")


@given(st.permutations(list(SINGLES["Databricks"].items())))
def test_the_order_of_names_says_nothing(items: list[tuple[str, Any]]) -> None:
    assert case(dict(items)) == SINGLE
