"""Whatever becomes of a committed line: it is told by file and line, or changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from active_session import active_session
from committed_lines import asked, entry, line, sealed
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmeval import Case, evaluate
from pytest_llmeval.errors import DamagedVerdicts
from pytest_llmeval.judges.committed import Verdicts
from pytest_llmeval.judges.schema import FREE_TEXT
from pytest_llmeval.judges.verdict_line import VerdictLine
from pytest_llmeval.testing import ScriptedJudge

FILE = "test_a.py.verdicts.jsonl"
KEY, _ = entry("a")
ROW: dict[str, Any] = json.loads(line("a").text())
REPLY = {"reason": "ok", "score": 4}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(10**300, 10**301)
    | st.floats()
    | st.text(st.characters(codec=None), max_size=5)
    | st.sampled_from(["grade", "test_it", "4", "\ud800", '{"score": 5}', ["user", "a"]]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def outcome(content: bytes, key: str = KEY) -> str:
    """What a replay of the question makes of a file with ``content``: its reply, or the damage."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / FILE
        path.write_bytes(content)
        try:
            verdicts = Verdicts(Path(folder))
            verdicts.check()
            answer = verdicts.answer(key, asked("a"))
        except DamagedVerdicts as error:
            where, number, told = str(error).removeprefix(f"{folder}/").split(":", 2)
            assert where == FILE
            assert int(number) > 0
            assert told.strip()
            return "damaged"
    return "none" if answer is None else json.dumps(dict(answer.reply))


SAME = json.dumps(REPLY)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each value in ``value``, however deep."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for name, each in inside:
        found.append((*at, name))
        if isinstance(each, dict | list):
            found += places(each, (*at, name))
    return found


FIELDS = [place for place in places(ROW) if place[0] not in ("key", "digest")]


