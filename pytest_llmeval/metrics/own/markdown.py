"""Metrics and rubrics from Markdown files: TOML between lines of ``+++``, then the prompt."""

from __future__ import annotations

import glob
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...data.aliases import closest
from ...data.blank import is_blank
from ...errors import UsageError
from ...option import NamedFile
from ..base import Metric
from ..prompts import Level, Rubric
from ..rubrics import Change, RubricExtension
from .declared import Misdeclared, told
from .judged import JudgedMetric

MARK = "+++"
_KEYS = ("name", "scale", "needs", "at_least", "at_most", "levels", "per_document", "turns")


@dataclass(frozen=True)
class _Page:
    """A file in two: what stands before the prompt, and the prompt from its ``first`` line on."""

    path: Path
    front: Mapping[str, Any]
    front_text: str
    body: str
    first: int

    def at(self, error: UsageError) -> str:
        """File and line that ``error`` speaks of."""
        argument = getattr(error, "argument", "")
        if argument == "prompt":
            return f"{self.path}:{self.first - 1 + getattr(error, 'line', 1)}"
        return f"{self.path}:{self.line_of(argument)}"

    def line_of(self, key: str) -> int:
        """The line of ``key``, the first where it stands nowhere."""
        for number, text in enumerate(self.front_text.split("\n"), start=2):
            if key and re.match(rf"\s*\[?\s*{re.escape(key)}\b", text):
                return number
        return 1


def metrics_in(files: Iterable[Path]) -> Iterator[tuple[str, Metric]]:
    """The metrics of ``files``, some of them patterns (``metrics/*.md``), each with its file.

    Raises ``UsageError`` naming file and line of what can't be, and a file that is not there.
    """
    named: dict[Path, Path] = {}
    for file in files:
        for path in _matching(file):
            named.setdefault(path.resolve(), path)
    for path in named.values():
        yield str(path), _metric(_page(path))


def changes_in(files: Iterable[NamedFile]) -> Iterator[Change]:
    """The changes to rubrics that ``files`` are: in place of a built-in one, or after it.

    In the place of one, the front matter may hold ``levels``. Raises ``UsageError`` as
    ``metrics_in``.
    """
    for named in files:
        if named.sign == "+":
            text = _text(named.path).strip()
            yield Change(str(named.path), RubricExtension(named.name, text))
            continue
        page = _page(named.path, needed=False)
        for key in page.front:
            if key != "levels":
                only = "the front matter of a rubric holds levels and nothing else"
                raise UsageError(f"{page.path}:{page.line_of(key)}: {only}; got {key!r}")
        levels = _levels(page)
        kept = tuple(Level(_value(value), anchor) for value, anchor in levels.items())
        yield Change(str(named.path), Rubric(named.name, page.body, kept), overriding=True)


def _metric(page: _Page) -> Metric:
    for key in page.front:
        if key not in _KEYS:
            where = f"{page.path}:{page.line_of(key)}"
            raise UsageError(f"{where}: a metric has no {key!r}{closest(key, _KEYS)}")
    for key in ("name", "scale"):
        if key not in page.front:
            raise UsageError(f"{page.path}:1: the front matter needs {key}")
    given, levels = dict(page.front), _levels(page)
    words = isinstance(given["scale"], dict) or given["scale"] in ("yes_no", "pass_fail")
    given["levels"] = levels if words else {_value(key): each for key, each in levels.items()}
    try:
        return JudgedMetric(**given, prompt=page.body)
    except UsageError as error:
        raise Misdeclared(f"{page.at(error)}: {error}") from None


def _levels(page: _Page) -> Mapping[str, str]:
    """The texts of the levels by their values, which TOML has as text."""
    levels = page.front.get("levels", {})
    where = f"{page.path}:{page.line_of('levels')}"
    if not isinstance(levels, Mapping):
        raise UsageError(f"{where}: levels is a table of texts")
    for value, anchor in levels.items():
        if isinstance(anchor, Mapping):
            key = f"{value}.{next(iter(anchor), '')}"
            raise UsageError(f'{where}: levels: quote a number with a point, as "{key}" = …')
        if not isinstance(anchor, str) or is_blank(anchor):
            raise UsageError(f"{where}: levels: expected a text for {value}; got {told(anchor)}")
    return levels


def _value(key: str) -> int | float | str:
    """The key of a level, which TOML has as text, as the number that it may be."""
    try:
        return int(key)
    except ValueError:
        pass
    try:
        return float(key)
    except ValueError:
        return key


def _matching(file: Path) -> list[Path]:
    if file.exists():
        return [file]
    found = sorted(map(Path, glob.glob(str(file), recursive=True)))
    if not found:
        raise UsageError(f"{file}: there is no such file of metrics")
    return [path for path in found if path.is_file()]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        what = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot be read: {what}") from None


def _page(path: Path, needed: bool = True) -> _Page:
    lines = _text(path).split("\n")
    if lines[0].rstrip() != MARK:
        if not needed and lines[0].rstrip() != "---":
            return _Page(path, {}, "", "\n".join(lines), 1)
        wanted = f"expected {MARK} in the first line, then name and scale in TOML, then {MARK}"
        raise UsageError(f"{path}:1: {wanted}; got {lines[0][:40]!r}")
    ends = [number for number, line in enumerate(lines) if number and line.rstrip() == MARK]
    if not ends:
        raise UsageError(f"{path}:{len(lines)}: the front matter is not ended by a line {MARK}")
    front_text = "\n".join(lines[1 : ends[0]])
    try:
        front = tomllib.loads(front_text)
    except (ValueError, RecursionError) as error:  # also lists too deep, numbers too long
        at = re.search(r"\(at line (\d+)", str(error))
        line = int(at[1]) + 1 if at else 1
        fault = re.sub(r" \(at .*\)$", "", str(error))
        raise UsageError(f"{path}:{line}: the front matter is no TOML: {fault}") from None
    return _Page(path, front, front_text, "\n".join(lines[ends[0] + 1 :]), ends[0] + 2)
