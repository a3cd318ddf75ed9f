"""The typed answers: what they take, what they refuse, and the schema that says so."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_llmeval.errors import UsageError
from pytest_llmeval.judges.reply import (
    WORD,
    Rating,
    Reason,
    Reply,
    YesNo,
    integer_between,
    number_between,
)


class Rated(Reply):
    reason: Reason
    score: Rating


class Checked(Reply):
    reason: Reason
    verdict: YesNo


class Other(Reply):
    level: Annotated[int, integer_between(-1, 3)] = 0
    share: Annotated[float, number_between(0, 1)] = 0.0
    percent: Annotated[int, integer_between(0, 100)] = 0
    severity: Annotated[Literal["low", "high"], WORD] = "low"
    weight: float = 0.0


@pytest.mark.parametrize("value", [4, 4.0, "4", " 4 ", "4.0", "4.00"])
def test_four_is_four_however_it_is_written(value: object) -> None:
    score = Rated.model_validate({"score": value}).score
    assert score == 4
    assert type(score) is int


@pytest.mark.parametrize(
    "value",
    [
        *[True, False, None, [4], {"score": 4}, 0, 6, -1, 42, 4.5, 10**400],
        *["4/5", "four", "", "4.", "+4", "4e0", "0x4", "４", "nan", "inf", "4,0", "1_0"],
        *[float("nan"), float("inf"), float("-inf"), 5.000001, "9" * 5000],
    ],
)
def test_what_is_no_rating_is_refused_and_nothing_is_clamped(value: object) -> None:
    with pytest.raises(ValidationError, match="allowed are 1, 2, 3, 4, 5"):
        Rated.model_validate({"score": value})


@given(st.one_of(st.integers(), st.floats(), st.text(), st.booleans(), st.none()))
def test_a_rating_that_is_taken_is_the_value_that_was_given(value: Any) -> None:
    try:
        score = Rated.model_validate({"score": value}).score
    except ValidationError:
        return
    assert score in (1, 2, 3, 4, 5)
    assert score == float(value)


@pytest.mark.parametrize("value", ["yes", "Yes", " YES\n", "yes.", "Yes. "])
def test_yes_is_yes_in_any_case_and_with_a_full_stop(value: str) -> None:
    assert Checked.model_validate({"verdict": value}).verdict == "yes"


@pytest.mark.parametrize(
    "value", [True, 1, None, "", "y", "true", "yes!", "yes..", "yes, no", "not", ["yes"], "yeſ"]
)
def test_anything_but_yes_and_no_is_refused(value: object) -> None:
    with pytest.raises(ValidationError):
        Checked.model_validate({"verdict": value})


class Levelled(Reply):
    level: Annotated[Literal["very low", "low", "high"], WORD]
    kind: Annotated[Literal["co-op", "coop", "n/a"], WORD] = "n/a"


@pytest.mark.parametrize(
    ("written", "level"),
    [
        *[(each, "very low") for each in ("very_low", "very-low", "VeryLow", "very  low")],
        *[(each, "high") for each in ("**high**", "'high'", "`High`.", "“high”", "_high_")],
    ],
)
def test_a_word_is_read_in_whatever_writing(written: str, level: str) -> None:
    assert Levelled.model_validate({"level": written}).level == level


@pytest.mark.parametrize(
    "written", ["low?", "~~low~~", "not low", "low-high", "low, high", "verylower", "", "**", "1"]
)
def test_a_word_with_more_than_marks_about_it_is_refused(written: str) -> None:
    with pytest.raises(ValidationError):
        Levelled.model_validate({"level": written})


def test_words_that_differ_in_their_marks_alone_are_told_apart() -> None:
    for kind in ("co-op", "coop"):
        assert Levelled.model_validate({"level": "low", "kind": kind.upper()}).kind == kind
    with pytest.raises(ValidationError):
        Levelled.model_validate({"level": "low", "kind": "c-oop"})


def test_the_schemas_name_the_allowed_values() -> None:
    rating = Rated.model_json_schema()["properties"]["score"]
    assert rating.pop("title") == "Score"
    assert rating == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert Checked.model_json_schema()["properties"]["verdict"]["enum"] == ["yes", "no"]
    other = Other.model_json_schema()["properties"]
    assert other["level"]["enum"] == [-1, 0, 1, 2, 3]
    assert (other["share"]["minimum"], other["share"]["maximum"]) == (0, 1)
    assert (other["percent"]["minimum"], other["percent"]["maximum"]) == (0, 100)
    assert other["severity"]["enum"] == ["low", "high"]


def test_reason_and_score_are_both_required_by_the_schema() -> None:
    assert Rated.model_json_schema()["required"] == ["reason", "score"]


def test_other_scales_hold_their_own_values() -> None:
    values = {"level": "-1", "share": "0.25", "percent": 100.0, "severity": "High"}
    made = Other.model_validate(values)
    assert (made.level, made.share, made.percent, made.severity) == (-1, 0.25, 100, "high")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("level", 4, "allowed are -1, 0, 1, 2, 3"),
        ("share", 1.01, "allowed are numbers from 0 to 1"),
        ("share", float("nan"), "allowed are numbers from 0 to 1"),
        ("share", True, "allowed are numbers from 0 to 1"),
        ("percent", 50.5, "allowed are whole numbers from 0 to 100"),
        ("severity", "medium", "'low' or 'high'"),
        ("weight", float("inf"), "finite"),
        ("weight", "nan", "finite"),
    ],
)
def test_other_scales_refuse_the_rest(name: str, value: object, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Other.model_validate({name: value})


@pytest.mark.parametrize(("lowest", "highest"), [(5, 1), (1, 1), (0, float("inf"))])
def test_a_scale_that_is_none_is_refused_when_it_is_made(lowest: float, highest: float) -> None:
    with pytest.raises(UsageError, match="lowest first"):
        number_between(lowest, highest)


@pytest.mark.parametrize(
    "given", [{}, {"reason": None}, {"reason": " \n"}, {"reason": "\u200b \u200b"}]
)
def test_where_there_is_no_reason_it_says_so(given: dict[str, Any]) -> None:
    assert Rated.model_validate({"score": 3, **given}).reason == "no reason given"


@pytest.mark.parametrize("reason", [{"why": "x"}, ["x"], 3, True])
def test_a_reason_that_is_no_text_is_refused(reason: object) -> None:
    with pytest.raises(ValidationError, match="valid string"):
        Rated.model_validate({"score": 3, "reason": reason})


def test_a_lone_surrogate_in_a_reason_costs_no_verdict() -> None:
    assert Rated.model_validate({"score": 3, "reason": "a\ud83d"}).reason == "a\ufffd"


def test_a_reply_cannot_be_changed() -> None:
    reply = Rated.model_validate({"score": 3, "else": 1})
    with pytest.raises(ValidationError, match="frozen"):
        reply.score = 5