@st.composite
def changed(draw: st.DrawFn) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The row with one field that has another value, is gone, is new, or has a new name."""
    row = json.loads(json.dumps(ROW))
    place = draw(st.sampled_from(FIELDS))
    within: Any = row
    for name in place[:-1]:
        within = within[name]
    how = draw(st.sampled_from(["set", "drop", "add"]))
    if how == "set":
        within[place[-1]] = draw(VALUES)
    elif how == "drop":
        del within[place[-1]]
    elif isinstance(within, dict):
        within[draw(st.text(max_size=4))] = draw(VALUES)
    else:
        within.append(draw(VALUES))
    return row, place


def head_of(row: dict[str, Any]) -> str:
    """The line of ``row`` up to its digest, the key last."""
    kept = {name: value for name, value in row.items() if name not in ("key", "digest")}
    return json.dumps({**kept, "key": KEY})[:-1]


@settings(max_examples=300)
@given(changed())
def test_one_field_changed_is_damage_by_file_and_line_or_means_nothing(
    change: tuple[dict[str, Any], tuple[Any, ...]],
) -> None:
    row, place = change
    came = outcome(sealed(head_of(row)).encode())
    assert came in (SAME, "damaged")
    keyed = place[0] in ("judge", "messages", "schema", "verdict") and place[-1] != FREE_TEXT
    if keyed and row != ROW:
        assert came == "damaged"
    unsealed = line("a").text().rpartition(', "digest"')
    if head_of(row) != unsealed[0]:
        assert outcome(f"{head_of(row)}{unsealed[1]}{unsealed[2]}".encode()) == "damaged"


@settings(max_examples=300)
@given(
    at=st.integers(0, 2 * len(line("a").text())),
    length=st.integers(0, 3),
    bytes_there=st.binary(max_size=4) | st.sampled_from([b"\n", b"\r", b"\r\n", b"\xef\xbb\xbf"]),
)
def test_bytes_changed_anywhere_are_damage_by_file_and_line_or_mean_nothing(
    at: int, length: int, bytes_there: bytes
) -> None:
    other = line("b").text()
    content = f"{line('a').text()}\n{other}\n".encode()
    assert outcome(content[:at] + bytes_there + content[at + length :]) in (SAME, "damaged")


def text_of(**fields: Any) -> str:
    return sealed(head_of({**ROW, **fields}))


@pytest.mark.parametrize(
    ("content", "came"),
    [
        (text_of(task=None), "damaged"),
        (text_of(cost=-1), "damaged"),
        (text_of(input_tokens=float("nan")), "damaged"),
        (text_of(seconds=float("inf")), "damaged"),
        (text_of(seconds=10**400), "damaged"),
        (text_of(heard="yesterday"), "damaged"),
        (text_of(heard=-1), "damaged"),
        (text_of(tests="test_it"), "damaged"),
        (text_of(tests=[1]), "damaged"),
        (text_of(redacted=False), "damaged"),
        (text_of(redacted=1), "damaged"),
        (text_of(redacted=True, judge={"model": float("inf")}), "damaged"),
        (text_of(verdict={"reason": "ok", "score": True}), "damaged"),
        (text_of(said='{"score": 9}', verdict={"score": 9}), "damaged"),
        (text_of(said="well", verdict={}), "damaged"),
        (text_of(more=1), "damaged"),
        (text_of(schema="{}"), "damaged"),
        (text_of(messages={"user": "a"}), "damaged"),
        (text_of().replace('"task"', '"task": "grade", "task"'), "damaged"),
        (text_of().encode("utf-16"), "damaged"),
        (text_of().encode() + b"\0", "damaged"),
        ("[" * 10**5, "damaged"),
        (text_of(judge=json.loads("[" * 900 + "]" * 900)), "damaged"),
        ("  ", "damaged"),
        (text_of(tests=["test_other"]), SAME),
        (text_of(tests=["\ud800"]), SAME),
        (text_of(cost=0.25), SAME),
        (text_of(cost=None), SAME),
        ("\ufeff\r\n\n" + text_of() + "\r\n\r\n", SAME),
        (text_of(verdict={"reason": "ok", "score": 4.0}), SAME),
        (text_of() + "\n" + text_of(), SAME),
        ("", "none"),
    ],
    ids=range(32),
)
def test_a_line_is_told_to_be_damaged_whatever_is_wrong_with_it(
    content: str | bytes, came: str
) -> None:
    assert outcome(content if isinstance(content, bytes) else content.encode()) == came


def in_place_of_the_file(path: Path, make: Callable[[Path], object]) -> str:
    """What is told where ``make`` put something else in the place of a file of verdicts."""
    make(path)
    with pytest.raises(DamagedVerdicts) as caught:
        Verdicts(path.parent).load()
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_what_is_no_plain_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    def link(path: Path) -> None:
        path.symlink_to("nowhere")

    for number, (make, told) in enumerate(
        [
            (Path.mkdir, "cannot be read: expected a plain file"),
            (lambda path: os.mkfifo(path), "cannot be read: expected a plain file"),
            (link, "cannot be read: No such file or directory"),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert in_place_of_the_file(folder / FILE, make) == told


def test_a_folder_in_the_folder_that_cannot_be_read_is_no_silent_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    scan = os.scandir

    def refusing(path: Any) -> Any:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(DamagedVerdicts, match="sub: cannot be read: Permission denied"):
        Verdicts(tmp_path).load()


def test_a_line_that_gives_no_verdict_is_damage_and_asked_anew_where_verdicts_are_recorded(
    tmp_path: Path,
) -> None:
    def grounded(record: bool, **how: Any) -> tuple[Any, dict[str, Any]]:
        judge = ScriptedJudge({"ungrounded": [], "reason": "r", "score": 5}, kept=True)
        with active_session(verdicts=tmp_path, store=tmp_path / "store", **how) as session:
            heard: dict[str, Any] = {}
            session.heard = heard if record else None
            case = Case(response="r", context=["c"])
            return evaluate(case, "groundedness", judge=judge), heard

    _, heard = grounded(record=True, mode="off")
    ((key, kept),) = heard.items()
    damaged = VerdictLine(key, {**kept, "said": "It is fine."}, ("test_it",))
    (tmp_path / FILE).write_text(damaged.text() + "\n", encoding="utf-8")
    for record, mode in ((False, "auto"), (False, "replay"), (True, "replay")):
        result, _ = grounded(record, mode=mode)
        assert isinstance(result.error, DamagedVerdicts)
        assert f"{FILE}:1: it " in str(result.error)
    result, heard = grounded(record=True, mode="auto")
    assert (result.score, result.usage.asked) == (5, 1)
    assert heard[key]["task"] == "groundedness"
