"""The store: what judges said, kept on disk as JSON under a digest of everything that shaped it."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import UsageError

if TYPE_CHECKING:
    from .disk import TextFile

FORMAT = 1
"""The layout of keys and entries. A change to either raises it, and with it the folder's name."""

LEASE = "lease/"
"""How the keys of rows begin that are no entries: they say who asks a question right now."""

T = TypeVar("T")

Free = Callable[[dict[str, Any] | None], bool]
"""Whether the row that stands there, None where there is none, may be replaced."""


def key_of(material: Mapping[str, object]) -> str:
    """The hex SHA-256 of ``material`` as canonical JSON, together with ``FORMAT``.

    The order of mappings does not count, a tuple is a list, and a number is its value (1 and 1.0
    are one key; True is another). Lone surrogates are taken as they are.

    Raises ``UsageError`` for what JSON cannot say: NaN, infinity, names that are no text, objects.
    """
    return key_of_written({name: canonical(value) for name, value in material.items()})


def key_of_written(material: Mapping[str, str]) -> str:
    """What ``key_of`` gives, for values that are canonical JSON already."""
    texts = ",".join(f"{json.dumps(name)}:{material[name]}" for name in sorted(material))
    return sha256(f'{{"format":{FORMAT},"material":{{{texts}}}}}'.encode("ascii")).hexdigest()


def canonical(value: object) -> str:
    """``value`` as canonical JSON: equal values are equal text. Raises as ``key_of`` does."""
    return _json(value, by_value=True)


class Store:
    """Entries by key in ``<folder>/v1``, for one thread here and any number of processes at once.

    Nothing is read or made before the first ``get`` or ``put``, and only ``put`` makes anything.
    ``close`` belongs in the thread that used the store; what comes after it opens the file anew.

    No fault of the disk leaves a method as an exception. A damaged file is set aside, told in
    ``notes``, and a fresh one begun. Whatever else keeps the store from being used (lock,
    permission, space) is told in ``trouble``, one sentence with the folder, the matter and what
    to do; from then on every ``get`` is a miss and every ``put`` does nothing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.trouble: str | None = None
        self.notes: list[str] = []
        self._path = self.folder / f"v{FORMAT}" / "cache.db"
        self._file: TextFile | None = None
        self._identity: tuple[int, int] | None = None

    def get(self, key: str) -> dict[str, Any] | None:
        """The entry under ``key``, or None where there is none that can be read and trusted."""
        text = self._tried(lambda file: file.read(key), make=False)
        return None if text is None else object_in(text)

    def put(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keep ``entry`` under ``key``, in place of what may be there.

        Raises ``UsageError`` for what JSON cannot say, and for a key that is no ASCII text.
        """
        if not key.isascii():
            raise UsageError(f"store: a key comes from key_of(), and {key!r} does not")
        text = _json(entry)
        self._tried(lambda file: file.write(key, text), make=True)

    def claim(self, key: str, row: Mapping[str, Any], free: Free) -> bool:
        """Put ``row`` under ``key`` if ``free`` allows it of what is there, in one step.

        True also where the store can't be used: there is nobody then to agree with.
        """
        text = _json(row)
        done = self._tried(lambda file: file.replace(key, text, _reading(free)), make=True)
        return done is not False

    def drop(self, key: str, free: Free) -> bool:
        """Remove what is under ``key`` if ``free`` allows it of that, in one step."""
        return self._tried(lambda file: file.replace(key, None, _reading(free)), make=False) is True

    def close(self) -> None:
        """Close the file, if it is open."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every readable entry with its key, sorted by key."""
        for key in self._keys():
            if not key.startswith(LEASE) and (entry := self.get(key)) is not None:
                yield key, entry

    def leases(self) -> list[str]:
        """The keys of the rows that are leases, sorted."""
        return [key for key in self._keys() if key.startswith(LEASE)]

    @property
    def begun(self) -> bool:
        """Whether there is a file, readable or not."""
        return os.path.lexists(self._path)

    def size(self) -> int:
        """Bytes on disk, with what was set aside."""
        sizes = 0
        for path in self._path.parent.glob("*"):
            with suppress(OSError):
                sizes += path.lstat().st_size
        return sizes

    def _keys(self) -> list[str]:
        return self._tried(lambda file: file.keys(), make=False) or []

    def __len__(self) -> int:
        """How many entries can be read."""
        return sum(1 for _ in self)

    def _tried(self, work: Callable[[TextFile], T], make: bool) -> T | None:
        """What ``work`` gives over the open file; None when there is no file that can be used."""
        if self.trouble is not None:
            return None
        from .disk import DiskError, telling

        try:
            try:
                with telling():
                    return self._done(work, make)
            except DiskError as error:
                if not error.damage:
                    raise
                with telling():
                    self._set_aside(error.what)
                    return self._done(work, make)
        except DiskError as error:
            what = f"the store in {self.folder} is not used: {error.what}"
            self.trouble = f"{what}; {error.advice}, or choose another folder"
            self.close()
            return None

    def _done(self, work: Callable[[TextFile], T], make: bool) -> T | None:
        from .disk import TextFile, identity

        if self._file is not None and make and identity(self._path) != self._identity:
            self.close()  # the folder was emptied, or another process set the file aside
        if self._file is None:
            if not self._found(make):
                return None
            self._identity = identity(self._path)
            self._file = TextFile(self._path)
            self._identity = identity(self._path)
        return work(self._file)

    def _found(self, make: bool) -> bool:
        """Whether there is a file to open; with ``make``, all but the file itself is made."""
        from .disk import DiskError

        if os.path.expandvars(self._path) != str(self._path):
            raise DiskError("diskcache would expand a variable in its name", "rename it")
        if make:
            self._make()
        try:
            plain = stat.S_ISREG(self._path.lstat().st_mode)
        except FileNotFoundError:
            return make
        if not plain:
            raise DiskError(f"{self._path.name} is no plain file", "move it away")
        return True

    def _make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        # A folder that holds anything else is not ours to hide from git.
        if all(re.fullmatch(r"v\d+", child.name) for child in self.folder.iterdir()):
            with suppress(FileExistsError), (self.folder / ".gitignore").open("x") as file:
                file.write("*\n")
        self._path.parent.mkdir(exist_ok=True)

    def _set_aside(self, what: str) -> None:
        from .disk import set_aside

        self.close()
        name = set_aside(self._path, self._identity)
        if name is not None:
            kept = f"its file is kept as {self._path.parent.name}/{name}, and a fresh one begun"
            self.notes.append(f"the store in {self.folder} was damaged ({what}): {kept}")


