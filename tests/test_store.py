"""What the store keeps, and that nothing that others wrote into it is ever run or followed."""

from __future__ import annotations

import json
import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_llmeval.errors import UsageError
from pytest_llmeval.judges.base import Message, Question
from pytest_llmeval.judges.heard import question_key
from pytest_llmeval.judges.model import Judge
from pytest_llmeval.judges.reply import Rating, Reason, Reply
from pytest_llmeval.judges.store import Store, key_of

KEY = key_of({"model": "m", "messages": [["user", "Is it?"]]})
ENTRY = {"text": '{"score": 4}', "cost": 0.25, "input_tokens": 12, "resolved_model": None}

TEXT = st.text(st.characters(codec=None)).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=5)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    kept = Store(tmp_path / "kept")
    yield kept
    kept.close()


@pytest.fixture
def filled(store: Store) -> Store:
    """A store with the entries a and z, closed."""
    store.put("a", ENTRY)
    store.put("z", ENTRY)
    store.close()
    return store


@pytest.fixture
def connection(filled: Store) -> Iterator[sqlite3.Connection]:
    path = filled.folder / "v1" / "cache.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as opened:
        yield opened


def apart(value: object) -> object:
    """``value`` so that Python tells apart what JSON does, and no more."""
    if isinstance(value, dict):
        return {name: apart(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [apart(item) for item in value]
    return str(value) if isinstance(value, bool) else ("", value)


@given(first=OBJECTS, second=OBJECTS)
def test_keys_differ_exactly_when_the_material_does(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert (key_of(first) == key_of(second)) is (apart(first) == apart(second))
    assert key_of(first) != key_of({**first, "one more": second})
    assert key_of({"a": first, "b": second}) == key_of({"b": second, "a": first})


def test_the_key_of_known_material_stays_what_it_is() -> None:
    assert KEY == "16449da639c0871a02144a500667af793d08d93c8789320b9ac1b65087269969"


class Rated(Reply):
    reason: Reason
    score: Rating


@pytest.mark.parametrize(
    ("form", "key"),
    [
        ("json", "12abf9f14b8ced40d63a5aca562a6291c60b05838057ded103be9efb19b047e5"),
        ("word", "e20233e152655b8c3c53cd60548fa53e06f8271b425415accd8b026646ca8780"),
    ],
)
def test_the_key_of_a_known_question_stays_what_it_is(
    form: Literal["json", "word"], key: str
) -> None:
    judge = Judge(
        "openai/judge",
        base_url="http://user:secret@localhost:8000/v1?key=x",
        seed=7,
        params={"top_p": 1.0},
    )
    messages: tuple[Message, ...] = (("system", "Judge."), ("user", "Wie schwer? \u20ac \ud800"))
    asked = Question("groundedness", messages, Rated, form=form)
    assert question_key(judge, asked) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (0, -0.0),
        (10**22, 1e22),
        (("a", ("b",)), ["a", ["b"]]),
        ({"x": 1, "y": 2}, {"y": 2, "x": 1}),
    ],
)
def test_equal_material_has_one_key(one: object, other: object) -> None:
    assert key_of({"value": one}) == key_of({"value": other})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, "1"),
        (None, "null"),
        (2**53, 2**53 + 1),
        ([], {}),
        ("é", "e\u0301"),
        ("\ud800", "\udfff"),
    ],
)
def test_different_material_has_two_keys(one: object, other: object) -> None:
    assert key_of({"value": one}) != key_of({"value": other})


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {1: "one"}, {"a", "b"}, b"bytes", object(), ENDLESS, 10**5000],
    ids=["nan", "inf", "name", "set", "bytes", "object", "endless", "long"],
)
def test_what_json_cannot_say_is_refused(store: Store, value: object) -> None:
    with pytest.raises(UsageError, match=r"^store: "):
        key_of({"value": [value]})
    with pytest.raises(UsageError, match=r"^store: "):
        store.put(KEY, {"value": [value]})
    assert not store.folder.exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(entry=OBJECTS)
def test_what_was_put_comes_back_equal(store: Store, entry: dict[str, Any]) -> None:
    store.put(KEY, entry)
    assert apart(store.get(KEY)) == apart(entry)
    assert store.trouble is None
    store.put(KEY, {"deep": nested(entry, 200)})
    assert store.get(KEY) == {"deep": nested(entry, 200)}


def nested(value: object, depth: int) -> object:
    for _ in range(depth):
        value = [value]
    return value


