"""Results: thresholds, outcomes, and records that cross processes as plain JSON."""

from __future__ import annotations

import json
import math
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import JudgeUnavailable, UsageError
from pytest_llmeval.records.plain import plain
from pytest_llmeval.records.record import Record
from pytest_llmeval.results import Evidence, Outcome, Result, Usage, total
from pytest_llmeval.scales import ONE_TO_FIVE, YES_NO, Scale, Threshold


def made(**fields: object) -> Result:
    return Result("groundedness", Outcome.PASSED, ONE_TO_FIVE, Threshold("at_least", 4), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bound", "score", "holds"),
    [
        ("at_least", 4, True),
        ("at_least", 3, False),
        ("at_most", 4, True),
        ("at_most", 5, False),
    ],
)
def test_a_score_equal_to_the_threshold_passes(bound: str, score: float, holds: bool) -> None:
    assert Threshold(bound, 4).holds(score) is holds  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 5.5, math.nan, math.inf, -1])
def test_a_threshold_off_the_scale_is_refused(value: float) -> None:
    with pytest.raises(UsageError, match="off the scale, which runs from 1 to 5"):
        Threshold("at_least", value).on(ONE_TO_FIVE, "groundedness")


@pytest.mark.parametrize(
    ("rule", "scale"),
    [
        (Threshold("at_least", 1), ONE_TO_FIVE),
        (Threshold("at_most", 5), ONE_TO_FIVE),
        (Threshold("at_least", 0), YES_NO),
        (Threshold("at_most", 1), YES_NO),
    ],
)
def test_a_threshold_that_every_value_of_the_scale_passes_is_refused(
    rule: Threshold, scale: Scale
) -> None:
    with pytest.raises(UsageError, match="so nothing could fail"):
        rule.on(scale, "groundedness")


@given(st.sampled_from(["at_least", "at_most"]), st.integers(1, 5))
def test_a_threshold_on_the_scale_is_one_that_some_value_fails_and_some_passes(
    bound: Literal["at_least", "at_most"], value: int
) -> None:
    rule = Threshold(bound, value)
    telling = {rule.holds(score) for score in range(1, 6)} == {True, False}
    try:
        assert rule.on(ONE_TO_FIVE, "groundedness") == rule
    except UsageError:
        assert not telling
    else:
        assert telling


@pytest.mark.parametrize("score", [0, 6, 4.5, math.nan, math.inf, -math.inf])
def test_a_score_off_the_scale_is_not_held_by_it(score: float) -> None:
    assert not ONE_TO_FIVE.holds(score)


def test_a_scale_of_words_names_its_values() -> None:
    assert [YES_NO.label_of(score) for score in (0.0, 1.0, 0.5)] == ["no", "yes", None]
    assert (YES_NO.show(1.0), ONE_TO_FIVE.show(4.0)) == ("yes", "4")


def test_passed_raises_the_error_where_there_is_one() -> None:
    result = made(error=JudgeUnavailable("timed out"))
    with pytest.raises(JudgeUnavailable, match="timed out"):
        _ = result.passed


def test_a_result_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match=r"ask its \.passed"):
        bool(made())


@pytest.mark.parametrize(
    ("usage", "stored"),
    [
        (Usage(), False),
        (Usage(stored=2), True),
        (Usage(asked=1, stored=1), False),
        (Usage(asked=1), False),
    ],
)
def test_a_result_is_stored_when_every_answer_was(usage: Usage, stored: bool) -> None:
    assert made(usage=usage).stored is stored


def test_unknown_is_not_zero() -> None:
    assert total([1, 2]) == 3
    assert total([1, None]) is None
    assert made(usage=Usage(input_tokens=None, cost=None)).tokens is None
    assert made(usage=Usage(input_tokens=3, output_tokens=4)).tokens == 7


class Odd(float):
    """A float that a worker could not send."""


texts = st.text(st.characters(exclude_categories=()), max_size=20)


@given(texts, texts, st.none() | st.floats(1, 5), st.none() | st.floats(0, 9), texts)
def test_a_record_comes_back_equal_from_plain_json(
    reason: str, quote: str, score: float | None, cost: float | None, name: str
) -> None:
    result = made(
        graded=None if score is None else Odd(score),
        reason=reason,
        evidence=(Evidence("ungrounded", quote, reason),),
        error=JudgeUnavailable(reason),
        judge=name,
        usage=Usage(asked=1, cost=cost),
        case_id=name,
    )
    values = plain(Record.of(result, "test_x.py::test"))
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    json.dumps(values, ensure_ascii=False).encode()
    assert type(values["score"]) in (float, type(None))
    assert plain(Record.from_plain(values)) == values


def test_a_record_keeps_what_the_result_said() -> None:
    result = made(graded=4, reason="r", judge="m", is_llm=False, case_id="c")
    record = Record.of(result, "t")
    assert (record.metric, record.outcome, record.score) == ("groundedness", Outcome.PASSED, 4.0)
    assert (record.bound, record.threshold, record.reason) == ("at_least", 4.0, "r")
    assert (record.judge, record.is_llm, record.case_id, record.nodeid) == ("m", False, "c", "t")
    assert (record.error, record.message) == (None, "")


@given(st.lists(st.integers(0, 10**6), max_size=8))
def test_what_is_added_up_is_as_short_as_what_it_is_made_of(parts: list[int]) -> None:
    assert total([part / 10**6 for part in parts]) == sum(parts) / 10**6
    assert total([8.999999999999999e-05]) == 9e-05
    assert isinstance(total(parts), int)
