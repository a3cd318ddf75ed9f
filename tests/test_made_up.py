"""Replies that are made up: valid whatever their schema asks for, or not there."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from pytest_llmeval import Case
from pytest_llmeval.commands.show_prompt import SAMPLE
from pytest_llmeval.judges.answers import integer_between, number_between
from pytest_llmeval.judges.base import BaseJudge, Question
from pytest_llmeval.judges.made_up import made_up
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.testing import ScriptedJudge


class Part(BaseModel):
    name: str
    kind: Literal["a", "b"]


class Wide(BaseModel):
    score: Annotated[int, integer_between(1, 5)]
    share: Annotated[float, number_between(0, 1)]
    age: int = Field(ge=3)
    plain: float
    ok: bool
    word: Literal["yes", "no"]
    only: Literal["x"]
    parts: list[Part] = Field(min_length=2)
    first: Part
    perhaps: Part | None
    text: str = Field(min_length=12, max_length=20)
    short: str = Field(max_length=3)
    by_name: dict[str, int]


class Choosy(BaseModel):
    word: Literal["yes", "no"]
    parts: list[Part]

    @field_validator("parts")
    @classmethod
    def _some(cls, parts: list[Part]) -> list[Part]:
        assert parts
        return parts

    @field_validator("word")
    @classmethod
    def _no(cls, word: str) -> str:
        assert word == "no"
        return word


class Impossible(BaseModel):
    word: str

    @field_validator("word")
    @classmethod
    def _never(cls, word: str) -> str:
        raise TypeError


class Tree(BaseModel):
    kid: Tree


@pytest.mark.parametrize("reply", [Part, Wide, Choosy])
def test_a_reply_of_any_form_is_made_up_and_valid(reply: type[BaseModel]) -> None:
    made = made_up(reply)
    assert type(made) is reply


def test_what_may_be_chosen_is_the_first_that_there_is() -> None:
    made = made_up(Wide)
    assert made is not None
    assert (made.ok, made.word, len(made.parts), made.text) == (True, "yes", 2, "(made up)………")


@pytest.mark.parametrize("reply", [Impossible, Tree])
def test_a_reply_that_cannot_be_made_up_is_none(reply: type[BaseModel]) -> None:
    assert made_up(reply) is None


@pytest.mark.parametrize("metric", [each for each in CATALOGUE if CATALOGUE[each].judged])
def test_every_reply_of_a_built_in_metric_can_be_made_up(metric: str) -> None:
    def reply(question: Question[BaseModel]) -> str:
        made = made_up(question.reply)
        assert made is not None
        return made.model_dump_json()

    session = Session(Settings(mode="off"))
    judge: BaseJudge = ScriptedJudge(reply)
    case: Case = SAMPLE
    try:
        assert session.evaluate(case, metric, judge=judge).error is None
    finally:
        session.close()
