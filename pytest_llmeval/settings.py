"""Settings: one table of options, read once from command line, environment and ini."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .option import NamedFile, Option, value_of

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
    Option(
        "trials", "integer", "how often tests run whose marker says nothing of it", "K", 1, least=1
    ),
    Option("deferred", "switch", "go on to the next test while verdicts are on their way"),
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
    Option("verdicts", "file", "the folder of committed verdicts, read before the store", "DIR"),
    Option("record", "switch", "write the verdicts of this run into the folder of committed ones"),
    Option("threshold", "list", "a metric's pass mark, in place of its default", "METRIC=VALUE"),
    Option(
        "suite",
        "list",
        "a suite of one's own, for suite= in tests",
        "NAME=METRIC,METRIC>=VALUE,...",
    ),
    Option(
        "gate",
        "list",
        "fail the run unless this holds: groundedness.pass_rate >= 0.9",
        "METRIC.STATISTIC>=VALUE",
    ),
    Option(
        "group",
        "list",
        "tests that fail together or not at all, by their pass rate",
        "NAME: min_pass_rate=RATE [tags=TAG,...] [must_pass=CASE,...]",
    ),
    Option("metrics", "files", "files of metrics in Markdown, also by a pattern", "FILE"),
    Option(
        "rubric",
        "named files",
        "a built-in prompt replaced (=) by that of a file, or extended (+)",
        "NAME=FILE|NAME+FILE",
    ),
    Option("guideline", "list", "a rule in plain words for every case's response", "TEXT"),
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
    Option("report", "file", "write the run file there: settings, records, aggregates", "FILE"),
    Option("markdown", "file", "write the run's summary there, as a comment in Markdown", "FILE"),
    Option(
        "github",
        "text",
        "what GitHub Actions is given: a summary of the step, annotations of lines, or both (auto)",
        default="auto",
        choices=("auto", "summary", "annotations", "off"),
    ),
    Option("baseline", "file", "compare the run with that of this file", "FILE"),
    Option("update_baseline", "switch", "write the run into the file of --llm-eval-baseline"),
    Option(
        "fail_on",
        "text",
        "what fails the run: a drop beyond noise, any drop of a metric, any case that fails now",
        default="regression",
        choices=("regression", "drop", "any-flip"),
    ),
    Option(
        "tolerance", "list", "a drop that may be: 2% (0.02) of a rate or a scale", "[METRIC=]SHARE"
    ),
    Option("only_flips", "switch", "run only the tests with cases that flipped to fail last time"),
    Option(
        "shard",
        "share",
        "run the K-th of N shares of the tests, for a CI matrix",
        "K/N",
        by_itself=True,
    ),
    Option("reason_language", "text", "the language of reasons", "LANGUAGE", "English"),
    Option("wordnet", "file", "where WordNet is, for meteor, if not in the usual folders", "PATH"),
)


class Settings(NamedTuple):  # a dataclass would cost every pytest run milliseconds
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
    trials: int = 1
    deferred: bool = False
    param: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()
    store: Path = Path(".llm_eval")
    mode: Literal["auto", "replay", "refresh", "off"] = "auto"
    verdicts: Path | None = None
    record: bool = False
    threshold: tuple[str, ...] = ()
    suite: tuple[str, ...] = ()
    gate: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    metrics: tuple[Path, ...] = ()
    rubric: tuple[NamedFile, ...] = ()
    guideline: tuple[str, ...] = ()
    show: Literal["failed", "all"] = "failed"
    on_error: Literal["error", "skip", "fail"] = "error"
    report: Path | None = None
    markdown: Path | None = None
    github: Literal["auto", "summary", "annotations", "off"] = "auto"
    baseline: Path | None = None
    update_baseline: bool = False
    fail_on: Literal["regression", "drop", "any-flip"] = "regression"
    tolerance: tuple[str, ...] = ()
    only_flips: bool = False
    shard: str | None = None
    reason_language: str = "English"
    wordnet: Path | None = None
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
        later counts. A relative path is relative to the ini's for one set there, else to
        ``here``. Raises ``UsageError`` naming the setting, by the name it was set under.
        """

        def found(option: Option) -> Iterator[Any]:
            yield value_of(option, ini(option), option.ini, ini_folder)
            yield value_of(option, environment.get(option.variable), option.variable, here)
            yield value_of(option, command_line(option), option.flag, here)

        values: dict[str, Any] = {}
        places: dict[str, int] = {}
        for option in OPTIONS:
            given = {place: each for place, each in enumerate(found(option)) if each is not None}
            places[option.name] = max(given, default=-1)
            if option.several:
                values[option.name] = tuple(entry for each in given.values() for entry in each)
            elif given:
                values[option.name] = given[places[option.name]]
            elif option.kind == "folder":
                values[option.name] = ini_folder / str(option.default)
        beside = [name for name, place in places.items() if place >= places["model"] >= 0]
        return cls(**values, beside_model=frozenset(beside))


def option_table() -> str:
    """The options as a Markdown table, as README shows it."""
    rows = [
        "| option | ini | environment | default | what it sets |",
        "| --- | --- | --- | --- | --- |",
    ]
    for option in OPTIONS:
        value = option.metavar or "|".join(option.choices)
        flag = f"{option.flag}={value}" if value else option.flag  # pytest mistakes paths apart
        default = "" if option.default is None else f"`{option.default}`"
        cells = (f"`{flag}`", f"`{option.ini}`", f"`{option.variable}`", default, option.help)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)
