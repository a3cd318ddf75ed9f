"""The files of committed verdicts: how they are called, and what a run leaves of and in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..errors import UsageError
from ..files import write_whole
from .committed import SUFFIX, Verdicts
from .transfer import entry_fault
from .verdict_line import VerdictLine

Redact = Callable[[dict[str, Any]], Mapping[str, Any] | None]
"""What an entry becomes before it is written; None where it is not to be."""

NO_TEST = "outside-tests"
"""The file, before its suffix, of verdicts that no test asked for."""

_UNSAFE = re.compile(
    # What Windows allows in no name, its devices, and a name's end that it drops.
    r"[%<>:\"|?*\\\x00-\x1f]|^(?=(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)).|^\.+$|[. ]$",
    re.IGNORECASE,
)


def file_name(test_file: str) -> str:
    """The name below the folder for ``test_file``, as node ids name it: the same path.

    What a name can't hold on every system stands there as ``%XX``.
    """
    parts = [_UNSAFE.sub(_escaped, part) for part in test_file.split("/") if part]
    return ("/".join(parts) or NO_TEST) + SUFFIX


def _escaped(unsafe: re.Match[str]) -> str:
    return "".join(f"%{ord(character):02X}" for character in unsafe[0])


def recorded_for(name: str) -> str | None:
    """The test file that ``file_name`` made ``name`` of; None for that of no test."""
    stem = name.removesuffix(SUFFIX)
    return None if stem == NO_TEST else unquote(stem)


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
    """How many lines a run added, changed and dropped, and whether these are the first files."""

    new: int
    changed: int
    dropped: int
    first: bool


def forsaken(verdicts: Verdicts, root: Path) -> set[str]:
    """The test files that ``verdicts`` has files for and that are no more below ``root``.

    None where all of them are: the folder is then one that belongs to another root.
    """
    verdicts.load()
    names = [path.relative_to(verdicts.folder).as_posix() for path in verdicts.files]
    files = {name: recorded_for(name) for name in names}
    meant = {file for name, file in files.items() if file is not None and file_name(file) == name}
    gone = {file for file in meant if not (root / file).exists()}
    return gone if gone < meant else set()


def record(verdicts: Verdicts, used: Used, redact: Redact | None) -> Recorded:
    """Write what ``used`` tells into the files of ``verdicts``, and nothing where all is there.

    A file that is left without a line is removed. Raises ``UsageError`` for an entry that
    ``redact`` leaves in no shape, with nothing written, and ``OSError``.
    """
    verdicts.load()
    names = {verdicts.folder / file_name(file): file for file in (*used.tests, *used.whole)}
    new = changed = dropped = 0
    texts: dict[Path, str] = {}
    for path in sorted({*names, *verdicts.files}):
        before = verdicts.in_file(path)
        if path not in names and before.keys().isdisjoint(used.entries):
            continue
        after = _after(verdicts, path, names.get(path), used)
        if redact is not None:
            after = {key: line for key, old in after.items() if (line := _redacted(old, redact))}
        new += len(after.keys() - before.keys())
        dropped += len(before.keys() - after.keys())
        changed += sum(before[key] != after[key] for key in before.keys() & after.keys())
        lines = sorted(after.values(), key=lambda line: line.order)
        texts[path] = "".join(f"{line.text()}\n" for line in lines)
    first = not verdicts.files and any(texts.values())
    for path, text in texts.items():
        _put(path, text, [raw for _, raw in verdicts.files.get(path, ())], verdicts.folder)
    return Recorded(new, changed, dropped, first)


def _after(
    verdicts: Verdicts, path: Path, test_file: str | None, used: Used
) -> dict[str, VerdictLine]:
    """The lines of one file after the run. Without ``test_file``, none of its tests ran."""
    before = verdicts.in_file(path)
    tests = {} if test_file is None else used.tests.get(test_file, {})
    whole = test_file in used.whole
    lines = {}
    for key in set(tests) if whole else {*before, *tests}:
        line = before.get(key) or verdicts.line(key)
        by = before[key].tests if key in before and not whole else ()
        if (entry := used.entries.get(key)) is not None:
            lines[key] = VerdictLine(key, entry, by).also_for(tests.get(key, ()))
        elif line is not None:
            kept = VerdictLine(key, line.entry, by, line.redacted)
            lines[key] = kept.also_for(tests.get(key, ()))
    return lines


def _redacted(line: VerdictLine, redact: Redact) -> VerdictLine | None:
    entry = redact(deepcopy(dict(line.entry)))
    if entry is None or entry == line.entry:
        return line if entry else None
    told = f"got {type(entry).__name__}"
    if not isinstance(entry, dict) or (told := entry_fault(line.key, entry, redacted=True) or ""):
        raise UsageError(f"pytest_llm_eval_redact gives an entry, or None to leave it out: {told}")
    return VerdictLine(line.key, entry, line.tests, redacted=True)


def _put(path: Path, text: str, before: list[bytes], folder: Path) -> None:
    if before and text.encode() == b"".join(raw + b"\n" for raw in before):
        return
    if text:
        write_whole(path, text)
        return
    with suppress(FileNotFoundError):
        path.unlink()
    for parent in path.parents:
        if parent == folder.parent:
            break
        with suppress(OSError):  # what holds anything else stays
            parent.rmdir()
