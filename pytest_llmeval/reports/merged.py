"""One run made of the runs of its shards, or of other parts of a suite."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeVar

from ..errors import UsageError
from ..gates.attended import Attended
from ..gates.gate import GateResult
from ..ledger import Ledger, Made
from ..option import short_flag
from ..records.assessment import Assessment
from ..records.record import Record
from .amounts import amounts_of, judge_rows
from .decided import gates_on
from .ended import status_of
from .extent import Extent
from .merged_extent import merged_extent
from .merged_tests import merged_tests
from .notices import joined
from .run import SCHEMA_VERSION, Run

AGAINST = ("baseline", "fail_on", "tolerance")
"""The settings that say what a run is held against, and what of that breaks the gate."""

DECIDING = (
    *("model", "base_url", "temperature", "seed", "reply_tokens", "param", "judge"),
    *("threshold", "gate", "group", "metrics", "rubric", "suite", "guideline"),
    *("reason_language", "wordnet", "on_error"),
    *AGAINST,
)
"""Settings that shape verdicts or what passes: runs under different ones are not one run."""

_NO_TESTS = 5
_NONE: Mapping[str, Any] = MappingProxyType({})

Part = tuple[str, Run]
"""A run and the file that it was in."""

Kept = TypeVar("Kept", Record, Assessment)


def merged(
    parts: Sequence[Part], allow_missing: bool = False, given: Mapping[str, Any] = _NONE
) -> Run:
    """The run that ``parts``, the runs of a suite's shards, are together.

    It is what one run of the whole would have written, but for times, and for settings that
    differ and shape no verdict: those are null. Settings that are ``given`` stand in place of those
    of the parts, which may differ there. Parts without a shard may be those of another tool's
    splitting, or selections.

    Raises ``UsageError`` that names the files: for other versions of the plugin, for settings that
    shape verdicts and differ, for a run, a test or a shard that is in two files, for shards of
    different suites or matrices, and for shards that are missing unless ``allow_missing``.
    """
    if not parts:
        raise UsageError("merge needs the run files to merge")
    runs = [run for _, run in parts]
    merged_from = _each_once(parts)
    _same("plugin_version", [(path, run.plugin_version) for path, run in parts])
    for name in (name for name in DECIDING if name not in given):
        option = f", or give {short_flag(name)}" if name in AGAINST else ""
        _same(f"setting {name}", [(path, run.settings.get(name)) for path, run in parts], option)
    _refuse_repeats(parts)
    extent = merged_extent([(path, run.extent) for path, run in parts], allow_missing)
    records = _in_order(run.records for run in runs)
    assessments = _in_order(run.assessments for run in runs)
    cases = {case.digest: case for run in runs for case in run.cases}
    judges = [judge for run in runs for row in run.judges for judge in _told(row)]
    tests = merged_tests(runs, extent.complete)
    gates = gates_on(Attended(records, assessments, tests, *_unknown(extent)), runs[0])
    return Run(
        schema_version=SCHEMA_VERSION,
        plugin_version=runs[0].plugin_version,
        started=min(run.started for run in runs),
        finished=max(run.finished for run in runs),
        exit_status=_status([*map(status_of, runs)], gates),
        extent=extent,
        settings={**_settings(runs), **given, "shard": extent.shard},
        judges=judge_rows(judges, records),
        **amounts_of(records, assessments, tests),
        comparison=None,
        gates=gates,
        notices=tuple(joined(run.notices for run in runs)),
        tests=tests,
        cases=tuple(sorted(cases.values(), key=lambda case: case.digest)),
        assessments=tuple(assessments),
        records=tuple(records),
        merged_from=merged_from,
    )


def ledger_of(run: Run) -> Ledger:
    """What the ledger of ``run`` held, for summaries that are made of one."""
    cases = {case.digest: case for case in run.cases}
    ledger = Ledger(Made([*run.records], [*run.assessments], cases))
    ledger.notices.update(dict.fromkeys(run.notices))
    ledger.tests = {test.nodeid: test for test in run.tests}
    return ledger


def _same(what: str, values: Sequence[tuple[str, Any]], or_else: str = "") -> None:
    first_path, first = values[0]
    for path, value in values[1:]:
        if value != first:
            told = f"{path}: {what} is {value!r}, and {first!r} in {first_path}"
            raise UsageError(f"{told}; merge runs that were made alike{or_else}")


def _each_once(parts: Sequence[Part]) -> tuple[str, ...]:
    """Which runs ``parts`` are made of. Raises ``UsageError`` for one that is in two files."""
    held: dict[str, Part] = {}
    for path, run in parts:
        for identity in run.identities:
            if identity in held:
                raise UsageError(f"{path}: {_in_both(path, run, *held[identity])}")
        held |= dict.fromkeys(run.identities, (path, run))
    return tuple(sorted(held))


def _in_both(path: str, run: Run, other: str, its: Run) -> str:
    mine, theirs = {*run.identities}, {*its.identities}
    if path == other:
        return "this file is given twice; give each run's file once"
    if mine == theirs:
        return f"this is the same run as in {other}; give each run's file once"
    if mine > theirs:
        return f"it was merged of the run in {other}, among others; give one of the two"
    if mine < theirs:
        return f"its run is in {other}, which was merged of it and others; give one of the two"
    return f"it and {other} were merged of a run that is in both; merge what they were merged of"


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


def _unknown(extent: Extent) -> tuple[bool, int]:
    """Whether tests are missing that no row tells of: by the user's choice, or uncollected."""
    return extent.named, extent.collection_errors


def _status(statuses: Sequence[int], gates: Sequence[GateResult]) -> int:
    """As one run would have ended: no part counts that had no tests, unless none had."""
    status = max((status for status in statuses if status != _NO_TESTS), default=_NO_TESTS)
    failing = any(gate.fails(bool(os.environ.get("CI"))) for gate in gates)
    return 1 if status == 0 and failing else status
