"""Entries out of a store and into another, what of them may go, and what they say of themselves."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmeval.errors import UsageError
from pytest_llmeval.judges.answers import Rating, Reply
from pytest_llmeval.judges.base import Question, Said
from pytest_llmeval.judges.heard import answer_of, entry_key, entry_of, question_key, revived
from pytest_llmeval.judges.inventory import inventory, prune
from pytest_llmeval.judges.leases import Leases
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.judges.store import LEASE, Store, key_of
from pytest_llmeval.judges.transfer import Imported, exported, import_lines

TEXT = st.text(st.characters(codec=None)).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
DAY = 86400


class Grade(Reply):
    score: Rating


def entry(
    text: str = "Judge this.", judge: Judge | None = None, word: bool = False, **changed: Any
) -> tuple[str, dict[str, Any]]:
    """What is kept of a question that says ``text``, and its key."""
    asked = judge or Judge("openai/m", base_url="http://host")
    question = Question(
        "grade", (("system", "Be fair."), ("user", text)), Grade, form="word" if word else "json"
    )
    key = question_key(asked, question)
    assert key is not None
    said = Said('{"score": 4}', resolved_model="m-1", input_tokens=1, output_tokens=2, cost=0.5)
    if word:
        answer = answer_of(key, [said], Question("grade", question.messages, Grade))
    else:
        answer = answer_of(key, [said], question)
    return key, {**entry_of(asked, question, answer), **changed}


def filled(folder: Path, *entries: tuple[str, dict[str, Any]]) -> Store:
    store = Store(folder)
    for key, kept in entries:
        store.put(key, kept)
    return store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    kept = filled(tmp_path / "one", entry("a"), entry("b"), entry("é\u2028", word=True))
    yield kept
    kept.close()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    kept = Store(tmp_path / "other")
    yield kept
    kept.close()


@given(text=TEXT, seed=st.none() | st.integers(-(2**63), 2**63 - 1), stop=TEXT, word=st.booleans())
def test_an_entry_gives_the_key_of_the_question_it_answers_also_after_the_disk(
    text: str, seed: int | None, stop: str, word: bool
) -> None:
    key, kept = entry(text, Judge("openai/m", seed=seed, params={"stop": stop}), word)
    assert entry_key(json.loads(json.dumps(kept))) == key


def test_an_entry_says_when_it_was_heard_and_the_key_does_not_depend_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key, first = entry("a")
    assert abs(first["heard"] - time.time()) < 60
    monkeypatch.setattr(time, "time", lambda: 5.5)
    again, second = entry("a")
    assert (again, second) == (key, {**first, "heard": 5})


def test_an_entry_without_what_came_later_is_still_an_answer() -> None:
    key, kept = entry("a")
    early = {name: value for name, value in kept.items() if name not in ("heard", "schema")}
    question = Question("grade", (("system", "Be fair."), ("user", "a")), Grade)
    assert revived(key, early, question) is not None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, max_size=3, unique=True))
def test_what_is_exported_comes_back_the_same(texts: list[str], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("round")
    one, two = filled(folder / "one", *map(entry, texts)), Store(folder / "two")
    lines = "".join(exported(one))
    lines.encode()
    assert import_lines(two, lines.split("\n"), "f") == Imported(len(texts), 0, 0)
    assert dict(two) == dict(one)
    assert "".join(exported(two)) == lines
    assert import_lines(two, lines.split("\n"), "f") == Imported(0, len(texts), 0)
    one.close()
    two.close()


def test_an_export_is_sorted_with_the_key_first_and_shows_any_script(store: Store) -> None:
    lines = "".join(exported(store)).split("\n")
    assert lines.pop() == ""
    keys = [json.loads(line)["key"] for line in lines]
    assert keys == sorted(keys)
    assert all(line.startswith('{"key": "') for line in lines)
    assert "é\u2028" in "".join(lines)
    names = [name for name in json.loads(lines[0]) if name != "key"]
    assert names == sorted(names)


def test_what_differs_is_replaced(store: Store, other: Store) -> None:
    key, kept = entry("a", said='{"score": 1}')
    other.put(key, kept)
    assert import_lines(other, exported(store), "f") == Imported(2, 0, 1)
    assert dict(other) == dict(store)


def damaged(**changed: Any) -> str:
    key, kept = entry("a")
    row = {"key": key, **kept, **changed}
    return json.dumps({name: value for name, value in row.items() if value is not ...})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected a JSON object"),
        ("[" * 100_000, "expected a JSON object"),
        ("[]", "expected an entry as the export writes it, with its key"),
        ("{}", "expected an entry as the export writes it, with its key"),
        (damaged(key=7), "expected an entry"),
        (damaged(seconds=float("nan")), "NaN is no JSON value"),
        (damaged(seconds=1).replace('"seconds": 1', '"seconds": 1e999'), "this is no entry"),
        (damaged(said=...), "this is no entry: said: field required"),
        (damaged(schema=...), "this is no entry: schema: field required"),
        (damaged(schema=..., schema_={}), "this is no entry"),
        (damaged(mood=1), "this is no entry: mood: extra inputs are not permitted"),
        (damaged(messages=[["user"]]), "this is no entry: messages.0.1"),
        (damaged(messages=[["user", "b"]]), "the key is not that of the entry's own question"),
        (damaged(judge={"model": "openai/other"}), "the key is not that of the entry's own"),
        (damaged(schema=None), "the key is not that of the entry's own question"),
        (damaged(judge={"n": 1}).replace('"n": 1', '"n": 1e999'), "this is no entry: store"),
        (damaged(key="0" * 64), "the key is not that of the entry's own question"),
        (damaged(said="contradicts"), "an earlier line has another entry for"),
    ],
)
def test_a_damaged_line_is_refused_by_number_with_nothing_imported(
    store: Store, other: Store, line: str, message: str
) -> None:
    lines = ["", *exported(store), line, *exported(store)]
    with pytest.raises(UsageError) as caught:
        import_lines(other, lines, "file.jsonl")
    assert str(caught.value).startswith("file.jsonl:5: ")
    assert message in str(caught.value)
    assert not other.begun


def test_what_is_not_under_its_own_key_is_not_exported(store: Store) -> None:
    lines = [*exported(store)]
    store.put(key_of({"tampered": 1}), entry("a")[1])
    store.put("early", {"task": "t", "said": "x"})
    assert [*exported(store)] == lines


def test_an_import_into_a_store_that_cannot_be_used_says_so(store: Store, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(UsageError, match="the store in .*taken is not used"):
        import_lines(Store(tmp_path / "taken"), exported(store), "f")


def aged(folder: Path, *days: float | None) -> tuple[Store, list[str]]:
    """A store of entries that were heard so many days ago, None for those that don't say."""
    made = []
    for number, age in enumerate(days):
        key, kept = entry(f"{number}")
        del kept["heard"]
        made.append((key, kept if age is None else {**kept, "heard": int(time.time() - age * DAY)}))
    return filled(folder, *made), [key for key, _ in made]


