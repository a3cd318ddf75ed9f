"""Verdicts written on the disks that there are: links, other runs, names and no space left."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from committed_lines import entry, line

from pytest_llmeval import files
from pytest_llmeval.errors import UsageError
from pytest_llmeval.judges.committed import Verdicts
from pytest_llmeval.judges.redacted import Redaction
from pytest_llmeval.judges.verdict_files import Recorded, Used, record
from pytest_llmeval.judges.verdict_names import file_name

BOTH = {name: entry(name) for name in "ab"}


def used(**tests: str) -> Used:
    """A run in which ``test_it`` of each file asked the question called so."""
    keys = {f"{file}.py": {BOTH[name][0]: {"test_it"}} for file, name in tests.items()}
    return Used(keys, dict(BOTH.values()), whole=())


def found(folder: Path) -> dict[str, int]:
    """How many lines each file has, and whatever else stands in the folder."""
    names = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return {name: len(path.read_bytes().splitlines()) for name, path in names.items()}


def test_a_folder_that_is_a_link_is_written_into_and_a_link_in_it_is_not(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "kept").symlink_to("there", target_is_directory=True)
    record(Verdicts(tmp_path / "kept"), used(one="a"), None)
    assert found(tmp_path / "there") == {"one.py.verdicts.jsonl": 1}
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text(line("a").text() + "\n")
    (tmp_path / "there" / "two.py.verdicts.jsonl").symlink_to(outside / "file")
    (tmp_path / "there" / "sub").symlink_to(outside, target_is_directory=True)
    before = found(outside)
    for runs in ({"two": "b", "one": "b"}, {"sub/three": "b", "one": "b"}):
        with pytest.raises(UsageError, match="is a link, and none is written through"):
            record(Verdicts(tmp_path / "kept"), used(**runs), None)
    assert found(outside) == before
    assert len(Verdicts(tmp_path / "kept").in_file(tmp_path / "kept/one.py.verdicts.jsonl")) == 1


def test_a_whole_run_drops_what_stood_there_when_it_began_and_no_more(tmp_path: Path) -> None:
    record(Verdicts(tmp_path), used(one="a", two="a", gone="a"), None)
    slow, quick = Verdicts(tmp_path), Verdicts(tmp_path)
    slow.load()
    quick.load()
    record(quick, used(one="b"), None)
    again = {"one.py": {BOTH["a"][0]: {"test_other"}}, "gone.py": {BOTH["b"][0]: {"test_it"}}}
    record(Verdicts(tmp_path), Used(again, {BOTH["b"][0]: BOTH["b"][1]}, whole=()), None)
    recorded = record(slow, Used({}, {}, whole=("one.py", "two.py", "gone.py")), None)
    assert recorded.dropped == 2
    assert found(tmp_path) == {"one.py.verdicts.jsonl": 2, "gone.py.verdicts.jsonl": 1}


def test_what_another_run_wrote_meanwhile_is_kept(tmp_path: Path) -> None:
    first, second = Verdicts(tmp_path), Verdicts(tmp_path)
    first.load()
    second.load()
    record(first, used(one="a"), None)
    record(second, used(one="b"), None)
    assert found(tmp_path) == {"one.py.verdicts.jsonl": 2}
    key, _ = BOTH["a"]
    answered = Verdicts(tmp_path)
    answered.load()
    (tmp_path / "one.py.verdicts.jsonl").unlink()
    record(answered, Used({"two.py": {key: {"test_it"}}}, {}, ()), None)
    assert found(tmp_path) == {"two.py.verdicts.jsonl": 1}


def test_two_runs_that_write_one_file_at_once_lose_nothing_however_long_they_redact(
    tmp_path: Path,
) -> None:
    both_have_read = Barrier(2)
    asked: list[str] = []

    def recorded(name: str) -> Recorded:
        def redact(kept: dict[str, Any]) -> dict[str, Any]:
            asked.append(name)
            if asked.count(name) == 1:
                both_have_read.wait(10)
            return kept

        return record(Verdicts(tmp_path), used(one=name), Redaction(redact, {}))

    with ThreadPoolExecutor() as pool:
        done = [*pool.map(recorded, "ab")]
    assert [each.new for each in done] == [1, 1]
    assert found(tmp_path) == {"one.py.verdicts.jsonl": 2}
    assert len(asked) == 3  # the one that came second was asked about the other's line as well


def test_a_folder_that_another_one_holds_is_waited_for_and_then_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept"
    monkeypatch.setattr(files, "_PATIENCE", 0.05)
    with files.alone_in(folder), pytest.raises(TimeoutError, match=r"has been writing there.*kept"):
        record(Verdicts(folder), used(one="a"), None)
    assert found(folder) == {}
    record(Verdicts(folder), used(one="a"), None)
    assert found(folder) == {"one.py.verdicts.jsonl": 1}


def test_a_file_under_a_name_in_other_letters_is_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower, upper = tmp_path / file_name("test_a.py"), tmp_path / file_name("Test_A.py")
    record(Verdicts(tmp_path), used(test_a="a"), None)
    verdicts = Verdicts(tmp_path)
    verdicts.load()
    os.link(lower, upper)  # a disk that ignores case gives one file under both names
    monkeypatch.setattr(Verdicts, "anew", lambda read: read)
    record(verdicts, used(Test_A="b"), None)
    assert len(lower.read_bytes().splitlines()) == 2


def test_a_disk_without_space_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(Verdicts(tmp_path), used(one="a"), None)
    before = found(tmp_path)
    write = Path.write_bytes

    def full(path: Path, content: Any) -> int:
        if "two" in path.name:
            write(path, content[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        record(Verdicts(tmp_path), used(one="b", two="b"), None)
    assert found(tmp_path) == before


@pytest.mark.parametrize("device", ["com¹", "LPT³.x", "conin$", "CONOUT$.py", "com7"])
def test_a_name_that_windows_keeps_for_a_device_is_none_of_a_file(device: str) -> None:
    name = file_name(f"{device}/{device}")
    assert not any(part.lower().startswith(("com", "lpt", "con")) for part in name.split("/"))