def test_nothing_is_touched_before_the_first_put(store: Store, tmp_path: Path) -> None:
    assert store.get(KEY) is None
    assert len(store) == 0
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_importing_the_store_imports_no_database() -> None:
    code = (
        "import sys, pytest_llmeval.judges.store\n"
        "sys.exit(' '.join({'diskcache', 'sqlite3'} & set(sys.modules)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_folder_hides_itself_from_git_and_carries_its_version(store: Store) -> None:
    (store.folder / "v0").mkdir(parents=True)
    (store.folder / "v0" / "cache.db").write_text("of another version")
    store.put(KEY, ENTRY)
    assert (store.folder / ".gitignore").read_text() == "*\n"
    assert (store.folder / "v1" / "cache.db").is_file()
    assert (store.folder / "v0" / "cache.db").read_text() == "of another version"


def test_a_folder_with_other_things_in_it_is_not_hidden_from_git(store: Store) -> None:
    store.folder.mkdir()
    (store.folder / "test_app.py").touch()
    store.put(KEY, ENTRY)
    assert store.get(KEY) == ENTRY
    assert not (store.folder / ".gitignore").exists()


def test_a_relative_folder_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept = Store(Path("kept"))
    monkeypatch.chdir("/")
    kept.put(KEY, ENTRY)
    kept.close()
    assert (tmp_path / "kept" / "v1" / "cache.db").exists()


def test_a_large_entry_stays_inside_the_database(store: Store) -> None:
    entry = {"text": "wörter " * 60_000}
    store.put(KEY, entry)
    assert store.get(KEY) == entry
    store.close()
    assert [path.name for path in (store.folder / "v1").iterdir()] == ["cache.db"]


def test_entries_come_sorted_by_key_and_the_last_put_counts(store: Store) -> None:
    for key in ("c", "a", "b"):
        store.put(key, {"of": "before"})
        store.put(key, {"of": key})
    assert list(store) == [(key, {"of": key}) for key in "abc"]
    assert len(store) == 3


def test_a_key_that_key_of_never_gives_is_refused_by_put_and_missed_by_get(store: Store) -> None:
    store.put(KEY, ENTRY)
    with pytest.raises(UsageError, match="key_of"):
        store.put("\ud800", ENTRY)
    assert store.get("\ud800") is None
    assert store.get(KEY) == ENTRY


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        "null",
        '{"a": ',
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": ' + "[" * 100_000,
        "<<<<<<<",
    ],
    ids=["empty", "list", "null", "cut", "nan", "infinite", "deep", "merge"],
)
def test_an_entry_that_is_no_json_object_is_a_miss(
    filled: Store, connection: sqlite3.Connection, text: str
) -> None:
    planted(connection, value=text)
    assert_only_the_good_is_read(filled)


class Bomb:
    """Unpickled, it leaves a file behind."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Path.touch, (self.mark,)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "mark"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim" / "file.txt"
    path.parent.mkdir()
    path.write_text(json.dumps({"text": "from a file"}))
    return path


def planted(connection: sqlite3.Connection, **columns: object) -> None:
    """A row for the key "m" in diskcache's table, with ``columns`` as an attacker wants them."""
    row = {"key": "m", "raw": 1, "store_time": 1.0, "size": 0, "mode": 1, "value": '{"a": 1}'}
    row |= columns
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO Cache ({names}) VALUES ({marks})", tuple(row.values()))


def assert_only_the_good_is_read(store: Store) -> None:
    assert store.get("m") is None
    assert list(store) == [("a", ENTRY), ("z", ENTRY)]
    assert len(store) == 2
    store.put("m", {"text": "new"})
    assert store.get("m") == {"text": "new"}
    assert len(store) == 3
    assert (store.trouble, store.notes) == (None, [])
    store.close()
    assert list(store) == [("a", ENTRY), ("m", {"text": "new"}), ("z", ENTRY)]


def test_the_bomb_goes_off_when_unpickled(mark: Path) -> None:
    pickle.loads(pickle.dumps(Bomb(mark)))
    assert mark.exists()


def test_a_pickled_value_is_not_unpickled(
    filled: Store, connection: sqlite3.Connection, mark: Path
) -> None:
    planted(connection, mode=4, value=pickle.dumps(Bomb(mark)))
    assert_only_the_good_is_read(filled)
    assert not mark.exists()


def test_a_pickled_key_is_not_unpickled(
    filled: Store, connection: sqlite3.Connection, mark: Path
) -> None:
    planted(connection, key=pickle.dumps(Bomb(mark)), raw=0)
    planted(connection, raw=0)
    assert_only_the_good_is_read(filled)
    assert not mark.exists()


def test_a_pickled_value_in_a_file_is_not_unpickled(
    filled: Store, connection: sqlite3.Connection, mark: Path
) -> None:
    bomb = filled.folder / "v1" / "bomb.val"
    bomb.write_bytes(pickle.dumps(Bomb(mark)))
    planted(connection, mode=4, filename="bomb.val", value=None)
    assert_only_the_good_is_read(filled)
    assert bomb.exists()
    assert not mark.exists()


