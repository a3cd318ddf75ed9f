"""Lines and files of committed verdicts: what stands in them, and what of them is refused."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from committed_lines import asked, entry, line, resealed
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import DamagedVerdicts, UsageError
from pytest_llmeval.judges.committed import Verdicts
from pytest_llmeval.judges.redacted import Redact, Redaction
from pytest_llmeval.judges.verdict_files import Used, forsaken, record
from pytest_llmeval.judges.verdict_line import VerdictLine, parsed
from pytest_llmeval.judges.verdict_names import file_name, recorded_for

TEXT = st.text(st.characters(codec=None))
FILE = "test_a.py.verdicts.jsonl"


def used(whole: tuple[str, ...] = (), entries: Any = None, **tests: Any) -> Used:
    return Used({f"{name}.py": keys for name, keys in tests.items()}, entries or {}, whole)


@given(text=TEXT, reason=TEXT, tests=st.lists(TEXT).map(tuple), redacted=st.booleans())
def test_a_line_is_read_back_as_it_was_whatever_stands_in_it(
    text: str, reason: str, tests: tuple[str, ...], redacted: bool
) -> None:
    said = json.dumps({"reason": reason, "score": 4})
    key, kept = entry("a")
    kept = {**kept, "said": said}
    if redacted:
        kept["messages"] = [["user", text]]
    written = VerdictLine(key, kept, tests, redacted)
    raw = written.text().encode()
    assert b"\n" not in raw
    assert parsed(raw) == written
    assert parsed(raw).text().encode() == raw


def test_what_a_reviewer_reads_stands_first_and_the_digest_last() -> None:
    row = json.loads(line("a").text())
    assert [*row][:6] == ["tests", "task", "verdict", "judge", "resolved_model", "said"]
    assert [*row][-4:] == ["messages", "schema", "key", "digest"]
    assert row["verdict"] == {"reason": "ok", "score": 4}
    assert "verdict" not in json.loads(line("a", said='Sure: {"reason": "", "score": 4}').text())


GOOD = line("a").text()
TWIN = line("a", said='{"reason": "other", "score": 1}').text()


@pytest.mark.parametrize(
    ("damaged", "told"),
    [
        ("<<<<<<< HEAD", "2: a merge left its conflict"),
        ("=======", "2: a merge left its conflict"),
        (">>>>>>> other", "2: a merge left its conflict"),
        (GOOD[:-200], "2: expected a JSON object"),
        ("[1]", "2: expected a line that ends with its key and digest"),
        (GOOD.replace('"ok"', '"no"'), "2: the digest is not that of the line"),
        (GOOD.replace("grade", "GRADE"), "2: the digest is not that of the line"),
        (TWIN, "2: .*test_a.py.verdicts.jsonl:1 has another reply to the same question"),
        ('{"task": "é', "2: expected a JSON object"),
    ],
    ids=range(9),
)
def test_a_damaged_line_is_refused_by_file_and_line_when_the_folder_is_read(
    tmp_path: Path, damaged: str, told: str
) -> None:
    (tmp_path / FILE).write_text(f"{GOOD}\n{damaged}\n", encoding="utf-8")
    with pytest.raises(DamagedVerdicts, match=f"{FILE}:{told}"):
        Verdicts(tmp_path).load()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('["user", "a"]', '["user", "b"]', "1: the key is not that of the entry's own question"),
        ('"seed": null', '"seed": 1', "1: the key is not that of the entry's own question"),
        ('"verdict": {"reason": "ok", "score": 4}', '"verdict": {"score": 5}', "1: its verdict"),
        ('"cost": 0.5', '"cost": "much"', "1: this is no entry: cost"),
        ('"tests": ["test_it"], ', "", "1: tests: expected a list of names"),
        ('"cost": 0.5', '"cost": 0.5, "cost": 0.5', "1: .*'cost' is given twice"),
    ],
)
def test_a_line_that_was_changed_with_its_digest_is_refused_when_it_is_asked_for(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    changed = resealed(GOOD, old, new)
    assert changed != GOOD
    (tmp_path / FILE).write_text(changed + "\n", encoding="utf-8")
    verdicts = Verdicts(tmp_path)
    key, _ = entry("a")
    with pytest.raises(DamagedVerdicts, match=f"{FILE}:{told}"):
        verdicts.answer(key, asked("a"))


def test_equal_replies_other_files_blank_lines_and_crlf_do_no_harm(tmp_path: Path) -> None:
    key, kept = entry("a")
    later = VerdictLine(key, {**kept, "heard": 5, "cost": None}, ("test_more",)).text()
    text = f"\ufeff{GOOD}\r\n\r\n{GOOD}\n{later}"
    (tmp_path / FILE).write_bytes(text.encode())
    (tmp_path / "notes.jsonl").write_text("no verdicts")
    verdicts = Verdicts(tmp_path)
    assert len(verdicts) == 1
    answer = verdicts.answer(key, asked("a"))
    assert answer is not None
    assert (answer.reply.score, answer.cost, answer.asked) == (4, 0.5, False)
    assert verdicts.in_file(tmp_path / FILE)[key].tests == ("test_it", "test_more")
    assert verdicts.answer("0" * 64, asked("b")) is None


def test_no_folder_holds_nothing_and_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    assert len(Verdicts(tmp_path / "none")) == 0
    (tmp_path / "file").write_text("")
    with pytest.raises(DamagedVerdicts, match="expected a folder"):
        Verdicts(tmp_path / "file").load()


@given(
    st.lists(
        st.sampled_from(["tests", "aux.py", "CON", "..", "a:b?.py", "50%41.py", "é", "x. ", "lpt1"])
    )
)
def test_a_test_files_name_is_a_path_that_every_system_takes_and_can_be_told_back(
    parts: list[str],
) -> None:
    name = file_name("/".join(parts))
    assert recorded_for(name) == ("/".join(parts) or None)
    for part in name.split("/"):
        assert not set(part) & set('<>:"|?*\\')
        assert part.split(".")[0].lower() not in {"con", "aux", "lpt1", ""}
        assert not part.endswith((" ", "."))
    assert file_name("tests/test_a.py") == "tests/test_a.py.verdicts.jsonl"


def laid(folder: Path, **files: list[VerdictLine]) -> Verdicts:
    for name, lines in files.items():
        text = "".join(f"{each.text()}\n" for each in lines)
        (folder / file_name(f"{name}.py")).write_text(text, encoding="utf-8", newline="\n")
    return Verdicts(folder)


def texts(folder: Path) -> dict[str, list[list[str]]]:
    """By file, what each question says and the tests that it is for."""
    return {
        path.name.removesuffix(".py.verdicts.jsonl"): [
            [each.entry["messages"][-1][1], *each.tests]
            for each in map(parsed, path.read_bytes().splitlines())
        ]
        for path in sorted(folder.rglob("*.verdicts.jsonl"))
    }


def test_a_partial_run_adds_and_keeps_and_a_whole_one_drops_what_is_unused(tmp_path: Path) -> None:
    (a, _), (b, new) = entry("a"), entry("b")
    old = [line("a", "test_z"), line("c", "test_gone"), line("c", "test_twice")]
    runs: Any = {"test_one": {a: {"test_y"}, b: {"test_y"}}}
    done = record(laid(tmp_path, test_one=old), used(entries={b: new}, **runs), None)
    assert (done.new, done.changed, done.dropped, done.first) == (1, 1, 0, False)
    kept = [["c", "test_gone", "test_twice"], ["b", "test_y"], ["a", "test_y", "test_z"]]
    assert texts(tmp_path) == {"test_one": kept}
    done = record(Verdicts(tmp_path), used(whole=("test_one.py",), **runs), None)
    assert (done.new, done.changed, done.dropped) == (0, 1, 1)
    assert sorted(texts(tmp_path)["test_one"]) == [["a", "test_y"], ["b", "test_y"]]
    path = tmp_path / file_name("test_one.py")
    before = path.stat()
    record(Verdicts(tmp_path), used(whole=("test_one.py",), **runs), None)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert path.stat().st_ino == before.st_ino
    record(Verdicts(tmp_path), used(whole=("test_one.py",)), None)
    assert not path.exists()


def test_a_new_reply_replaces_the_old_one_in_every_file_and_one_file_lends_to_another(
    tmp_path: Path,
) -> None:
    key, anew = entry("a", '{"reason": "new", "score": 2}')
    old = laid(tmp_path, one=[line("a"), line("b", "other")], two=[line("a")], three=[line("c")])
    record(old, used(entries={key: anew}, one={key: {"test_it"}}), None)
    for path in (tmp_path / file_name("one.py"), tmp_path / file_name("two.py")):
        assert Verdicts(tmp_path).in_file(path)[key].entry["said"] == anew["said"]
    c, _ = entry("c")
    record(Verdicts(tmp_path), used(two={c: {"test_c"}}, four={"f" * 64: {"test_x"}}), None)
    assert ["c", "test_c"] in texts(tmp_path)["two"]
    assert "four" not in texts(tmp_path)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["one", "two"])), min_size=1))
def test_lines_in_any_order_and_number_become_the_same_file_after_a_run(
    merged: list[tuple[str, str]],
) -> None:
    key, _ = entry("a")
    with TemporaryDirectory() as name:
        lines = [line(text, f"test_{test}") for text, test in [*merged, ("a", "one")]]
        runs: Any = {"test_f": {key: {"test_one"}}}
        record(laid(Path(name), test_f=lines), used(**runs), None)
        found = texts(Path(name))["test_f"]
        assert sorted(text for text, *_ in found) == sorted({*(text for text, _ in merged), "a"})
        assert [each[1:] for each in found] == sorted(each[1:] for each in found)
        before = (Path(name) / file_name("test_f.py")).read_bytes()
        assert record(Verdicts(Path(name)), used(**runs), None).changed == 0
        assert (Path(name) / file_name("test_f.py")).read_bytes() == before


def test_files_of_test_files_that_are_gone_are_told(tmp_path: Path) -> None:
    verdicts = laid(tmp_path, here=[line("a")], gone=[line("a")])
    (tmp_path / "%68and.verdicts.jsonl").write_text(GOOD)
    (tmp_path / file_name("")).write_text(GOOD)
    (tmp_path / "here.py").touch()
    assert forsaken(verdicts, tmp_path, set()) == {"gone.py"}
    assert forsaken(verdicts, tmp_path / "another root", {"f" * 64}) == set()
    key, _ = entry("a")
    assert forsaken(verdicts, tmp_path / "moved", {key}) == {"here.py", "gone.py"}
    record(Verdicts(tmp_path), used(whole=("gone.py",)), None)
    assert "gone" not in texts(tmp_path)


def masked(kept: dict[str, Any]) -> dict[str, Any]:
    kept["messages"][-1][1] = "[masked]"
    return kept


def test_a_redacted_line_keeps_its_key_says_so_and_still_answers(tmp_path: Path) -> None:
    key, kept = entry("my secret")
    use = used(entries={key: kept}, one={key: {"test_it"}})
    record(Verdicts(tmp_path), use, Redaction(masked, {}))
    text = (tmp_path / file_name("one.py")).read_text()
    assert "secret" not in text
    assert json.loads(text)["redacted"] is True
    answer = Verdicts(tmp_path).answer(key, asked("my secret"))
    assert answer is not None
    assert answer.reply.score == 4
    again = record(Verdicts(tmp_path), used(one={key: {"test_it"}}), Redaction(masked, {}))
    assert (again.new, again.changed, again.dropped) == (0, 0, 0)
    record(Verdicts(tmp_path), use, Redaction(lambda entry: None, {}))
    assert texts(tmp_path) == {}


@pytest.mark.parametrize(
    "redact", [lambda kept: "text", lambda kept: {"said": "x"}, lambda kept: {**kept, "said": 1}]
)
def test_a_hook_that_gives_no_entry_is_refused_and_nothing_written(
    tmp_path: Path, redact: Redact
) -> None:
    key, kept = entry("a")
    with pytest.raises(UsageError, match="pytest_llm_eval_redact gives an entry"):
        record(
            Verdicts(tmp_path),
            used(entries={key: kept}, one={key: {"test_it"}}),
            Redaction(redact, {}),
        )
    assert texts(tmp_path) == {}
