"""A question of one's own: what is shown to the judge, what it may say, what can't be asked."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import pytest
from active_session import active_session
from pydantic import BaseModel, Field, RootModel

from pytest_llmeval.assertions.any_metric import ask_judge
from pytest_llmeval.errors import EvalError, UnreadableReply, UsageError
from pytest_llmeval.judges.reply import Reason, Reply, integer_between, number_between
from pytest_llmeval.records.record import Record
from pytest_llmeval.session import Session
from pytest_llmeval.testing import ScriptedJudge

POLITE = {"reason": "r", "polite": True}


class Tone(BaseModel):
    """For people who read the code."""

    reason: str = Field(description="what in the text decides")
    polite: bool = Field(description="whether it is polite")


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with active_session(mode="off") as session:
        yield session


def asked(reply: Any, script: Any, prompt: Any = "Polite?\n{{ text }}", **values: Any) -> Any:
    return ask_judge(prompt, reply, judge=ScriptedJudge(script), **(values or {"text": "Hi"}))


def shown(reply: Any) -> str:
    judge = ScriptedJudge("no reply")
    with pytest.raises(UnreadableReply):
        ask_judge("{{ text }}", reply, judge=judge, text="Hi")
    return judge.messages[0][1][1]


def records(session: Session) -> list[Mapping[str, Any]]:
    news = session.news("", "")
    return news["records"] if news else []


@pytest.mark.parametrize("name", ["reply", "prompt", "values", "response"])
def test_a_placeholder_may_have_any_name(name: str) -> None:
    judge = ScriptedJudge(POLITE)
    tone = ask_judge(f"Polite?\n{{{{ {name} }}}}", Tone, judge=judge, **{name: "Hi"})
    assert tone == Tone(reason="r", polite=True)
    assert re.search(rf"<{name}-\w+>\nHi\n</{name}-", judge.messages[0][1][1])


def test_a_placeholder_called_judge_is_refused_with_the_advice_to_rename_it() -> None:
    with pytest.raises(UsageError, match="no placeholder can be called judge"):
        ask_judge("Fair?\n{{ judge }}", Tone, judge="the text of a judge")


@pytest.mark.parametrize("value", [None, 5, 0.5, True, b"x", ["a"], {"a": "b"}, object()])
def test_what_is_no_text_is_refused_by_its_name(value: Any) -> None:
    with pytest.raises(
        UsageError, match=rf"\{{{{ text \}}}} stands for text; got {type(value).__name__}"
    ):
        asked(Tone, POLITE, text=value)


@pytest.mark.parametrize("prompt", [None, 5, b"{{ text }}", "", " \n"])
def test_a_prompt_that_is_no_text_or_blank_is_refused(prompt: Any) -> None:
    with pytest.raises(UsageError, match="the prompt is text; got"):
        asked(Tone, POLITE, prompt)


@pytest.mark.parametrize(
    "prompt",
    ["{{ text|truncate(9) }}", "{{ text[2:] }}", "{% for a in [text] %}{{ a }}{% endfor %}"],
)
def test_what_a_filter_leaves_of_a_text_is_fenced_as_the_text_is(prompt: str) -> None:
    judge = ScriptedJudge(POLITE)
    ask_judge(prompt, Tone, judge=judge, text="Hi </text-0> there, you all.")
    assert re.match(r"<(text-\w{12})>\n.+\n</\1>\n\nReply", judge.messages[0][1][1])


def test_a_text_may_decide_what_is_asked_beside_one_that_is_shown() -> None:
    prompt = "Polite{% if kind == 'mail' %} for a mail{% endif %}?{{ text }}"
    judge = ScriptedJudge(POLITE)
    ask_judge(prompt, Tone, judge=judge, text="Hi", kind="mail")
    assert judge.messages[0][1][1].startswith("Polite for a mail?<text-")
    with pytest.raises(UsageError, match="asks about text and shows nothing of it"):
        asked(Tone, POLITE, "{% if text %}Polite?{% endif %}")


def test_a_text_that_the_prompt_does_not_show_is_refused() -> None:
    with pytest.raises(UsageError, match=r"does not show text to the judge: put \{\{ text \}\}"):
        asked(Tone, POLITE, "Polite?")


class Pair(BaseModel):
    pair: tuple[int, int]


class Tree(BaseModel):
    score: int
    kids: list[Tree]


class Loose(BaseModel):
    anything: Any


class Bare(BaseModel):
    words: list  # type: ignore[type-arg]


class Numbers(RootModel[list[int]]):
    pass


class Empty(BaseModel):
    pass


class Complex(BaseModel):
    number: complex
    again: type


@dataclasses.dataclass
class Plain:
    polite: bool


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (dict, "the reply is a pydantic model.*; got dict"),
        ({"polite": bool}, "the reply is a pydantic model.*; got dict"),
        (None, "; got NoneType"),
        ("Tone", "; got str"),
        (Plain, "; got Plain"),
        (Tone(reason="r", polite=True), "; got Tone"),
        (Numbers, "the reply is a pydantic model.*; got Numbers"),
        (Empty, "the reply Empty has no field"),
        (Pair, "the reply Pair: pair has a type that a judge can't be told"),
        (Loose, "the reply Loose: anything has a type"),
        (Bare, "the reply Bare: words has a type"),
        (Tree, "the reply Tree: kids holds Tree, which holds itself"),
        (Complex, "the reply Complex has no JSON Schema"),
    ],
)
def test_a_reply_that_no_judge_can_give_is_refused_before_it_is_asked(
    reply: Any, message: str, session: Session
) -> None:
    judge = ScriptedJudge("{}")
    with pytest.raises(UsageError, match=message):
        ask_judge("{{ text }}", reply, judge=judge, text="Hi")
    assert judge.questions == []
    assert [record["error"] for record in records(session)] == ["UsageError"]


class Inner(BaseModel):
    """For people who read the code."""

    a: int
    b: str | None = Field(description="if there is one")


class Wide(BaseModel):
    share: Annotated[float, number_between(0, 1)] = Field(description="how much of it")
    points: Annotated[int, integer_between(0, 100)]
    level: Annotated[int, integer_between(1, 3)]
    ok: bool = Field(description="whether it is")
    bare: bool
    age: int = Field(ge=0)
    ratio: float = Field(gt=0, lt=2)
    word: Literal["a"]
    tags: list[str] = Field(max_length=3, description="what it is about")
    by_name: dict[str, float]
    inner: Inner
    text: str = Field(max_length=20, description="in short")


@pytest.mark.parametrize(
    "line",
    [
        '"share": <a number from 0 to 1: how much of it>',
        '"points": <a whole number from 0 to 100>',
        '"level": 1 or 2 or 3',
        '"ok": true or false  (whether it is)',
        '"bare": true or false',
        '"age": <a whole number at least 0>',
        '"ratio": <a number more than 0, less than 2>',
        '"word": "a"',
        '"tags": [<text>, ...]  (at most 3 of them; what it is about)',
        '"by_name": {"<name>": <a number>, ...}',
        '"inner": {"a": <a whole number>, "b": <text> or null  (if there is one)}',
        '"text": <at most 20 characters: in short>',
    ],
)
def test_the_prompt_names_what_each_field_may_hold(line: str) -> None:
    assert re.search(rf"^  {re.escape(line)},?$", shown(Wide), re.MULTILINE)


def test_docstrings_are_not_shown_to_the_judge() -> None:
    assert "people who read" not in shown(Wide) + shown(Tone)


class Filled(BaseModel):
    reason: str = ""
    polite: bool = True


class Nested(BaseModel):
    parts: list[Filled]
    one: Filled | None


class Either(BaseModel):
    one: Filled | Tone


PART = {"reason": "r", "polite": False}


@pytest.mark.parametrize(
    ("reply", "said", "missing"),
    [
        (Filled, {}, "reason"),
        (Filled, {"reason": "r"}, "polite"),
        (Nested, {"parts": [PART, {"reason": "r"}], "one": None}, "parts.1.polite"),
        (Nested, {"parts": [], "one": {"reason": "r"}}, "one.polite"),
        (Nested, {"parts": []}, "one"),
        (Either, {"one": {"reason": "r"}}, "one.polite"),
    ],
)
def test_a_judge_has_to_say_also_what_a_model_has_a_default_for(
    reply: type[BaseModel], said: Any, missing: str
) -> None:
    with pytest.raises(UnreadableReply, match=f"missing '{missing}'"):
        asked(reply, json.dumps(said))


def test_a_whole_reply_is_read_as_the_model_that_it_is() -> None:
    assert asked(Filled, PART) == Filled(reason="r", polite=False)
    nested = asked(Nested, {"parts": [PART], "one": None})
    assert nested == Nested(parts=[Filled(reason="r", polite=False)], one=None)
    assert type(asked(Either, json.dumps({"one": PART})).one) is Filled


class Scored(BaseModel):
    score: int
    share: float
    ok: bool
    perhaps: int | None
    named: dict[str, float]


SOUND = {"score": "4", "share": 1, "ok": True, "perhaps": None, "named": {"a": 0.5}}


@pytest.mark.parametrize(
    "change",
    [
        '"score": true',
        '"share": false',
        '"share": NaN',
        '"share": -Infinity',
        '"share": 1e999',
        '"share": "1e999"',
        '"share": "nan"',
        f'"share": 1{400 * "0"}',
        '"ok": 1',
        '"ok": 0.0',
        '"perhaps": true',
        '"named": {"a": true}',
        '"named": {"a": Infinity}',
    ],
)
def test_a_flag_is_no_number_a_number_no_flag_and_a_number_is_finite(change: str) -> None:
    assert asked(Scored, SOUND).score == 4
    sound = '"score": 4, "share": 1, "ok": true, "perhaps": 5, "named": {}'
    name = change.partition(":")[0]
    said = re.sub(rf"{name}: [^,]+", change, sound)
    with pytest.raises(EvalError, match="could not be read"):
        asked(Scored, f"{{{said}}}")


class Rated(Reply):
    reason: Reason = Field(description="why")
    score: Annotated[int, integer_between(1, 5)]


def test_a_missing_reason_is_still_filled_in_where_the_model_says_so() -> None:
    assert asked(Rated, {"score": 3}).reason == "no reason given"


def test_the_reply_is_recorded_whatever_came_of_it(session: Session) -> None:
    asked(Tone, POLITE)
    with pytest.raises(UsageError):
        asked(Tone, POLITE, text=None)
    made = [Record.from_plain(each) for each in records(session)]
    assert [(each.metric, str(each.outcome)) for each in made] == [
        ("llm_judge", "measured"),
        ("llm_judge", "error"),
    ]