def test_pruning_by_age_spares_what_is_young_or_of_unknown_age(tmp_path: Path) -> None:
    store, keys = aged(tmp_path / "kept", 1, 40, None)
    assert prune(store, older_than=30 * DAY, dry_run=True) == [keys[1]]
    assert len(store) == 3
    assert prune(store, older_than=30 * DAY) == [keys[1]]
    assert {key for key, _ in store} == {keys[0], keys[2]}
    store.close()


def test_pruning_by_use_takes_any_age_and_both_take_what_is_both(tmp_path: Path) -> None:
    store, keys = aged(tmp_path / "kept", 1, 40, None, 50)
    assert prune(store, 30 * DAY, {keys[1]}, dry_run=True) == [keys[3]]
    assert sorted(prune(store, used={keys[1]})) == sorted({keys[0], keys[2], keys[3]})
    assert [key for key, _ in store] == [keys[1]]
    with pytest.raises(UsageError, match="say what may go"):
        prune(store)
    store.close()


def test_leases_are_no_entries_and_only_dead_ones_are_pruned(tmp_path: Path) -> None:
    store, _ = aged(tmp_path / "kept", 1)
    alive = Leases(store)._claim()
    store.claim(f"{LEASE}alive", alive, lambda row: True)
    store.claim(f"{LEASE}dead", {**alive, "until": time.time() - 1}, lambda row: True)
    assert inventory(store).entries == len([*exported(store)]) == 1
    prune(store, older_than=0, dry_run=True)
    assert len(store.leases()) == 2
    prune(store, used=())
    assert store.leases() == [f"{LEASE}alive"]
    assert len(store) == 0
    store.close()


def test_what_was_asked_anew_while_pruning_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, (key,) = aged(tmp_path / "kept", 40)
    fresh = entry("0")[1]
    monkeypatch.setattr(
        "pytest_llmeval.judges.inventory.drop_dead", lambda store: store.put(key, fresh)
    )
    assert prune(store, older_than=DAY) == []
    assert store.get(key) == fresh
    store.close()


def test_an_inventory_counts_by_judge_and_task_and_knows_the_ages_it_can(tmp_path: Path) -> None:
    store, _ = aged(tmp_path / "kept", 1, 40, None)
    store.put("odd", {"judge": {"scripted": "s"}})
    held = inventory(store)
    assert held.groups == {("openai/m at http://host", "grade"): 3, ('{"scripted": "s"}', "?"): 1}
    assert held.entries == 4
    assert held.oldest is not None
    assert held.newest is not None
    assert held.newest - held.oldest == 39 * DAY
    assert held.size > 1000
    store.close()
    empty = inventory(Store(tmp_path / "none"))
    assert (empty.entries, empty.size, empty.oldest, empty.newest) == (0, 0, None, None)