def _reading(free: Free) -> Callable[[str | None], bool]:
    return lambda text: free(None if text is None else object_in(text))


def _json(value: object, by_value: bool = False) -> str:
    """``value`` as compact JSON in ASCII, which a lone surrogate cannot break.

    ``by_value`` makes it canonical: names sorted, equal numbers written alike.
    """
    try:
        return (_written_by_name if by_value else _written)(_plain(value, by_value))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"store: {error}") from None


def _plain(value: object, by_value: bool) -> object:
    """``value`` in JSON's own types; raises ``UsageError`` for what would not come back equal."""
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                raise UsageError(f"store: names are text, got {name!r} ({type(name).__name__})")
        return {name: _plain(item, by_value) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, by_value) for item in value]
    if isinstance(value, float) and by_value and value.is_integer():
        return int(value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise UsageError(f"store: a {type(value).__name__} is no JSON value")


def object_in(text: str) -> dict[str, Any] | None:
    """The JSON object that ``text`` is, or None if it is anything else."""
    try:
        entry = _decoded(text)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def finite(digits: str) -> float:
    """The number that ``digits`` of JSON are. Raises ``ValueError`` where it is no finite one."""
    if not math.isfinite(number := float(digits)):
        raise ValueError(f"{digits} is no finite number")
    return number


# json.loads and json.dumps would make these anew for every text.
_decoded = json.JSONDecoder(parse_float=finite, parse_constant=finite).decode
_written = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_written_by_name = json.JSONEncoder(allow_nan=False, separators=(",", ":"), sort_keys=True).encode
