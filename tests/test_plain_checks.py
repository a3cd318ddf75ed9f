"""Checks that need no text to compare with: exact match, patterns, JSON, documents, usage."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from awaited import GUARD
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from pytest_llmeval.data.cases import Case
from pytest_llmeval.errors import CaseError, EvalError, UsageError
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.results import Verdict
from pytest_llmeval.text.tokens import compared


def verdict(metric: str, options: Mapping[str, Any] | None = None, **fields: Any) -> Verdict:
    asked = CATALOGUE[metric].with_options(options or {})
    return asyncio.run(asked.verdict(Case.model_validate(fields), SimpleNamespace(wordnet=None)))


def exact(response: str, ground_truth: str, **options: Any) -> float | None:
    return verdict("exact_match", options, response=response, ground_truth=ground_truth).score


@pytest.mark.parametrize(
    ("response", "ground_truth", "options", "score"),
    [
        ("Paris", "Paris", {}, 1),
        ("Paris", "paris", {}, 0),
        ("Paris", "paris", {"ignore_case": True}, 1),
        ("Straße", "STRASSE", {"ignore_case": True}, 1),
        ("Paris ", "Paris", {}, 0),
        (" a\n b ", "a b", {"ignore_space": True}, 1),
        ("ab", "a b", {"ignore_space": True}, 0),
        ("e\u0301", "é", {}, 1),
        ("ﬁ", "fi", {}, 0),
    ],
)
def test_an_exact_match_is_of_characters_in_one_form(
    response: str, ground_truth: str, options: dict[str, bool], score: float
) -> None:
    assert exact(response, ground_truth, **options) == score


def test_a_mismatch_says_where_it_begins() -> None:
    found = verdict("exact_match", response="It is Paris", ground_truth="It is Rome")
    assert (
        found.reason == "after 6 characters the response has 'Paris', the ground truth has 'Rome'"
    )
    found = verdict("exact_match", response="It is", ground_truth="It is so")
    told = "after 5 characters the response ends, the ground truth has ' so' (first U+0020 SPACE)"
    assert found.reason == told


@pytest.mark.parametrize(
    ("response", "ground_truth", "told"),
    [
        ("Paris", "Paris ", "response ends, the ground truth has ' ' (first U+0020 SPACE)"),
        ("a b", "a  b", "response has 'b', the ground truth has ' b' (first U+0020 SPACE)"),
        (
            "a b",
            "a\tb",
            r"has ' b' (first U+0020 SPACE), the ground truth has '\tb' (first U+0009)",
        ),
        ("a b", "a\xa0b", r"the ground truth has '\xa0b' (first U+00A0 NO-BREAK SPACE)"),
        ("a", "а", "has 'a', the ground truth has 'а' (first U+0430 CYRILLIC SMALL LETTER A)"),
        ("ab", "a\u200bb", r"the ground truth has '\u200bb' (first U+200B ZERO WIDTH SPACE)"),
        ("x", "y" * 30, f"the ground truth has '{'y' * 20}'…"),
    ],
)
def test_characters_that_look_alike_or_like_nothing_are_told_apart(
    response: str, ground_truth: str, told: str
) -> None:
    assert told in verdict("exact_match", response=response, ground_truth=ground_truth).reason


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_mismatch_never_shows_the_same_twice(one: str, other: str) -> None:
    if not (Case(response=one).has("response") and Case(response=other).has("response")):
        return
    found = verdict("exact_match", response=one, ground_truth=other)
    if found.score == 0:
        here, there = found.reason.partition("the response ")[2].split(", the ground truth ")[:2]
        assert here != there


@given(st.text(min_size=1), st.text(min_size=1))
def test_an_exact_match_is_the_same_both_ways(one: str, other: str) -> None:
    if Case(response=one).has("response") and Case(response=other).has("response"):
        assert exact(one, one) == 1
        assert exact(one, other) == exact(other, one)


@pytest.mark.parametrize(
    ("pattern", "where", "score", "reason"),
    [
        (r"\d+ kg", "search", 1, r"the response matches \d+ kg"),
        (r"\d+ g\b", "search", 0, r"nothing in the response matches \d+ g\b"),
        (r"\d+ kg", "fullmatch", 0, r"only a part of the response matches \d+ kg"),
        (r"It.*\.", "fullmatch", 1, r"the whole response matches It.*\."),
        (r"It|It weighs 2 kg\.", "fullmatch", 1, r"the whole response matches It|It weighs 2 kg\."),
        ("(?i)IT WEIGHS", "search", 1, "the response matches (?i)IT WEIGHS"),
    ],
)
def test_a_pattern_is_searched_for_or_has_to_match_all(
    pattern: str, where: str, score: float, reason: str
) -> None:
    options = {"pattern": pattern, "where": where}
    found = verdict("regex", options, response="It weighs 2 kg.")
    assert (found.score, found.reason) == (score, reason)


def test_what_matched_is_the_evidence() -> None:
    found = verdict("regex", {"pattern": r"\d+ kg"}, response="It weighs 2 kg.")
    assert [(each.kind, each.text, each.why) for each in found.evidence] == [
        ("matched", "2 kg", "from character 10")
    ]


class Part(BaseModel):
    name: str
    price: float = Field(gt=0)


class Order(BaseModel):
    parts: list[Part]


SCHEMA = {
    "type": "object",
    "required": ["parts"],
    "properties": {
        "parts": {
            "items": {
                "required": ["name", "price"],
                "properties": {"name": {"type": "string"}, "price": {"exclusiveMinimum": 0}},
            }
        }
    },
}


@pytest.mark.parametrize("schema", [Order, SCHEMA], ids=["model", "mapping"])
@pytest.mark.parametrize(
    ("response", "score", "path"),
    [
        ({"parts": []}, 1, None),
        ({"parts": [{"name": "tent", "price": 5}]}, 1, None),
        (
            {"parts": [{"name": "tent", "price": 5}, {"name": "bag", "price": -1}]},
            0,
            "$.parts[1].price",
        ),
        ({"parts": [{"name": 5, "price": 5}]}, 0, "$.parts[0].name"),
        ([], 0, "$"),
    ],
)
def test_json_is_held_to_a_schema_and_told_where_it_is_off(
    schema: Any, response: object, score: float, path: str | None
) -> None:
    found = verdict("json_schema", {"schema": schema}, response=json.dumps(response))
    assert found.score == score
    assert [each.text for each in found.evidence] == ([path] if path else [])
    assert path is None or found.reason.startswith(f"at {path}: ")


class Stock(BaseModel):
    pieces: int
    price: float = 0.0


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ('{"pieces": 3, "price": 2}', 1),
        ('{"pieces": "3"}', 0),
        ('{"pieces": true}', 0),
        ('{"pieces": 3.0}', 0),
        ('{"pieces": 3, "price": "2.5"}', 0),
    ],
)
def test_a_model_takes_no_text_or_flag_for_a_number(response: str, score: float) -> None:
    assert verdict("json_schema", {"schema": Stock}, response=response).score == score


class Shipped(BaseModel):
    day: date
    price: Decimal
    sizes: tuple[int, ...]


def test_a_strict_model_reads_what_json_has_no_values_for_from_text() -> None:
    said = '{"day": "2026-05-01", "price": 1.5, "sizes": [1, 2]}'
    assert verdict("json_schema", {"schema": Shipped}, response=said).score == 1


@pytest.mark.parametrize("schema", [Stock, {}], ids=["model", "mapping"])
@pytest.mark.parametrize(
    "response", ['{"pieces": 3, "pieces": 4}', '{"pieces": 3, "pieces": 3}', '[{"a": 1, "a": 2}]']
)
def test_a_name_that_one_object_gives_twice_is_no_json(schema: Any, response: str) -> None:
    found = verdict("json_schema", {"schema": schema}, response=response)
    assert found.score == 0
    assert "is given twice in one object" in found.reason


ALWAYS = ("", "a*", "$", r"\Z", "(?:a|b|)", "(?!.*sorry)", "(?s).*", "x?", r"\B|\b")


@pytest.mark.parametrize("pattern", ALWAYS)
def test_a_search_that_every_text_would_pass_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="is found in every text"):
        verdict("regex", {"pattern": pattern}, response="It is sorry.")


@pytest.mark.parametrize(
    ("pattern", "where", "score"),
    [
        ("^(?!.*sorry)", "search", 0),
        ("^(?!.*glad)", "search", 1),
        (r"(?<!sorry\.)\Z", "search", 0),
        (r"^\s*$", "search", 0),
        (r"\bis\b|\b$", "search", 1),
        ("a+", "search", 0),
        (".*", "fullmatch", 1),
    ],
)
def test_a_pattern_that_some_text_fails_may_match_nothing_at_a_place(
    pattern: str, where: str, score: float
) -> None:
    options = {"pattern": pattern, "where": where}
    assert verdict("regex", options, response="It is sorry.").score == score


@given(st.text(min_size=1))
def test_what_is_refused_for_always_being_found_always_is(text: str) -> None:
    assert all(re.search(pattern, text) for pattern in ALWAYS)


def test_long_texts_are_measured_beside_the_loop_and_score_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said, expected = "a b c " * 400, "a c b " * 400
    turned = threading.Event()

    def once_the_loop_turned(*texts: str) -> Any:
        assert turned.wait(GUARD), "the loop stands still"
        return compared(*texts)

    async def measured() -> float | None:
        metric = CATALOGUE["rouge"]
        case = Case(response=said, ground_truth=expected)
        monkeypatch.setattr("pytest_llmeval.metrics.rouge.compared", once_the_loop_turned)
        work = asyncio.ensure_future(metric.verdict(case, SimpleNamespace(wordnet=None)))
        await asyncio.sleep(0)
        turned.set()
        return (await work).score

    score = asyncio.run(measured())
    assert score == pytest.approx(verdict("rouge", response=said, ground_truth=expected).score)
    assert 0.6 < (score or 0) < 1


def test_every_fault_is_told() -> None:
    parts = {"parts": [{"name": 5, "price": 5}, {"name": "a", "price": 0}]}
    found = verdict("json_schema", {"schema": SCHEMA}, response=json.dumps(parts))
    assert [each.text for each in found.evidence] == ["$.parts[0].name", "$.parts[1].price"]
    assert found.reason.endswith("(and 1 more)")


@pytest.mark.parametrize(
    "response",
    [
        '```json\n{"parts": []}\n```',
        'Here it is: {"parts": []}',
        '{"parts": [],}',
        "{'parts': []}",
        '{"parts": NaN}',
        '{"parts": -Infinity}',
        '{"parts": []} {"parts": []}',
        "no",
        '\ufeff{"parts": []}',
        "[" * 200_000,
        '{"parts": "\ud800',
    ],
)
@pytest.mark.parametrize("schema", [Order, {}], ids=["model", "mapping"])
def test_what_is_no_json_fails(schema: Any, response: str) -> None:
    found = verdict("json_schema", {"schema": schema}, response=response)
    assert found.score == 0
    assert "JSON" in found.reason


@pytest.mark.parametrize(
    ("metric", "options", "told"),
    [
        ("regex", {}, "regex needs the option pattern="),
        ("regex", {"pattern": "(a"}, "pattern: no regular expression: missing"),
        ("regex", {"pattern": 5}, "pattern: Input should be a valid string; got 5"),
        ("regex", {"pattern": None}, "pattern: Input should be a valid string; got None"),
        ("regex", {"pattern": "a", "where": "match"}, "where is one of 'search', 'fullmatch'"),
        ("json_schema", {}, "json_schema needs the option schema="),
        ("json_schema", {"schema": {"type": "objekt"}}, "schema: no JSON Schema: at $.type"),
        ("json_schema", {"schema": "{}"}, "schema: "),
        ("json_schema", {"schema": int}, "schema: "),
        ("exact_match", {"ignore_case": "yes"}, "ignore_case: Input should be a valid boolean"),
        ("exact_match", {"ignore_cases": True}, "did you mean 'ignore_case'?"),
    ],
)
def test_an_option_that_cannot_be_is_refused_before_anything_is_asked(
    metric: str, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError) as refused:
        CATALOGUE[metric].with_options(options)
    assert told in str(refused.value)


def test_a_schema_that_leads_nowhere_is_wrong_use_and_nothing_is_fetched() -> None:
    for reference in ("#/$defs/none", "https://example.invalid/schema.json"):
        with pytest.raises(UsageError, match="a reference leads nowhere"):
            verdict("json_schema", {"schema": {"$ref": reference}}, response="{}")


def test_a_schema_that_never_ends_is_an_error_and_no_failure() -> None:
    with pytest.raises(EvalError, match="refers to itself without end"):
        verdict("json_schema", {"schema": {"$ref": "#"}}, response="{}")


def test_without_jsonschema_a_mapping_is_refused_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema.exceptions", None)
    with pytest.raises(UsageError, match=r"pip install pytest-llm-evaluation\[json-schema\]"):
        CATALOGUE["json_schema"].with_options({"schema": {}})
    options = {"schema": Order}
    assert verdict("json_schema", options, response='{"parts": []}').score == 1


FOUND = [{"content": "a", "id": "1"}, {"content": "b", "id": "1"}, {"content": "c", "id": "2"}]


@pytest.mark.parametrize(
    ("expected", "context", "recall", "precision"),
    [
        (["1"], FOUND, 1, 1 / 2),
        (["1", "2"], FOUND, 1, 1),
        (["1", "1", "3"], FOUND, 1 / 2, 1 / 2),
        (["3", " 1", "1.0"], FOUND, 0, 0),
        (["1"], [*FOUND, {"content": "d"}, {"content": "e"}], 1, 1 / 4),
        (["1"], ["text without an id"], 0, 0),
    ],
)
def test_documents_are_compared_by_id_and_count_once(
    expected: list[str], context: Any, recall: float, precision: float
) -> None:
    fields = {"expected_context": expected, "context": context}
    assert verdict("document_recall", **fields).score == pytest.approx(recall)
    assert verdict("document_precision", **fields).score == pytest.approx(precision)


def test_the_evidence_is_what_was_not_found_and_what_was_not_expected() -> None:
    fields: dict[str, Any] = {"expected_context": ["1", "3"], "context": [*FOUND, "no id"]}
    recall = verdict("document_recall", **fields)
    assert recall.reason == "1 of 2 expected documents were found"
    assert [each.text for each in recall.evidence] == ["3"]
    precision = verdict("document_precision", **fields)
    assert precision.reason == "1 of 3 found documents are expected"
    assert [each.text for each in precision.evidence] == ["2", "document 4, which has no id"]


def test_documents_that_all_lack_an_id_are_said() -> None:
    found = verdict("document_recall", expected_context=["1"], context="some text")
    assert found.reason.endswith("; none found has an id")


@given(
    st.lists(st.sampled_from("abcde"), min_size=1), st.lists(st.sampled_from("abcde"), min_size=1)
)
def test_recall_one_way_is_precision_the_other(expected: list[str], found: list[str]) -> None:
    recall = verdict(
        "document_recall",
        expected_context=expected,
        context=[{"content": "x", "id": each} for each in found],
    )
    precision = verdict(
        "document_precision",
        expected_context=found,
        context=[{"content": "x", "id": each} for each in expected],
    )
    assert recall.score == pytest.approx(precision.score)


MEASURED = {"seconds": 1.5, "input_tokens": 100, "output_tokens": 20}


@pytest.mark.parametrize(
    ("metric", "score", "lacking"),
    [
        ("total_token_count", 120, "output_tokens"),
        ("total_input_token_count", 100, "input_tokens"),
        ("total_output_token_count", 20, "output_tokens"),
        ("latency_seconds", 1.5, "seconds"),
    ],
)
def test_what_the_answer_took_is_told_and_what_was_not_measured_is_an_error(
    metric: str, score: float, lacking: str
) -> None:
    assert verdict(metric, measured=MEASURED).score == score
    rest = {name: value for name, value in MEASURED.items() if name != lacking}
    missing = f"{metric} needs measured.{lacking}, which is missing in case 'q1'"
    with pytest.raises(CaseError, match=missing):
        verdict(metric, measured=rest, id="q1")
    with pytest.raises(
        CaseError, match=rf"{metric} needs measured\.\w+, which is missing in the case"
    ):
        verdict(metric, response="It sleeps two.")


def test_nothing_taken_is_zero_and_not_unknown() -> None:
    measured = {"seconds": 0, "input_tokens": 0, "output_tokens": 0}
    assert verdict("total_token_count", measured=measured).score == 0
    assert verdict("latency_seconds", measured=measured).score == 0
