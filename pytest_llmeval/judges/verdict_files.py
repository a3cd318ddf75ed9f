"""The files of committed verdicts: what a run leaves of and in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..files import alone_in, write_all
from .committed import SUFFIX, Verdicts
from .redacted import Redaction
from .verdict_line import VerdictLine
from .verdict_names import file_name, recorded_for


@dataclass(frozen=True, slots=True)
class Used:
    """What a run used: by test file and key, the names of the tests.

    ``entries`` are those that did not come from the folder, by key; ``whole`` the test files whose
    tests all ran to their end, so that what they did not use is of no use.
    """

    tests: Mapping[str, Mapping[str, Collection[str]]]
    entries: Mapping[str, Mapping[str, Any]]
    whole: Collection[str]


@dataclass(frozen=True, slots=True)
class Recorded:
    """How many lines a run added, changed and dropped, and whether these are the first files.

    ``left_out`` are those that a hook kept from being written, whether or not they stood there.
    """

    new: int
    changed: int
    dropped: int
    left_out: int
    first: bool


def forsaken(verdicts: Verdicts, root: Path, used: Collection[str]) -> set[str]:
    """The test files that ``verdicts`` has files for and that are no more below ``root``.

    A folder that is not below ``root`` may belong to another one: where none of its test files is
    here, and nothing that stands in it was ``used`` by tests that have moved, none is forsaken.
    """
    verdicts.load()
    gone: dict[str, Path] = {}
    ours = verdicts.folder.resolve().is_relative_to(root.resolve())
    for path in verdicts.files:
        name = path.relative_to(verdicts.folder).as_posix()
        file = recorded_for(name)
        if file is not None and file_name(file) == name:
            if (root / file).exists():
                ours = True
            else:
                gone[file] = path
    moved = any(not verdicts.in_file(path).keys().isdisjoint(used) for path in gone.values())
    return {*gone} if ours or moved else set()


def refuse_links(verdicts: Verdicts, paths: Iterable[Path]) -> None:
    """Raise ``UsageError`` for one of ``paths`` that leads out of the folder by a link in it."""
    for path in paths:
        for part in (path, *path.parents):
            if part == verdicts.folder:
                break
            if part.is_symlink():
                raise UsageError(f"{part} is a link, and none is written through: remove it")


def record(verdicts: Verdicts, used: Used, redaction: Redaction | None) -> Recorded:
    """Write what ``used`` tells into the files of ``verdicts``, and nothing where all is there.

    The files are read anew, since another run may have written some, and again where one does so
    meanwhile: redacting may take long, and holds nobody up. A file that is left without a line is
    removed. Raises ``UsageError`` for a line that is damaged by now, a link, or an entry that
    ``redaction`` leaves otherwise than it may, with nothing written, and ``OSError``.
    """
    now = verdicts.anew()
    while True:
        now.load()
        texts, recorded = _planned(now, used, verdicts, redaction)
        changed = _changed(now, texts)
        if not changed:
            return recorded
        refuse_links(now, changed)
        with alone_in(now.folder):
            fresh = now.anew()
            fresh.load()
            if fresh.files == now.files:
                _put(now, changed)
                return recorded
        now = fresh


def _planned(
    now: Verdicts, used: Used, read: Verdicts, redaction: Redaction | None
) -> tuple[dict[Path, str], Recorded]:
    """The files that a run which was answered by ``read`` leaves of ``now``, and what is new."""
    names = {_standing(now, file_name(file)): file for file in (*used.tests, *used.whole)}
    new = changed = dropped = left_out = 0
    texts: dict[Path, str] = {}
    for path in sorted({*names, *now.files}):
        before = now.in_file(path)
        if path not in names and before.keys().isdisjoint(used.entries):
            continue
        after = needed = _after(now, path, names.get(path), used, read)
        if redaction is not None:
            where = path.relative_to(now.folder).as_posix().removesuffix(SUFFIX)
            after = dict(_redacted(needed, redaction, where))
        new += len(after.keys() - before.keys())
        dropped += len(before.keys() - needed.keys())
        left_out += len(needed) - len(after)
        changed += sum(before[key] != after[key] for key in before.keys() & after.keys())
        lines = sorted(after.values(), key=lambda line: line.order)
        texts[path] = "".join(f"{line.text()}\n" for line in lines)
    first = not now.files and any(texts.values())
    return texts, Recorded(new, changed, dropped, left_out, first)


def _standing(verdicts: Verdicts, name: str) -> Path:
    """The path of the file called ``name``: as it stands there, on disks that ignore case."""
    path = verdicts.folder / name
    if path in verdicts.files or not path.exists():
        return path
    return next((each for each in verdicts.files if each.samefile(path)), path)


def _after(
    now: Verdicts, path: Path, test_file: str | None, used: Used, read: Verdicts
) -> dict[str, VerdictLine]:
    """The lines of one file after the run, which was answered by ``read``.

    Without ``test_file``, none of its tests ran. Where all of them did, what they did not use goes
    if it stood there when the run began.
    """
    before = now.in_file(path)
    tests = {} if test_file is None else used.tests.get(test_file, {})
    # What another run wrote meanwhile is not for this one to drop: it may be of a newer file.
    stood = read.in_file(path) if test_file in used.whole else {}
    others = {key: line for key, line in before.items() if line != stood.get(key)}
    lines = {}
    for key in sorted({*others, *tests}):
        line = before.get(key) or now.line(key) or read.line(key)
        by = others[key].tests if key in others else ()
        if (entry := used.entries.get(key)) is not None:
            lines[key] = VerdictLine(key, entry, by).also_for(tests.get(key, ()))
        elif line is not None:
            kept = VerdictLine(key, line.entry, by, line.redacted)
            lines[key] = kept.also_for(tests.get(key, ()))
    return lines


def _redacted(
    lines: Mapping[str, VerdictLine], redaction: Redaction, test_file: str
) -> Iterator[tuple[str, VerdictLine]]:
    for key, line in lines.items():
        try:
            written = redaction.of(line)
        except UsageError as error:
            test = "::".join((test_file, *line.tests[:1]))
            raise UsageError(f"{error} ({line.entry['task']} of {test})") from error
        if written is not None:
            yield key, written


def _changed(verdicts: Verdicts, texts: Mapping[Path, str]) -> dict[Path, str]:
    """Those of ``texts`` that their files do not hold."""
    return {
        path: text
        for path, text in texts.items()
        if text.encode() != b"".join(raw + b"\n" for _, raw in verdicts.files.get(path, ()))
        or (not text and path in verdicts.files)
    }


def _put(verdicts: Verdicts, texts: Mapping[Path, str]) -> None:
    """Have the files hold ``texts``, all of them or none; those of nothing go."""
    write_all({path: text for path, text in texts.items() if text})
    for path in (path for path, text in texts.items() if not text):
        with suppress(FileNotFoundError):
            path.unlink()
        for parent in path.parents:
            if parent == verdicts.folder:
                break
            with suppress(OSError):  # what holds anything else stays
                parent.rmdir()
