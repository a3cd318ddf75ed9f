"""The store's file: a diskcache database that holds text only, whatever its rows say."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from diskcache import DEFAULT_SETTINGS, Cache, Disk, Timeout
from diskcache.core import METADATA, MODE_RAW

PATIENCE = 5.0  # seconds to wait for another process's lock
_SETTINGS: dict[str, Any] = {
    **DEFAULT_SETTINGS,
    "eviction_policy": "none",
    "cull_limit": 0,
    # What SQLite advises for a file that others may have written or cut short: nothing in its
    # schema runs functions, pages are checked, and no memory map (a short file kills by SIGBUS).
    "sqlite_trusted_schema": 0,
    "sqlite_cell_size_check": 1,
    "sqlite_mmap_size": 0,
    # Pages: entries are read once each, so that a large cache of them only takes memory.
    "sqlite_cache_size": 256,
}
# Not only broken pages: another schema too, and (None) text that is no UTF-8 or a row there twice.
_BROKEN = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_DAMAGE = (*_BROKEN, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, None)
_ACCESS = "make it readable and writable"
_ADVICE = dict.fromkeys(_DAMAGE, "move its file away") | {
    sqlite3.SQLITE_BUSY: "end the process that holds the lock",
    sqlite3.SQLITE_FULL: "make room",
    sqlite3.SQLITE_IOERR: "check the disk",
}


@dataclass(eq=False)
class DiskError(Exception):
    """What is the matter, what to do about it, and whether the file itself is damaged."""

    what: str
    advice: str
    damage: bool = False


class TextDisk(Disk):  # type: ignore[misc]  # diskcache has no types
    """Text in, text out, in the row itself.

    diskcache unpickles a key or a value when the row says so (CVE-2025-69872), and reads and
    deletes the files that it names. Here a row that says either holds nothing.
    """

    def put(self, key: str) -> tuple[str, bool]:
        return key, True

    def get(self, key: object, raw: object) -> str | None:
        return key if raw == 1 and isinstance(key, str) else None

    def store(self, value: str, read: bool, key: object = None) -> tuple[int, int, None, str]:
        return 0, MODE_RAW, None, value

    def fetch(self, mode: object, filename: object, value: object, read: bool) -> str | None:
        return value if (mode, filename) == (MODE_RAW, None) and isinstance(value, str) else None

    def remove(self, file_path: object) -> None:
        """Nothing: no row of ours has a file."""


class TextFile:
    """Texts by key in the database at ``path``, opened or made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._cache = _opened(path)
        self._opened_in = (os.getpid(), threading.current_thread())

    def read(self, key: str) -> str | None:
        """The text under ``key``, or None; a row that is not as we write it holds nothing."""
        text: str | None = None
        try:
            text = self._own().get(key, retry=False)
        except (ValueError, sqlite3.OperationalError) as error:
            if _code(error) is not None:
                raise
        return text

    def write(self, key: str, text: str) -> None:
        """Put ``text`` under ``key``; from its return on, a kill no longer loses it."""
        self._own().set(key, text, retry=False)

    def replace(self, key: str, text: str | None, may: Callable[[str | None], bool]) -> bool:
        """Put ``text`` (None: nothing) under ``key`` if ``may`` allows it of the text there."""
        if not may(self.read(key)):
            return False
        cache = self._own()
        with cache.transact(retry=False):
            if not may(self.read(key)):
                return False
            if text is None:
                cache.delete(key, retry=False)
            else:
                cache.set(key, text, retry=False)
        return True

    def keys(self) -> list[str]:
        """Every key that is plain text, sorted."""
        self._own()
        select = "SELECT key FROM Cache WHERE raw = 1 AND typeof(key) = 'text' ORDER BY key"
        with closing(_connected(self._path)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            return [key for (key,) in connection.execute(select)]

    def close(self) -> None:
        """Close the database."""
        with suppress(sqlite3.Error):
            self._cache.close()

    def _own(self) -> Any:
        """The open cache, which in a forked child closes the connection it inherited.

        It cannot where another thread had that connection; it would then lean on locks that only
        its parent holds, and lose what it writes when the parent closes.
        """
        pid, thread = self._opened_in
        if pid != os.getpid() and thread is not threading.current_thread():
            what = "another thread had it open when this process was forked"
            raise DiskError(what, "start such processes by spawn")
        return self._cache


def identity(path: Path) -> tuple[int, int] | None:
    """What tells the file at ``path`` from any other that stands there later; None if none does."""
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


def set_aside(path: Path, damaged: tuple[int, int] | None) -> str | None:
    """Move the damaged file out of the way, and return its new name.

    None when it is there no more: another process did so first.
    """
    with closing(_connected(path.with_name("moving.lock"))) as lock:
        lock.execute("BEGIN EXCLUSIVE")  # ends with the connection, also when killed
        if damaged is None or identity(path) != damaged:
            return None
        names = (f"{path.name}.damaged-{number}" for number in count(1))
        kept = next(name for name in names if not os.path.lexists(path.with_name(name)))
        # The log first: it must never pass for that of a fresh database.
        for part in ("-wal", "-shm", ""):
            with suppress(FileNotFoundError):
                path.with_name(path.name + part).rename(path.with_name(kept + part))
        return kept


@contextmanager
def telling() -> Iterator[None]:
    """Every fault of the disk in here comes out as a ``DiskError``."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        raise DiskError("a file stands in its way", "move it away") from error
    except OSError as error:
        raise DiskError(error.strerror or str(error), _ACCESS) from error
    except (sqlite3.Error, Timeout, ValueError) as error:
        cause: BaseException = error
        while isinstance(cause.__context__, sqlite3.Error):  # what a time-out or roll-back hides
            cause = cause.__context__
        code = _code(cause)
        raise DiskError(str(cause), _ADVICE.get(code, _ACCESS), code in _DAMAGE) from error


def _code(error: BaseException) -> int | None:
    """SQLite's number for what is the matter; None where it gives none."""
    return error.sqlite_errorcode & 0xFF if hasattr(error, "sqlite_errorcode") else None


def _opened(path: Path) -> Any:
    # The first connection meets locks, missing rights and damage without diskcache's minute of
    # retries; held on to, it keeps the constructor's own closing from writing the log back.
    with closing(_connected(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        _drop_foreign_settings(connection)
        connection.execute("COMMIT")
        cache = Cache.__new__(Cache)  # at hand, to be closed when its constructor fails
        with ExitStack() as failed:
            failed.callback(cache.close)
            cache.__init__(str(path.parent), timeout=PATIENCE, disk=TextDisk, **_SETTINGS)
            failed.pop_all()
        return cache


def _drop_foreign_settings(connection: sqlite3.Connection) -> None:
    """Leave no setting but ours: diskcache makes each an attribute of its own or a pragma."""
    exists = "SELECT 1 FROM sqlite_master WHERE name = 'Settings' COLLATE NOCASE"
    if connection.execute(exists).fetchone() is None:
        return
    for rowid, name, value in connection.execute("SELECT rowid, * FROM Settings").fetchall():
        counts = name in METADATA and isinstance(value, int)
        if not counts and (name not in _SETTINGS or _SETTINGS[name] != value):
            connection.execute("DELETE FROM Settings WHERE rowid = ?", (rowid,))


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
