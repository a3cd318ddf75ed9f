"""Settings: one table of options, read once from command line, environment and ini."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .errors import UsageError

PREFIX = "llm_eval"
Kind = Literal["text", "switch", "integer", "number", "folder", "list"]


@dataclass(frozen=True, slots=True)
class Option:
    """One setting under its three names. ``name`` is the field of ``Settings`` that it fills."""

    name: str
    kind: Kind
    help: str
    metavar: str | None = None
    default: str | int | float | None = None
    choices: tuple[str, ...] = ()
    least: float = -math.inf

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


OPTIONS = (
    Option("enabled", "switch", "run the evals; without it, tests that need them are skipped"),
    Option("model", "text", "the judge: a LiteLLM model, a named judge, or lexical", "MODEL"),
    Option("base_url", "text", "where the judge is served, if not at its provider", "URL"),
    Option("key_env", "text", "the environment variable that holds the judge's key", "NAME"),
    Option("temperature", "number", "the judge's temperature", "T", 0, least=0),
    Option("seed", "integer", "the judge's seed, where it takes one", "N"),
    Option("reply_tokens", "integer", "the most tokens of one reply", "N", 4096, least=1),
    Option("timeout", "number", "seconds that one request may take", "S", 120, least=0.001),
    Option(
        "concurrency", "integer", "how many questions may be with judges at once", "N", 16, least=1
    ),
    Option(
        "answer_concurrency",
        "integer",
        "how many answers of the app may be under way at once",
        "N",
        4,
        least=1,
    ),
    Option("param", "list", "one more parameter for the judge, passed through", "KEY=VALUE"),
    Option("judge", "list", "a named judge, for judge= in tests", "NAME=MODEL [KEY=VALUE ...]"),
    Option("store", "folder", "the folder that keeps replies", "DIR", ".llm_eval"),
    Option(
        "mode",
        "text",
        "auto: ask what the store lacks; replay: never ask; refresh: ask anew; off: no store",
        default="auto",
        choices=("auto", "replay", "refresh", "off"),
    ),
    Option("threshold", "list", "a metric's pass mark, in place of its default", "METRIC=VALUE"),
    Option(
        "show",
        "text",
        "all: show scores and reasons of passing checks too",
        default="failed",
        choices=("failed", "all"),
    ),
    Option(
        "on_error",
        "text",
        "how pytest reports a test whose check got no verdict",
        default="error",
        choices=("error", "skip", "fail"),
    ),
    Option("reason_language", "text", "the language of reasons", "LANGUAGE", "English"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a session runs under, frozen when it starts. One field for each of ``OPTIONS``.

    ``beside_model`` names those that were given where the model was, or by what overrides that:
    they were meant for this very model.
    """

    enabled: bool = False
    model: str | None = None
    base_url: str | None = None
    key_env: str | None = None
    temperature: float = 0
    seed: int | None = None
    reply_tokens: int = 4096
    timeout: float = 120
    concurrency: int = 16
    answer_concurrency: int = 4
    param: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    store: Path = Path(".llm_eval")
    mode: Literal["auto", "replay", "refresh", "off"] = "auto"
    threshold: tuple[str, ...] = ()
    show: Literal["failed", "all"] = "failed"
    on_error: Literal["error", "skip", "fail"] = "error"
    reason_language: str = "English"
    beside_model: frozenset[str] = frozenset()

    @classmethod
    def read(
        cls,
        command_line: Callable[[Option], Any] = lambda option: None,
        environment: Mapping[str, str] = os.environ,
        ini: Callable[[Option], Any] = lambda option: None,
        here: Path = Path(),
        ini_folder: Path = Path(),
    ) -> Settings:
        """Command line over environment over ini; what is set nowhere keeps its default.

        A list is the sum of all three, the command line's last; of two entries for one key the
        later counts. A relative folder is relative to the ini's for one set there, else to
        ``here``. Raises ``UsageError`` naming the setting, by the name it was set under.
        """

        def found(option: Option) -> Iterator[Any]:
            yield _value(option, ini(option), option.ini, ini_folder)
            yield _value(option, environment.get(option.variable), option.variable, here)
            yield _value(option, command_line(option), option.flag, here)

        values: dict[str, Any] = {}
        places: dict[str, int] = {}
        for option in OPTIONS:
            given = {place: each for place, each in enumerate(found(option)) if each is not None}
            places[option.name] = max(given, default=-1)
            if option.kind == "list":
                values[option.name] = tuple(entry for each in given.values() for entry in each)
            elif given:
                values[option.name] = given[places[option.name]]
            elif option.kind == "folder":
                values[option.name] = ini_folder / str(option.default)
        beside = [name for name, place in places.items() if place >= places["model"] >= 0]
        return cls(**values, beside_model=frozenset(beside))


def _value(option: Option, given: Any, name: str, folder: Path) -> Any:
    """``given``, text or already typed, as ``option``'s kind; None where nothing was given."""
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    if option.kind == "list":
        return _entries(given, name)
    if option.kind == "switch":
        return given if isinstance(given, bool) else _switch(str(given).strip(), name)
    if option.kind in ("integer", "number"):
        return _number(option, str(given).strip(), name)
    if not isinstance(given, str):
        raise UsageError(f"{name}: expected text; got {given!r}")
    text = given.strip()
    if option.kind == "folder":
        return _folder(text, name, folder)
    if option.choices and text not in option.choices:
        raise UsageError(f"{name}: expected one of {', '.join(option.choices)}; got {text!r}")
    return text


def _entries(given: Any, name: str) -> list[str] | None:
    lines = given.replace(";", "\n").splitlines() if isinstance(given, str) else given
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise UsageError(f"{name}: expected a list of entries, each of them text; got {given!r}")
    return [line.strip() for line in lines if line.strip()] or None


def _folder(text: str, name: str, within: Path) -> Path:
    try:
        if "\0" in text:
            raise UsageError(f"{name}: expected a folder; got {text!r}")
        return within / Path(text).expanduser()
    except RuntimeError as error:  # no home that the ~ could mean
        raise UsageError(f"{name}: {text!r} is no folder here: {error}") from None


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


def option_table() -> str:
    """The options as a Markdown table, as README shows it."""
    rows = [
        "| option | ini | environment | default | what it sets |",
        "| --- | --- | --- | --- | --- |",
    ]
    for option in OPTIONS:
        flag = f"{option.flag} {option.metavar or '|'.join(option.choices)}".strip()
        default = "" if option.default is None else f"`{option.default}`"
        cells = (f"`{flag}`", f"`{option.ini}`", f"`{option.variable}`", default, option.help)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)
