"""The store among other processes, and on disks that are damaged, locked, read-only or full."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from awaited import until

from pytest_llmeval.judges import disk
from pytest_llmeval.judges.store import Store

ENTRY = {"text": "yes"}
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

WRITER = """
import sys
from pathlib import Path
from pytest_llmeval.judges import disk
from pytest_llmeval.judges.store import Store

disk.PATIENCE = 60.0  # with so many at once, a turn may be long in coming
folder, name, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = Store(folder)
sys.stdin.readline()
for at in range(number):
    key = f"{name}-{at}"
    store.put(key, {"text": key * 20})
    assert store.get(key) == {"text": key * 20}, store.trouble
    print(key, flush=True)
print(*store.notes, sep="\\n", file=sys.stderr)
store.close()
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    kept = Store(tmp_path / "kept")
    yield kept
    kept.close()


@pytest.fixture
def path(store: Store) -> Path:
    """The database of a store that holds 300 entries and is closed."""
    for number in range(300):
        store.put(f"k{number:03}", {"text": "x" * 400})
    store.close()
    return store.folder / "v1" / "cache.db"


def writer(folder: Path, name: str, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "error", "-c", WRITER, folder, name, str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def written_by_eight(folder: Path) -> tuple[set[str], str]:
    """The keys that eight processes wrote at the same time, and what they said on stderr."""
    writers = [writer(folder, name, 200) for name in "abcdefgh"]
    for each in writers:
        assert each.stdin is not None
        each.stdin.write("\n")
        each.stdin.flush()
    ended = [each.communicate(timeout=600) for each in writers]
    assert [each.returncode for each in writers] == [0] * 8, ended
    return {key for out, _ in ended for key in out.split()}, "".join(err for _, err in ended)


def test_eight_processes_write_at_once_and_lose_nothing(store: Store) -> None:
    keys, said = written_by_eight(store.folder)
    assert len(keys) == 1600
    assert {key for key, _ in store} == keys
    assert said.strip() == ""


def test_eight_processes_that_meet_damage_set_it_aside_once_and_lose_nothing(
    store: Store, path: Path
) -> None:
    path.write_bytes(b"garbage" * 1000)
    keys, said = written_by_eight(store.folder)
    assert {key for key, _ in store} == keys
    assert len(keys) == 1600
    assert said.count("was damaged") == 1
    assert [each.name for each in path.parent.glob("*damaged*")] == ["cache.db.damaged-1"]


def test_a_killed_writer_loses_nothing_that_was_put(store: Store) -> None:
    with writer(store.folder, "a", 100_000) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        keys = [process.stdout.readline().strip() for _ in range(50)]
        process.kill()
        keys += process.stdout.read().split()
    assert process.returncode != 0
    kept = dict(store)
    assert [key for key in keys if kept.get(key) != {"text": key * 20}] == []
    assert (store.trouble, store.notes) == (None, [])


def test_closing_leaves_no_file_open_and_the_store_can_be_used_again(store: Store) -> None:
    code = (
        "import gc, os, sys; from pathlib import Path\n"
        "from pytest_llmeval.judges.store import Store\n"
        "store = Store(Path(sys.argv[1])); store.put('a', {}); len(store); store.close()\n"
        "store.put('b', {}); store.close(); store.close(); gc.collect()\n"
        "fds = Path('/proc/self/fd')\n"
        "files = [os.path.realpath(fd) for fd in fds.iterdir()] if fds.exists() else []\n"
        "sys.exit(any(sys.argv[1] in file for file in files))"
    )
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code, store.folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(store) == [("a", {}), ("b", {})]


def in_child(work: Callable[[], bool]) -> bool:
    """What ``work`` says in a forked child."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@FORKS
def test_a_forked_child_opens_a_connection_of_its_own(store: Store) -> None:
    store.put("parent", ENTRY)
    closed, tell = os.pipe()

    def work() -> bool:
        store.put("child", ENTRY)
        os.read(closed, 1)
        store.put("child, once the parent had closed", ENTRY)
        return len(store) == 3 and store.trouble is None

    pid = os.fork()
    if pid == 0:
        os._exit(0 if work() else 1)
    until(lambda: store.get("child") is not None)
    store.close()
    os.write(tell, b".")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(closed)
    os.close(tell)
    assert len(store) == 3


@FORKS
def test_a_child_forked_beside_the_thread_that_has_the_store_goes_without_it(store: Store) -> None:
    opened, ended = threading.Event(), threading.Event()

    def work() -> None:
        store.put("parent", ENTRY)
        opened.set()
        ended.wait()
        store.put("parent, later", ENTRY)
        store.close()

    thread = threading.Thread(target=work)
    thread.start()
    opened.wait()
    refused = in_child(lambda: store.get("parent") is None and "forked" in (store.trouble or ""))
    ended.set()
    thread.join()
    assert refused
    assert store.trouble is None
    assert len(store) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"\x00\xffgarbage" * 5000),
        lambda path: path.write_bytes(b"<<<<<<< HEAD\n" + path.read_bytes()),
        lambda path: os.truncate(path, 100),
        lambda path: os.truncate(path, path.stat().st_size // 2),
        lambda path: os.truncate(path, 4096),
        lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 100_000),
    ],
    ids=["garbage", "merge", "stub", "half", "page", "pages"],
)
def test_a_damaged_database_is_set_aside_and_the_store_goes_on(
    store: Store, path: Path, damage: Callable[[Path], object]
) -> None:
    damage(path)
    before = path.read_bytes()
    assert len(store) < 300
    for number in range(300):
        store.put(f"k{number:03}", ENTRY)
    assert [entry for _, entry in store] == [ENTRY] * 300
    assert store.trouble is None
    assert len(store.notes) == 1
    assert str(store.folder) in store.notes[0]
    assert "v1/cache.db.damaged-1" in store.notes[0]
    aside = path.with_name("cache.db.damaged-1")
    assert len(aside.read_bytes()) == len(before)


def test_the_log_of_a_damaged_database_goes_with_it(store: Store, path: Path) -> None:
    path.with_name("cache.db-wal").write_bytes(b"its log")
    path.with_name("cache.db-shm").write_bytes(b"its index")
    assert disk.set_aside(path, disk.identity(path)) == "cache.db.damaged-1"
    assert path.with_name("cache.db.damaged-1-wal").read_bytes() == b"its log"
    assert path.with_name("cache.db.damaged-1-shm").read_bytes() == b"its index"
    assert len(store) == 0


def test_damage_under_an_open_store_is_set_aside_too(store: Store, path: Path) -> None:
    assert store.get("k000") is not None
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    entries = [store.get(f"k{number:03}") for number in range(300)]
    assert entries[299] is None
    store.put("a", ENTRY)
    assert list(store) == [("a", ENTRY)]
    assert store.trouble is None
    assert len(store.notes) == 1


@FORKS
def test_a_database_cut_short_under_an_open_store_does_not_kill(store: Store, path: Path) -> None:
    def work() -> bool:
        store.get("k000")
        os.truncate(path, 0)
        for number in range(300):
            store.get(f"k{number:03}")
        store.put("a", ENTRY)
        return store.get("a") == ENTRY or store.trouble is not None

    assert in_child(work)


def test_what_another_process_has_set_aside_is_left_alone(store: Store, path: Path) -> None:
    seen = disk.identity(path)
    path.rename(path.with_name("elsewhere"))
    store.put("a", ENTRY)
    assert disk.set_aside(path, seen) is None
    assert disk.set_aside(path, None) is None
    assert list(store) == [("a", ENTRY)]


def test_an_earlier_damaged_file_is_kept_too(store: Store, path: Path) -> None:
    for _ in range(2):
        path.write_bytes(b"garbage" * 1000)
        store.put("a", ENTRY)
        store.close()
    names = {each.name for each in path.parent.glob("*damaged-?")}
    assert names == {"cache.db.damaged-1", "cache.db.damaged-2"}


def test_an_empty_file_is_an_empty_store(store: Store, path: Path) -> None:
    path.write_bytes(b"")
    assert len(store) == 0
    store.put("a", ENTRY)
    assert (store.get("a"), store.trouble, store.notes) == (ENTRY, None, [])


def test_a_folder_removed_during_the_run_is_made_again(store: Store, path: Path) -> None:
    assert store.get("k000") is not None
    shutil.rmtree(store.folder)
    store.put("a", ENTRY)
    store.close()
    assert list(store) == [("a", ENTRY)]
    assert (store.folder / ".gitignore").exists()


def assert_off(store: Store, matter: str) -> None:
    """The store has said what is the matter, once, and costs nothing from here on."""
    said = store.trouble
    assert said is not None
    assert matter in said
    assert str(store.folder) in said
    assert "choose another folder" in said
    assert "\n" not in said
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "_done", lambda *given: pytest.fail("the disk was touched"))
        for _ in range(2):
            assert store.get("k000") is None
            store.put("a", ENTRY)
            assert list(store) == []
    assert store.trouble == said


@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_locked_store_costs_one_wait_and_is_then_left_alone(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch, opened: bool, lock: str
) -> None:
    monkeypatch.setattr(disk, "PATIENCE", 0.3)
    assert not opened or store.get("k000") is not None
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"BEGIN {lock}")
        begun = time.perf_counter()
        store.put("a", ENTRY)
        assert 0.25 < time.perf_counter() - begun < 20  # diskcache would try for a minute
        assert_off(store, "locked")
    assert len(Store(store.folder)) == 300


@contextmanager
def write_protected(folder: Path) -> Iterator[None]:
    """In here nobody may write to ``folder`` or what it holds; root becomes somebody else."""
    root = os.geteuid() == 0
    paths = [folder, *folder.rglob("*")]
    for each in paths:
        each.chmod(each.stat().st_mode & ~0o222)
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for each in paths:
            each.chmod(each.stat().st_mode | stat.S_IWUSR)


@pytest.fixture
def visible() -> Iterator[Path]:
    """A folder that every user can look into, which those under ``tmp_path`` are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights differ on this system")


@posix
@pytest.mark.parametrize("reads", [True, False])
def test_a_read_only_store_is_told_and_left_alone(visible: Path, reads: bool) -> None:
    Store(visible / "kept").put("k000", ENTRY)
    store = Store(visible / "kept")
    with write_protected(visible):
        if reads:
            assert store.get("k000") is None
        else:
            store.put("a", ENTRY)
        assert_off(store, "make it readable and writable")


@posix
def test_a_folder_that_cannot_be_made_is_told_and_left_alone(visible: Path) -> None:
    store = Store(visible / "missing" / "kept")
    with write_protected(visible):
        assert store.get("k000") is None
        store.put("a", ENTRY)
        assert_off(store, "Permission denied; make it readable and writable")


@pytest.mark.parametrize("blocked", ["kept", "kept/v1"])
def test_a_file_in_the_way_is_told_and_left_alone(tmp_path: Path, blocked: str) -> None:
    (tmp_path / "kept").mkdir() if blocked != "kept" else None
    (tmp_path / blocked).write_text("mine")
    store = Store(tmp_path / "kept")
    store.put("a", ENTRY)
    assert_off(store, "a file stands in its way; move it away")
    assert (tmp_path / blocked).read_text() == "mine"
    by_get = Store(tmp_path / "kept")
    assert by_get.get("a") is None
    assert_off(by_get, "a file stands in its way")


def test_a_folder_in_place_of_the_database_is_told_and_left_alone(store: Store) -> None:
    (store.folder / "v1" / "cache.db").mkdir(parents=True)
    assert store.get("a") is None
    assert_off(store, "cache.db is no plain file; move it away")


def test_a_full_disk_is_told_and_what_was_put_before_stays(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(disk._SETTINGS, "sqlite_max_page_count", 100)
    for number in range(300):
        store.put(f"full{number}", {"text": "x" * 4000})
    assert_off(store, "full; make room")
    monkeypatch.undo()
    again = dict(Store(store.folder))
    assert again.keys() >= {f"k{number:03}" for number in range(300)}
    assert "full0" in again


def test_a_disk_that_refuses_to_write_on_is_told(store: Store) -> None:
    resource = pytest.importorskip("resource")
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from pytest_llmeval.judges.store import Store\n"
        "store = Store(Path(sys.argv[1])); store.put('a', {'text': 'kept'})\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "for number in range(100): store.put(str(number), {'text': 'x' * 10_000})\n"
        "print(store.trouble); store.close()"
    )
    assert resource is not None
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, store.folder],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "disk" in ended.stdout
    assert ended.stderr == ""
    assert store.get("a") == {"text": "kept"}


def test_a_variable_in_the_folders_name_never_leads_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_EVAL_ELSEWHERE", "elsewhere")
    store = Store(tmp_path / "$LLM_EVAL_ELSEWHERE")
    store.put("a", ENTRY)
    assert_off(store, "rename it")
    assert list(tmp_path.iterdir()) == []
