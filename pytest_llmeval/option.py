"""One option: its names, and the reading of what is given for it."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .errors import UsageError

PREFIX = "llm_eval"
Kind = Literal[
    "text", "switch", "integer", "number", "folder", "file", "list", "files", "named files", "share"
]


class NamedFile(NamedTuple):
    """``NAME = FILE`` or ``NAME + FILE``: what the file is for, and how it is meant."""

    name: str
    sign: str
    path: Path


def short_flag(name: str) -> str:
    """What the setting ``name`` is called as an option of our own commands: ``--fail-on``."""
    return "--" + name.replace("_", "-")


class Option(NamedTuple):  # a dataclass would cost every pytest run milliseconds
    """One setting under its three names. ``name`` is the field of ``Settings`` that it fills."""

    name: str
    kind: Kind
    help: str
    metavar: str | None = None
    default: str | int | float | None = None
    choices: tuple[str, ...] = ()
    least: float = -math.inf
    by_itself: bool = False
    """Whether it has an effect where evals are off, too."""

    @property
    def several(self) -> bool:
        """Whether it takes several entries, which add up."""
        return self.kind in ("list", "files", "named files")

    @property
    def ini(self) -> str:
        """Its name in the ini: ``llm_eval_model``; the switch is plain ``llm_eval``."""
        return PREFIX if self.name == "enabled" else f"{PREFIX}_{self.name}"

    @property
    def flag(self) -> str:
        """Its name on the command line: ``--llm-eval-model``."""
        return "--" + self.ini.replace("_", "-")

    @property
    def variable(self) -> str:
        """Its name in the environment: ``LLM_EVAL_MODEL``."""
        return self.ini.upper()


def value_of(option: Option, given: Any, name: str, folder: Path) -> Any:
    """``given``, text or already typed, as ``option``'s kind; None where nothing was given.

    ``name`` is what it was given under, for the ``UsageError`` where it can't be; a relative
    folder is relative to ``folder``.
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    if option.several:
        return _read_entries(option, _entries(given, name), name, folder)
    if option.kind == "switch":
        return given if isinstance(given, bool) else _switch(str(given).strip(), name)
    if option.kind in ("integer", "number"):
        return _number(option, str(given).strip(), name)
    if not isinstance(given, str):
        raise UsageError(f"{name}: expected text; got {given!r}")
    text = given.strip()
    if option.kind in ("folder", "file"):
        return _folder(text, name, folder)
    if option.kind == "share":
        return _share(text, name)
    if option.choices and text not in option.choices:
        raise UsageError(f"{name}: expected one of {', '.join(option.choices)}; got {text!r}")
    return text


def _entries(given: Any, name: str) -> list[str] | None:
    lines = given.replace(";", "\n").splitlines() if isinstance(given, str) else given
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise UsageError(f"{name}: expected a list of entries, each of them text; got {given!r}")
    return [line.strip() for line in lines if line.strip()] or None


def _read_entries(
    option: Option, entries: list[str] | None, name: str, folder: Path
) -> list[Any] | None:
    if entries is None or option.kind == "list":
        return entries
    if option.kind == "files":
        return [_folder(entry, name, folder) for entry in entries]
    return [_named_file(entry, name, folder) for entry in entries]


def _named_file(entry: str, name: str, folder: Path) -> NamedFile:
    called, sign, path = re.match(r"([^=+]*)([=+]?)(.*)", entry, re.DOTALL).groups()  # type: ignore[union-attr]
    if not (called.strip() and path.strip()):
        raise UsageError(f"{name}: expected NAME = FILE or NAME + FILE; got {entry!r}")
    return NamedFile(called.strip(), sign, _folder(path.strip(), name, folder))


def _folder(text: str, name: str, within: Path) -> Path:
    try:
        if "\0" in text:
            raise UsageError(f"{name}: expected a folder; got {text!r}")
        return within / Path(text).expanduser()
    except RuntimeError as error:  # no home that the ~ could mean
        raise UsageError(f"{name}: {text!r} is no folder here: {error}") from None


def _share(text: str, name: str) -> str:
    """``text``, refused unless it is K/N, the K-th of N shares."""
    found = re.fullmatch(r"0*([1-9][0-9]{0,3})\s*/\s*0*([1-9][0-9]{0,3})", text, re.ASCII)
    if found is None or int(found[1]) > int(found[2]):
        raise UsageError(f"{name}: expected K/N with 1 ≤ K ≤ N, as 2/3; got {text[:60]!r}")
    return f"{found[1]}/{found[2]}"


def _switch(text: str, name: str) -> bool:
    if text.lower() in {"1", "true", "yes", "on"}:
        return True
    if text.lower() in {"0", "false", "no", "off"}:
        return False
    raise UsageError(f"{name}: expected 1 or 0 (also true, false, yes, no, on, off); got {text!r}")


def _number(option: Option, text: str, name: str) -> float:
    try:
        number = int(text) if option.kind == "integer" else float(text)
    except ValueError:
        number = math.nan
    if not max(option.least, -_MOST) <= number <= _MOST:
        what = "a whole number" if option.kind == "integer" else "a number"
        least = f" of at least {option.least:g}" if option.least > -math.inf else ""
        raise UsageError(f"{name}: expected {what}{least}; got {text[:60]!r}")
    return number


_MOST = 2**63 - 1
"""The largest number that an option takes: servers read no larger integer."""