@pytest.mark.parametrize("mode", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("expired", [None, 1.0])
@pytest.mark.parametrize("absolute", [True, False])
def test_a_file_that_a_row_names_is_neither_read_nor_deleted(
    filled: Store,
    connection: sqlite3.Connection,
    victim: Path,
    mode: int,
    expired: float | None,
    absolute: bool,
) -> None:
    name = str(victim) if absolute else "../../victim/file.txt"
    planted(connection, mode=mode, filename=name, expire_time=expired, value='{"a": 1}')
    assert_only_the_good_is_read(filled)
    assert json.loads(victim.read_text()) == {"text": "from a file"}


@pytest.mark.parametrize(
    "columns",
    [
        {"value": b'{"a": 1}'},
        {"value": 4},
        {"value": None},
        {"mode": "1' --"},
        {"mode": None},
        {"raw": None},
        {"key": None},
        {"key": 7},
        {"key": b"m"},
        {"rowid": -1, "mode": 0},
        {"rowid": 2**63 - 1, "mode": 0},
        {"tag": "x", "mode": 9},
    ],
    ids=str,
)
def test_a_row_of_another_make_is_a_miss(
    filled: Store, connection: sqlite3.Connection, columns: dict[str, object]
) -> None:
    planted(connection, **columns)
    assert_only_the_good_is_read(filled)


@pytest.mark.parametrize("column", ["value", "key"])
def test_text_that_is_no_utf8_is_a_miss(
    filled: Store, connection: sqlite3.Connection, column: str
) -> None:
    planted(connection)
    connection.execute(f"UPDATE Cache SET {column} = CAST(x'ff' AS TEXT) WHERE key = 'm'")
    assert_only_the_good_is_read(filled)


def test_settings_in_the_database_steer_nothing(
    filled: Store, connection: sqlite3.Connection, tmp_path: Path
) -> None:
    foreign = {
        "_directory": str(tmp_path / "elsewhere"),
        "_disk": "none",
        "close": 1,
        "disk_nonsense": 1,
        "sqlite_user_version = 7; --": 1,
        "eviction_policy": "least-recently-stored",
        "size_limit": 1,
        "cull_limit": 10,
        "statistics": 1,
        "sqlite_mmap_size": "1; DROP TABLE Cache",
        "count": "many",
    }
    connection.executemany("INSERT OR REPLACE INTO Settings VALUES (?, ?)", foreign.items())
    assert_only_the_good_is_read(filled)
    for number in range(30):
        filled.put(f"n{number}", ENTRY)
    assert len(filled) == 33
    assert not (tmp_path / "elsewhere").exists()
    kept = dict(connection.execute("SELECT key, value FROM Settings").fetchall())
    ours = {"eviction_policy": "none", "cull_limit": 0, "statistics": 0, "sqlite_mmap_size": 0}
    ours |= {"sqlite_trusted_schema": 0, "sqlite_cell_size_check": 1}
    assert kept.items() >= ours.items()
    assert not kept.keys() & {"_directory", "_disk", "close", "disk_nonsense"}


@pytest.mark.parametrize(
    "statements",
    [
        "DROP TABLE Cache; CREATE VIEW Cache AS SELECT 1 AS key, 1 AS raw",
        "DROP TABLE Cache; CREATE TABLE Cache (key, raw)",
        "ALTER TABLE Settings ADD COLUMN more",
        "DROP TABLE Settings; CREATE VIEW Settings AS SELECT 'x' AS key, 1 AS value",
        "CREATE TRIGGER t AFTER INSERT ON Cache BEGIN SELECT RAISE(ABORT, 'no'); END",
        "DROP INDEX Cache_key_raw; INSERT INTO Cache (key, raw) VALUES ('m', 1), ('m', 1)",
        "INSERT INTO Cache (key, raw, filename) VALUES ('m', 1, CAST(x'ff' AS TEXT))",
    ],
)
def test_a_database_of_another_make_is_set_aside(
    filled: Store, connection: sqlite3.Connection, statements: str
) -> None:
    connection.executescript(statements)
    assert filled.get("m") is None
    filled.put("m", ENTRY)
    assert filled.get("m") == ENTRY
    assert filled.trouble is None
    assert len(filled.notes) == 1
    assert (filled.folder / "v1" / "cache.db.damaged-1").exists()


@pytest.mark.parametrize("dangling", [True, False])
def test_a_link_in_place_of_the_database_is_not_followed(
    filled: Store, tmp_path: Path, dangling: bool
) -> None:
    path = filled.folder / "v1" / "cache.db"
    path.unlink()
    target = tmp_path / "target"
    if not dangling:
        target.write_bytes(b"precious")
    path.symlink_to(target)
    filled.put("m", ENTRY)
    assert filled.trouble is not None
    assert "no plain file" in filled.trouble
    assert target.exists() is not dangling
    assert dangling or target.read_bytes() == b"precious"
