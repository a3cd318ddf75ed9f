"""Several files and patterns, and the cases of them that are meant."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import Case, load_cases
from pytest_llmeval.data import datasets
from pytest_llmeval.data.case_ids import row_id, unmistakable
from pytest_llmeval.data.sources import _prefix
from pytest_llmeval.errors import CaseError, EvalError, UsageError

ROWS: list[dict[str, Any]] = [
    {"id": "a", "query": "one", "metadata": {"topic": "tents", "tags": ["x", "y"], "level": 1}},
    {"id": "b", "query": "two", "metadata": {"topic": "returns", "deep": {"er": True}}},
    {"id": "c", "query": "three", "ground_truth": "3", "metadata": {"topic": "tents", "level": 2}},
    {"id": "d", "query": "four", "expected_facts": ["f", "g"]},
]


def written(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "q.jsonl", ROWS)
    return tmp_path


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("select", "chosen"),
    [
        (lambda case: case.has("ground_truth"), "c"),
        ({"topic": "tents"}, "ac"),
        ({"metadata.topic": ["returns", "tents"]}, "abc"),
        ({"topic": "tents", "level": {2, 3}}, "c"),
        ({"level": range(2)}, "a"),
        ({"tags": "y"}, "a"),
        ({"tags": ["z", "x"]}, "a"),
        ({"metadata.deep.er": True}, "b"),
        ({"deep.er": True}, "b"),
        ({"topic": None}, "d"),
        ({"level": True}, ""),
        ({"level": 1.0}, "a"),
        ({"deep.er": 1}, ""),
        ({"ground_truth": [None, "3"], "topic": "tents"}, "ac"),
        ({"expected_facts": "g"}, "d"),
        ({"id": ["d", "b"]}, "bd"),
        ({"question": "two"}, "b"),
        ({}, "abcd"),
    ],
)
def test_select_means_cases_by_what_they_are(select: Any, chosen: str) -> None:
    if chosen:
        assert "".join(load_cases("q.jsonl", select=select).ids) == chosen
    else:
        with pytest.raises(UsageError, match="selects none of 4 cases"):
            load_cases("q.jsonl", select=select)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"select": "tents"}, "select is a function of a case, or maps names .* got 'tents'"),
        ({"select": {1: 2}}, "select is a function of a case"),
        ({"select": {"topik": "tents"}}, "none of 4 cases has 'topik': did you mean 'topic'"),
        ({"select": {"topik": None}}, "none of 4 cases has 'topik': did you mean 'topic'"),
        ({"select": {"metadata.nope": [None, 1]}}, "none of 4 cases has 'metadata.nope'"),
        ({"select": {"nope": None}, "limit": 1}, "none of 4 cases has 'nope'"),
        ({"fields": "query"}, "fields maps names in the file to ours, as in"),
        ({"fields": {"x": "qery"}}, "fields: 'x' can't be 'qery': did you mean 'query'"),
        ({"fields": {1: "query"}}, "fields: a name in the file is text; got 1"),
        ({"fields": {"qery": "query"}}, "fields: no row has 'qery': did you mean 'query'"),
        ({"fields": {"metadata.topik": "query"}, "limit": 1}, "fields: no row has 'metadata.t"),
        ({"select": {"trace": "x"}}, "select: none of 4 cases has 'trace'$"),
        (
            {"select": {"topic": "tent"}},
            "selects none of 4 cases; 'topic' is 'tents', 'returns'$",
        ),
        ({"select": lambda case: False}, "select selects none of 4 cases"),
        (
            {"select": lambda case: case.metadata["topic"]},
            "select raised TypeError: .* for the case at .*q.jsonl:4",
        ),
        ({"limit": 0}, "limit is how many cases, 1 or more; got 0"),
        ({"limit": True}, "limit is how many cases"),
        ({"limit": "3"}, "limit is how many cases"),
        ({"sample": 10}, "sample is .how many, seed., as in .50, 7.; got 10"),
        ({"sample": (0, 1)}, "sample is"),
        ({"sample": (1, 2, 3)}, "sample is"),
        ({"sample": (2, "seed")}, "sample is"),
    ],
)
def test_a_selection_that_cannot_be_is_refused_by_name(arguments: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        load_cases("q.jsonl", **arguments)


def test_a_coroutine_function_selects_nothing_for_sure(here: Path) -> None:
    async def select(case: Case) -> bool:
        return True

    with pytest.raises(UsageError, match="select is a plain function"):
        load_cases(here / "q.jsonl", select=select)


def test_a_sample_is_of_the_seed_and_keeps_to_its_cases_as_rows_come_and_move(
    tmp_path: Path,
) -> None:
    rows = [{"query": f"question {n}"} for n in range(60)]
    file = written(tmp_path / "q.jsonl", rows)
    drawn = load_cases(file, sample=(20, 7))
    assert len(drawn) == 20
    assert drawn.ids == load_cases(file, sample=(20, 7)).ids
    assert {*drawn.ids} != {*load_cases(file, sample=(20, 8)).ids}
    order = load_cases(file).ids
    assert sorted(drawn.ids, key=order.index) == [*drawn.ids]
    assert load_cases(file, sample=(100, 7)).ids == order
    assert load_cases(file, sample=(20, 7), limit=3).ids == drawn.ids[:3]
    written(file, rows[::-1])
    assert load_cases(file, sample=(20, 7)).ids == drawn.ids[::-1]
    written(file, [*rows, {"query": "one more"}])
    assert len({*load_cases(file, sample=(20, 7)).ids} & {*drawn.ids}) >= 19


def test_limit_reads_no_row_after_the_last_that_is_meant(here: Path) -> None:
    file = written(here / "q.jsonl", ROWS[:3])
    file.write_text(file.read_text() + "{broken\n")
    assert load_cases("q.jsonl", limit=2).ids == ("a", "b")
    assert load_cases("q.jsonl", select={"topic": "tents"}, limit=2).ids == ("a", "c")
    with pytest.raises(CaseError, match="q.jsonl:4"):
        load_cases("q.jsonl")


def test_files_and_patterns_are_read_in_an_order_that_holds(here: Path) -> None:
    for name in ("de/q", "de/r", "en/q", "en/b"):
        written(here / f"{name}.jsonl", [{"id": "1"}])
    assert load_cases("q.jsonl").ids == ("a", "b", "c", "d")
    both = load_cases("en/q.jsonl", "de/q.jsonl")
    assert both.ids == ("en--q--1", "de--q--1")
    assert both.told == ("en/q.jsonl: 1 case", "de/q.jsonl: 1 case")
    assert load_cases("q.jsonl", select={"id": "a"}).told[0].startswith("q.jsonl: 4 cases")
    assert load_cases("q.jsonl", select={"id": "a"}).told[0].endswith("; 1 of them selected")
    assert load_cases("*/*.jsonl").ids == ("de--q--1", "de--r--1", "en--b--1", "en--q--1")
    assert load_cases("**/b.jsonl").ids == ("en--b--1",)
    assert load_cases("en/q.jsonl", "en/*.jsonl", "./en/q.jsonl").ids == ("en--q--1", "en--b--1")
    assert load_cases(here / "en" / "*.jsonl", folder=here / "de").ids == (
        "parent--en--b--1",
        "parent--en--q--1",
    )
    written(here / "en.jsonl", [{"id": "q-1"}])
    assert load_cases("en.jsonl", "en/q.jsonl").ids == ("en--q-1", "en--q--1")
    written(here / "odd[1].jsonl", [{"id": "1"}])
    assert load_cases("odd[1].jsonl").ids == ("1",)


@pytest.mark.parametrize(
    ("sources", "told"),
    [
        ([], "cases come from a file, several or a pattern; got none"),
        (["*.json"], r"\*.json: the pattern finds no file"),
        (["q.jsonl", "x*"], r"x\*: the pattern finds no file"),
        (["deep"], "deep: expected a file, got a folder"),
    ],
)
def test_sources_that_give_nothing_are_refused(here: Path, sources: list[str], told: str) -> None:
    here.joinpath("deep").mkdir()
    with pytest.raises(EvalError, match=told):
        load_cases(*sources)


def test_cases_are_a_sequence_that_makes_each_case_when_asked(here: Path) -> None:
    cases = load_cases("q.jsonl")
    assert (len(cases), cases[-1].query, cases[1:3].ids) == (4, "four", ("b", "c"))
    assert [case.id for case in cases] == [*cases.ids] == [*"abcd"]
    assert cases[0] == cases[0] is not cases[0]
    assert cases.index(Case(id="b", query="two", metadata=ROWS[1]["metadata"])) == 1
    assert repr(cases) == "<4 cases of q.jsonl>"
    with pytest.raises(IndexError):
        cases[4]


def test_a_file_that_changed_since_it_was_read_is_told(here: Path) -> None:
    cases = load_cases("q.jsonl")
    os.utime(here / "q.jsonl", ns=(1, 1))
    with pytest.raises(CaseError, match="q.jsonl: the file has changed"):
        cases[0]
    here.joinpath("q.jsonl").unlink()
    with pytest.raises(CaseError, match="q.jsonl: cannot be read"):
        cases[0]


def test_of_many_rows_a_wrong_name_is_told_at_once_and_a_wrong_type_by_its_case(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "CHECKED_WHOLE", 2)
    written(here / "q.jsonl", [*ROWS[:3], {"id": "e", "query": 5, "metadata": {}}])
    cases = load_cases("q.jsonl")
    with pytest.raises(CaseError, match="q.jsonl:4: Case.query: .* got int"):
        cases[3]
    written(here / "q.jsonl", [*ROWS[:3], {"id": "e", "query": "x", "metadat": {}}])
    with pytest.raises(CaseError, match="q.jsonl:4: Case has no field 'metadat'"):
        load_cases("q.jsonl")


def test_a_name_that_only_a_later_row_has_is_met(here: Path) -> None:
    late = {"query": "three", "gold": "3", "n": 1}
    rows: list[dict[str, Any]] = [{"query": "one"}, {"query": "two"}, late]
    written(here / "late.jsonl", rows)
    made = load_cases("late.jsonl", limit=1, fields={"gold": "ground_truth"}, select={"n": None})
    assert [case.query for case in made] == ["one"]
    assert load_cases("late.jsonl", fields={"gold": "ground_truth"})[2].ground_truth == "3"


PART = st.text("ab-. \u00e9", min_size=1, max_size=4) | st.sampled_from(
    ["data1", "parent", "a--b", "a.jsonl", "a.csv", "..", "a-"]
)


@given(st.sets(st.tuples(st.lists(PART, max_size=2).map(tuple), PART, PART), max_size=6))
def test_ids_of_several_files_are_told_apart_by_construction(
    places: set[tuple[tuple[str, ...], str, str]],
) -> None:
    meant = {
        os.path.normpath(os.path.join("/x/y", *folders, f"{name}.jsonl")): (folders, name)
        for folders, name, _ in places
        if name != ".."
    }
    ids = {
        f"{_prefix(file, Path('/x/y'))}--{unmistakable(row_id({'id': name}))}"
        for file in meant
        for name in ("1", "a", "a--1", "-1", "1-")
    }
    assert len(ids) == 5 * len(meant)
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", each) for each in ids)


def test_files_whose_paths_and_ids_run_together_have_ids_that_stay(here: Path) -> None:
    written(here / "f-1.jsonl", [{"id": "a"}])
    written(here / "f.jsonl", [{"id": "1-a"}, {"id": "1--a"}])
    before = {*load_cases("f*.jsonl", "q.jsonl").ids}
    written(here / "f" / "1.jsonl", [{"id": "a"}])
    (here / "f.csv").write_text("id,query\n1-a,q\n")
    after = {*load_cases("f*.jsonl", "f/*.jsonl", "f.csv", "q.jsonl").ids}
    assert before < after
    assert {"f-1--a", "f--1--a", "f--1-a", "f.csv--1-a"} <= after
    assert not any(each.endswith("-2") for each in after)
