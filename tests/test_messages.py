"""Messages: the roles and contents that conversations may have, and what the others are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_llmeval import Case, CaseError, Message
from pytest_llmeval.data.datasets import load_cases
from pytest_llmeval.data.messages import OTHER_ROLES
from pytest_llmeval.errors import CaseTypeError

ASKED = {"role": "user", "content": "q"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/tent.png"}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "Which tent"}, {"type": "text", "text": "is light?"}], None),
        ([{"type": "input_text", "text": "Which tent"}, "is light?"], None),
        (({"type": "output_text", "text": "It is light.", "annotations": []},), "It is light."),
        ([], ""),
        ("[{'type': 'text'}]", "[{'type': 'text'}]"),
    ],
)
def test_a_content_in_parts_is_one_text_a_line_for_each(content: Any, text: str | None) -> None:
    expected = "Which tent\nis light?" if text is None else text
    assert Message(role="user", content=content).content == expected
    case = Case(messages=[{"role": "user", "content": content}])
    assert case.messages[0].content == expected


REFUSED = [
    ({"role": "human", "content": "q"}, "there is no role 'human': did you mean 'user'?"),
    ({"role": "ai", "content": "q"}, "there is no role 'ai': did you mean 'assistant'?"),
    ({"role": "bot", "content": "q"}, "there is no role 'bot': did you mean 'assistant'?"),
    ({"role": "model", "content": "q"}, "there is no role 'model': did you mean 'assistant'?"),
    ({"role": "developer", "content": "q"}, "no role 'developer': did you mean 'system'?"),
    ({"role": "function", "content": "q"}, "no role 'function': did you mean 'tool'?"),
    ({"role": "Assistant ", "content": "q"}, "'Assistant ': did you mean 'assistant'?"),
    ({"role": "narrator", "content": "q"}, "known are system, user, assistant, tool"),
    ({"role": "", "content": "q"}, "there is no role '': known are system, user"),
    ({"role": 3, "content": "q"}, "Message.role: input should be 'system', 'user', "),
    ({"role": "user"}, "Message needs 'content'"),
    (
        {"role": "user", "content": [IMAGE]},
        "part 1 is of type 'image_url': only text can be judged",
    ),
    ({"role": "user", "content": ["a", {"type": "text"}]}, "part 2 has no text, got NoneType"),
    ({"role": "user", "content": [{"type": "text", "text": 3}]}, "part 1 has no text, got int"),
    ({"role": "user", "content": [{"text": "a"}]}, "part 1 is text, or a mapping with type and"),
    ({"role": "user", "content": [3]}, "part 1 is text, or a mapping with type and text; got int"),
    ({"role": "user", "content": "q", "context": [3]}, "got a list with int"),
    ({"role": "user", "content": "q", "txt": "q"}, "Message has no field 'txt'"),
    ("q", "input should be a valid dictionary or instance of Message"),
]


@pytest.mark.parametrize(("message", "told"), REFUSED)
def test_a_message_that_cannot_be_is_refused_by_its_number(message: Any, told: str) -> None:
    with pytest.raises(CaseError) as refused:
        Case.model_validate({"messages": [ASKED, message]})
    assert str(refused.value).startswith("message 2: ")
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def in_a_file(message: Any, folder: Path) -> Case:
    file = folder / "talks.jsonl"
    file.write_text(
        f'{{"query": "q"}}\n{{"messages": [{json.dumps(ASKED)}, {json.dumps(message)}]}}\n', "utf-8"
    )
    return load_cases(file)[1]


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"role": "narrator", "content": "q"}, "its role is system, user, assistant or"),
        ({"role": "user", "content": [IMAGE]}, "a part is of type 'image_url': only text can be"),
        ({"role": "user", "content": [3]}, "a part of a message is text or an object, got int"),
        ("q", "a message has 'role' and 'content', got str"),
    ],
)
def test_in_a_file_it_is_refused_by_its_line_too(message: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(CaseError) as refused:
        in_a_file(message, tmp_path)
    assert f"talks.jsonl:2: messages: message 2: {told}" in str(refused.value)


@pytest.mark.parametrize(("role", "ours"), OTHER_ROLES.items())
def test_in_a_file_roles_may_be_those_of_other_tools(role: str, ours: str, tmp_path: Path) -> None:
    assert in_a_file({"role": role, "content": "q"}, tmp_path).messages[1].role == ours


def test_a_wrong_role_is_a_type_error_as_other_wrong_values_are() -> None:
    with pytest.raises(CaseTypeError):
        Message(role="human", content="q")  # type: ignore[arg-type]


def test_citations_that_are_null_are_no_documents() -> None:
    message = {"role": "assistant", "content": "a", "context": {"citations": None}}
    assert Case.model_validate({"messages": [message]}).messages[0].context == ()
