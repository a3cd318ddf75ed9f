"""One run made of the runs of its shards, or of other parts of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar

from ..errors import UsageError
from ..ledger import Ledger, Made
from ..records import Assessment, Record
from .merged_extent import merged_extent
from .run import SCHEMA_VERSION, Run
from .run_made import amounts_of, judge_rows

_DECIDING = (
    *("model", "base_url", "temperature", "seed", "reply_tokens", "param", "judge"),
    *("threshold", "metrics", "rubric", "suite", "guideline", "reason_language", "wordnet"),
)
"""Settings that shape verdicts or what passes: runs under different ones are not one run."""

_NO_TESTS = 5

Part = tuple[str, Run]
"""A run and the file that it was in."""

Kept = TypeVar("Kept", Record, Assessment)


def merged(parts: Sequence[Part], allow_missing: bool = False) -> Run:
    """The run that ``parts``, the runs of a suite's shards, are together.

    It is what one run of the whole would have written, but for times, and for settings that
    differ and shape no verdict: those are null. Parts without a shard may be those of another
    tool's splitting, or selections.

    Raises ``UsageError`` that names the files: for other versions of the plugin, for settings that
    shape verdicts and differ, for a test or a shard that is in two files, for shards of different
    suites or matrices, and for shards that are missing unless ``allow_missing``.
    """
    if not parts:
        raise UsageError("merge needs the run files to merge")
    runs = [run for _, run in parts]
    _same("plugin_version", [(path, run.plugin_version) for path, run in parts])
    for name in _DECIDING:
        _same(f"setting {name}", [(path, run.settings.get(name)) for path, run in parts])
    _refuse_repeats(parts)
    extent = merged_extent([(path, run.extent) for path, run in parts], allow_missing)
    records = _in_order(run.records for run in runs)
    assessments = _in_order(run.assessments for run in runs)
    cases = {case.digest: case for run in runs for case in run.cases}
    judges = [judge for run in runs for row in run.judges for judge in _told(row)]
    return Run(
        schema_version=SCHEMA_VERSION,
        plugin_version=runs[0].plugin_version,
        started=min(run.started for run in runs),
        finished=max(run.finished for run in runs),
        exit_status=_status([run.exit_status for run in runs]),
        extent=extent,
        settings=_settings(runs) | {"shard": extent.shard},
        judges=judge_rows(judges, records),
        **amounts_of(records, assessments),
        comparison=None,
        notices=tuple(sorted({notice for run in runs for notice in run.notices})),
        cases=tuple(sorted(cases.values(), key=lambda case: case.digest)),
        assessments=tuple(assessments),
        records=tuple(records),
    )


def ledger_of(run: Run) -> Ledger:
    """What the ledger of ``run`` held, for summaries that are made of one."""
    ledger = Ledger()
    cases = {case.digest: case for case in run.cases}
    made = Made([*run.records], [*run.assessments], cases).plain()
    news = {**made, "notices": [*run.notices], "answers": [], "judges": []}
    ledger.take(news, ("", ""), "call")
    return ledger


def _same(what: str, values: Sequence[tuple[str, Any]]) -> None:
    first_path, first = values[0]
    for path, value in values[1:]:
        if value != first:
            told = f"{path}: {what} is {value!r}, and {first!r} in {first_path}"
            raise UsageError(f"{told}; merge runs that were made alike")


def _refuse_repeats(parts: Sequence[Part]) -> None:
    held: dict[str, str] = {}  # checks made between tests have no node id
    for path, run in parts:
        made: list[Record | Assessment] = [*run.records, *run.assessments]
        for nodeid in dict.fromkeys(each.nodeid for each in made if each.nodeid):
            if (other := held.setdefault(nodeid, path)) != path:
                raise UsageError(
                    f"{path}: {nodeid} is in {other} too; give each test's run once, as from "
                    "shards of one matrix"
                )


def _in_order(groups: Iterable[Sequence[Kept]]) -> list[Kept]:
    return sorted(chain.from_iterable(groups), key=lambda made: made.nodeid)


def _told(row: Any) -> list[Mapping[str, Any]]:
    """The judges that ``row`` stands for, as the ledger tells of them."""
    return [
        {"name": row.name, "is_llm": row.is_llm, "identity": identity}
        for identity in (row.identities or (None,))
    ]


def _settings(runs: Sequence[Run]) -> dict[str, Any]:
    """What all ``runs`` were set to; None where they differ."""
    first, *others = (run.settings for run in runs)
    return {
        name: value if all(each.get(name) == value for each in others) else None
        for name, value in first.items()
    }


def _status(statuses: Sequence[int]) -> int:
    """As one run would have ended: no part counts that had no tests, unless none had."""
    return max((status for status in statuses if status != _NO_TESTS), default=_NO_TESTS)
