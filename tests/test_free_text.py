"""Free text: what a reply declares as such, and what redaction makes of all other text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pytest
from committed_lines import entry
from pydantic import BaseModel, Field, field_validator

from pytest_llmeval.errors import UsageError
from pytest_llmeval.judges.answers import FreeText, Reply
from pytest_llmeval.judges.base import Question
from pytest_llmeval.judges.heard import entry_key
from pytest_llmeval.judges.redacted import Redact, Redaction, redacted
from pytest_llmeval.judges.schema import FREE_TEXT, schema_form, schema_of, shown_schema, unmarked
from pytest_llmeval.judges.verdict_line import VerdictLine
from pytest_llmeval.metrics import built_in_rubrics
from pytest_llmeval.metrics.relevance_in_conversation import ReferenceReply
from pytest_llmeval.metrics.retrieval import RetrievalReply


class Claim(BaseModel):
    text: FreeText


class Other(BaseModel):
    other: FreeText


class Short(BaseModel):
    note: Annotated[str, Field(max_length=8)]
    text: Annotated[FreeText, Field(max_length=8)]
    bound: FreeText | Literal["Ann"]
    either: Claim | Other = Other(other="a")

    @field_validator("text")
    @classmethod
    def _of_one_line(cls, text: str) -> str:
        if "(" in text:
            raise ValueError("brackets are not allowed")
        return text


OTHER = {"either": {"other": "a"}}
INTENT = {"intent": "Ann", "reason": "Ann", "answered": "yes", "documents": ["a"]}


def kept(model: type[BaseModel], said: Mapping[str, Any]) -> VerdictLine:
    key, made = entry("a")
    made = {**made, "schema": {**shown_schema(model)}, "said": json.dumps(said)}
    return VerdictLine(key, made, ("test_it",))


def masking(new: str) -> Redact:
    return lambda kept: {**kept, "said": kept["said"].replace("Ann", new)}


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (RetrievalReply, {"intents": [{**INTENT, "documents": ["mail/Ann/1"]}]}),
        (ReferenceReply, {"reason": "r", "bearing": "yes", "answer": "Ann's"}),
        (Short, {"note": "Ann", "text": "a", "bound": "a", **OTHER}),
        (Short, {"note": "a", "text": "I am Ann", "bound": "a", **OTHER}),
        (Short, {"note": "a", "text": "a", "bound": "Ann", **OTHER}),
        (Short, {"note": "a", "text": "a", "bound": "a", "either": {"other": "Ann"}}),
    ],
    ids=["retrieval", "reference", "plain", "long", "label", "one of two"],
)
def test_text_that_is_not_declared_free_or_breaks_its_limits_may_not_be_changed(
    model: type[BaseModel], said: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="changes what the reply decides, .*declares as FreeText"):
        redacted(kept(model, said), masking("(name)"))


def test_every_text_of_our_own_replies_is_free_but_for_those_that_decide() -> None:
    built_in_rubrics()  # which imports them all
    free: set[tuple[str, str]] = set()
    held: set[tuple[str, str]] = set()
    for each in Reply.__subclasses__():
        if each.__module__.startswith("pytest_llmeval."):
            for name, part in schema_of(each).get("properties", {}).items():
                part = part.get("items", part)
                if part.get("type") == "string" and "enum" not in part:
                    (free if FREE_TEXT in part else held).add((each.__name__, name))
    assert ("Ungrounded", "quote") in free
    assert {*held} == {("Intent", "documents"), ("ReferenceReply", "answer")}


def test_the_marks_of_free_text_shape_no_key_and_are_sent_to_no_provider() -> None:
    marked = kept(Short, {})
    plain = {**marked.entry, "schema": unmarked(marked.entry["schema"])}
    assert FREE_TEXT in json.dumps(marked.entry["schema"])
    assert FREE_TEXT not in json.dumps(plain["schema"])
    assert entry_key(marked.entry) == entry_key(plain)
    assert FREE_TEXT not in json.dumps(schema_form(Short))
    named = {"properties": {FREE_TEXT: {"type": "string", FREE_TEXT: True}}}
    assert unmarked([named]) == [{"properties": {FREE_TEXT: {"type": "string"}}}]


def test_what_a_model_of_its_own_rules_does_not_take_is_refused_where_it_is_at_hand() -> None:
    question = Question("found", (("user", "Ann?"),), Short)
    line = kept(Short, {"note": "a", "text": "Ann", "bound": "a", **OTHER})
    asked_of = {line.key: question}
    assert Redaction(masking("(name)"), {}).of(line) is not None
    assert Redaction(masking("name"), asked_of).of(line) is not None
    with pytest.raises(UsageError, match="Short does not take, since 'text' .*brackets are not al"):
        Redaction(masking("(name)"), asked_of).of(line)
