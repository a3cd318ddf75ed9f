"""Ids of tests: readable, unique, safe to type anywhere, and made of a row alone."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from _pytest.compat import ascii_escaped
from _pytest.mark.expression import Expression
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmeval import Case
from pytest_llmeval.data.case_ids import LONGEST, CaseIds, row_id
from pytest_llmeval.data.rows import Row
from pytest_llmeval.data.words.shapes import fields_of

TEXT = st.text(max_size=60) | st.sampled_from(
    ["What is it?", "what is it", "¿Qué es?", "何ですか", "a-b"]
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "query": TEXT,
            "response": TEXT,
            "ground_truth": TEXT,
            "messages": st.lists(
                st.fixed_dictionaries(
                    {"role": st.sampled_from(["user", "assistant"]), "content": TEXT}
                ),
                max_size=2,
            ),
            "context": st.lists(TEXT, max_size=2),
        },
    ),
    max_size=12,
)


def matching(name: str) -> Callable[..., bool]:
    return lambda word, **_: word == name


def ids_of(rows: list[dict[str, Any]], prefix: str = "") -> list[str]:
    ids = CaseIds()
    return [ids.of(row, prefix) for row in rows]


@given(ROWS, st.sampled_from(["", "shop"]))
def test_ids_are_unique_and_can_be_typed_anywhere(rows: list[dict[str, Any]], prefix: str) -> None:
    ids = ids_of(rows, prefix)
    assert len({*ids}) == len(rows)
    assert ids == ids_of(rows, prefix)
    for each in ids:
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", each)
        assert len(each) <= len("shop-") + LONGEST + len("-12345678-12")
        assert ascii_escaped(each) == each == shlex.quote(each)
        assert Expression.compile(each).evaluate(matching(each))


@given(ROWS, ROWS, st.data())
def test_ids_stay_when_other_rows_come_or_go(
    rows: list[dict[str, Any]], others: list[dict[str, Any]], data: st.DataObject
) -> None:
    known = {row_id(row) for row in rows}
    mixed = [(row, True) for row in rows]
    for other in others:
        if row_id(other) not in known:
            mixed.insert(data.draw(st.integers(0, len(mixed))), (other, False))
    ids = ids_of([row for row, _ in mixed])
    assert [each for each, (_, ours) in zip(ids, mixed, strict=True) if ours] == ids_of(rows)


@given(ROWS)
@settings(max_examples=30)
def test_ids_stay_when_a_repeat_is_put_behind(rows: list[dict[str, Any]]) -> None:
    assert ids_of([*rows, *rows])[: len(rows)] == ids_of(rows)


@given(TEXT, TEXT, TEXT)
@settings(max_examples=30)
def test_ids_stay_when_the_app_answers_anew(query: str, before: str, after: str) -> None:
    asked = {"id": None, "query": f"Q {query}", "ground_truth": "g"}
    answered = {**asked, "response": before, "context": [before], "metadata": {"run": 1}}
    assert row_id(answered) == row_id({**asked, "response": after, "context": None})


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ({"id": "c-1.a_B"}, "c-1.a_B"),
        ({"request_id": "r7", "request": "x"}, "r7"),
        ({"id": "my case::1 [x]"}, "my-case-1-x-________"),
        ({"id": "not"}, "not-________"),
        ({"id": "-x"}, "x-________"),
        ({"id": "案例"}, "____________"),
        ({"id": " ", "query": "Hm?"}, "hm-________"),
        ({"query": "Don't say: \"Größe\"!\n"}, "dont-say-grosse-________"),
        ({"question": "Is it 3.5 kg?"}, "is-it-3-5-kg-________"),
        ({"query": "どのテントが一番軽いですか"}, "____________"),
        ({"query": "Kann 我们 OK"}, "kann-ok-________"),
        ({"query": "How long is the warranty of the Alpine tent?"},
            "how-long-is-the-warranty-of-the-alpine-________"),
        ({"query": "x" * 100}, f"{'x' * LONGEST}-________"),
        (
            {
                "messages": [
                    {"role": "user", "content": "First?"},
                    {"role": "user", "content": "And then?"},
                    {"role": "assistant", "content": "This."},
                ]
            },
            "and-then-________",
        ),
        ({"request": {"messages": [{"role": "user", "content": "Tents?"}]}}, "tents-________"),
        ({"response": "Paris is in France.", "context": ["c"]}, "paris-is-in-france-________"),
        ({"inputs": {"question": "Who?"}, "outputs": "I.", "trace": {}}, "who-________"),
    ],
)  # fmt: skip
def test_an_id_is_in_the_words_of_what_is_asked(row: dict[str, Any], shown: str) -> None:
    pattern = re.sub("_{8,}", lambda digits: f"[0-9a-f]{{{len(digits[0])}}}", shown)
    name = row_id(fields_of(Row("q:1", row))[0])
    assert re.fullmatch(pattern, name), name


def test_an_id_is_the_same_in_the_words_of_every_tool() -> None:
    turns = [{"role": "user", "content": "Tents?"}, {"role": "assistant", "content": "Yes."}]
    talk = Case(messages=[{**turn, "context": ["c"]} for turn in turns], response="No.")
    for one, other in (
        ({"query": "a?", "ground_truth": "b"}, {"request": "a?", "expected_response": "b"}),
        ({"query": "a?"}, {"inputs": {"question": "a?"}, "outputs": "x", "trace": {}}),
        ({"messages": turns}, {name: getattr(talk, name) for name in talk.model_fields_set}),
    ):
        assert row_id(fields_of(Row("q:1", one))[0]) == row_id(fields_of(Row("q:1", other))[0])


def test_rows_that_differ_in_what_is_expected_or_in_a_mark_differ_in_their_digest() -> None:
    rows = [{"query": "Why?"}, {"query": "why"}, {"query": "Why?", "ground_truth": "So."}]
    ids = ids_of(rows)
    assert len({*ids}) == 3
    assert all(each.startswith("why-") and len(each) == 12 for each in ids)


def test_rows_that_ask_the_very_same_are_numbered() -> None:
    first, second, third = ids_of([{"query": "a", "response": text} for text in "xyz"])
    assert (second, third) == (f"{first}-2", f"{first}-3")
