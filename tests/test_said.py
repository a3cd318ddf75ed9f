"""What a judge said, kept in plain types whatever it came as."""

from __future__ import annotations

import json
from dataclasses import asdict
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import EvalError, JudgeRefused
from pytest_llmeval.judges.base import BaseJudge, Line, Message, Question, Said
from pytest_llmeval.judges.engine import Engine
from pytest_llmeval.judges.heard import answer_of, revived
from pytest_llmeval.judges.reply import Rating, Reply
from pytest_llmeval.judges.store import Store


class Grade(Reply):
    score: Rating


PROMPT: tuple[Message, ...] = (("user", "Well?"),)
QUESTION = Question("grade", PROMPT, Grade)


class Number:
    """A number of some other library."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __float__(self) -> float:
        return float(self.value)


class Text(str):
    """Text of some other library."""


class Scripted(BaseJudge):
    """Says what it is given, or raises it; ``heard`` holds the messages it got."""

    name = "scripted"

    def __init__(self, *script: object) -> None:
        self.script = [*script]
        self.heard: list[tuple[Message, ...]] = []

    def connect(self, timeout: float, notice: Any) -> Line:
        return self

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        self.heard.append(messages)
        said = self.script.pop(0)
        if isinstance(said, Exception):
            raise said
        return said  # type: ignore[return-value]

    async def close(self) -> None:
        """Nothing to give up."""


def asked(judge: BaseJudge, tmp_path: Any) -> Any:
    engine = Engine(Store(tmp_path), "off", 60, pytest.fail)
    try:
        return engine.submit(engine.ask(judge, QUESTION)).result(60)
    finally:
        engine.close()


def test_numbers_of_other_libraries_become_plain_ones() -> None:
    said = Said(
        Text("hi"),
        resolved_model=Text("m"),
        input_tokens=Number(5),  # type: ignore[arg-type]
        output_tokens=7.0,  # type: ignore[arg-type]
        cost=Decimal("0.5"),  # type: ignore[arg-type]
        seconds=Number(2),  # type: ignore[arg-type]
    )
    values = (said.text, said.resolved_model, said.input_tokens, said.output_tokens)
    assert [type(each) for each in values] == [str, str, int, int]
    assert (said.input_tokens, said.output_tokens, said.cost, said.seconds) == (5, 7, 0.5, 2.0)
    assert (type(said.cost), type(said.seconds)) == (float, float)


ODD = st.one_of(
    st.floats(), st.text(), st.integers(), st.binary(), st.lists(st.integers()), st.booleans()
)


@given(ODD, ODD, ODD, st.text())
def test_whatever_the_figures_are_they_are_json_and_no_verdict_is_lost(
    tokens: Any, cost: Any, model: Any, text: str
) -> None:
    said = Said(text, "end", model, tokens, tokens, cost, cost)
    json.dumps(asdict(said), allow_nan=False, ensure_ascii=False).encode()
    for count in (said.input_tokens, said.output_tokens):
        assert count is None or (type(count) is int and count >= 0)
    assert said.cost is None or said.cost >= 0


@pytest.mark.parametrize("figure", [float("nan"), float("inf"), -1, "5", True, [5], 10**400, 1.5])
def test_a_figure_that_is_no_count_is_unknown(figure: Any) -> None:
    assert Said("x", input_tokens=figure).input_tokens is None


@pytest.mark.parametrize(("text", "stop"), [(b"x", "end"), (None, "end"), ("x", "done")])
def test_text_that_is_none_and_an_unknown_stop_are_refused(text: Any, stop: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="Said"):
        Said(text, stop)


def test_pairs_of_surrogates_are_joined_and_lone_ones_replaced() -> None:
    assert Said("\ud83d\ude00 \ud83d").text == "\U0001f600 \ufffd"


ASKED = {"task": QUESTION.task, "messages": [list(message) for message in QUESTION.messages]}


@pytest.mark.parametrize("model", [["m"], {}, 5])
def test_an_entry_with_a_name_that_is_no_text_is_read_without_it(model: object) -> None:
    figures = {"input_tokens": 1, "output_tokens": 2, "cost": None, "seconds": 1.0}
    entry = {**ASKED, "said": '{"score": 4}', "resolved_model": model, **figures}
    answer = revived("k", entry, QUESTION)
    assert answer is not None
    assert (answer.reply.score, answer.resolved_model, answer.input_tokens) == (4, None, 1)


def test_what_is_stored_is_what_was_heard() -> None:
    said = Said('{"score": 4} \ud83d', "end", "m\x1b", 1, 2, 0.5, 3.0)
    first = answer_of("k", [said], QUESTION)
    figures = {"input_tokens": 1, "output_tokens": 2, "cost": 0.5, "seconds": 3.0}
    entry = {**ASKED, "said": first.said, "resolved_model": "m\x1b", **figures}
    again = revived("k", entry, QUESTION)
    assert again is not None
    assert asdict(again) == {**asdict(first), "asked": False}


def test_a_refusal_is_shown_cut_and_printable(tmp_path: Any) -> None:
    text = "I won't \ud83d \x1b[31m" + "because " * 10_000
    with pytest.raises(JudgeRefused) as caught:
        asked(Scripted(Said(text, "refused")), tmp_path)
    told = str(caught.value)
    assert len(told) < 400
    assert "\x1b" not in told
    told.encode()


def test_what_a_judge_raises_is_shown_cut_and_printable(tmp_path: Any) -> None:
    with pytest.raises(EvalError) as caught:
        asked(Scripted(RuntimeError("\ud83d \x1b[31m" + "no " * 10_000)), tmp_path)
    told = str(caught.value)
    assert len(told) < 400
    assert "\x1b" not in told
    told.encode()


def test_a_second_request_can_be_sent_whatever_the_first_reply_held(tmp_path: Any) -> None:
    judge = Scripted(Said("\ud83d oh"), Said('{"score": 4}'))
    assert asked(judge, tmp_path).reply.score == 4
    json.dumps(judge.heard[1], ensure_ascii=False).encode()
    assert judge.heard[1][1] == ("assistant", "\ufffd oh")
