"""Derived: what a run file tells that is made of its records, held against these."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from ..records.record import Record
from .amounts import amounts_of, judge_rows
from .extent import RunPart
from .run import Run


def of_weights(run: Run) -> Iterator[str]:
    """Where what trials weigh, by which figures are made, is not of trials."""
    for each in run.tests:
        if each.weight != 1 and each.trial is None:
            yield f"tests ({each.nodeid}): its weight is {each.weight:g}, and it is no trial"
        if each.soonest is not None and (each.trial is None or each.soonest < 1):
            told = f"its soonest is {each.soonest}, and its trial {each.trial}"
            yield f"tests ({each.nodeid}): {told}"


def of_figures(run: Run) -> Iterator[str]:
    """Where metrics, suites, aggregates, totals or judges are not what the records make."""
    made = amounts_of(run.records, run.assessments, run.tests)
    for what, name in (("metrics", "metric"), ("suites", "suite")):
        yield from _listed(what, _by(name, getattr(run, what)), _by(name, made[what]))
    yield from _listed("aggregates", run.aggregates.items(), made["aggregates"].items())
    yield from _differing("totals", run.totals, made["totals"])
    yield from _of_judges(run)


def of_cases(run: Run) -> Iterator[str]:
    """Where what was judged is not there, or what is there was not judged."""
    told = [case.digest for case in run.cases]
    judged = {each.judged for each in run.records if each.judged is not None}
    yield from _same_names("cases", told, sorted(judged))
    for number, made in enumerate(run.assessments):
        if made.judged is not None and made.errors + made.failed and made.judged not in judged:
            yield f"assessments.{number} ({made.suite}): no record is of what it judged"


def of_tests(run: Run) -> Iterator[str]:
    """Where records and assessments are not those of the tests."""
    tests = {row.nodeid: row for row in run.tests}
    if len(tests) != len(run.tests):
        yield f"tests: there are {len(run.tests)}, with {len(tests)} node ids"
    for each in run.tests:
        if each.unselected and each.state != "not_run":
            yield f"tests ({each.nodeid}): it is unselected, and its state is {each.state}"
    for number, record in enumerate(run.records):
        if not record.nodeid:  # made between tests
            continue
        if (row := tests.get(record.nodeid)) is None:
            yield f"records.{number} ({record.metric}): {record.nodeid} is not among the tests"
        elif (record.trial, record.trials) != (row.trial, row.trials):
            trial = f"trial {record.trial} of {record.trials}"
            told = f"it is of {trial}, and its test is trial {row.trial} of {row.trials}"
            yield f"records.{number} ({record.metric}): {told}"
        elif record.xfailed and row.state == "passed":
            yield f"records.{number} ({record.metric}): it is xfailed, and its test passed"
    suites = {(each.nodeid, each.suite) for each in run.assessments}
    for number, record in enumerate(run.records):
        if record.suite is not None and (record.nodeid, record.suite) not in suites:
            told = f"it is of suite {record.suite}, which judged nothing in its test"
            yield f"records.{number} ({record.metric}): {told}"
    came = {(each.nodeid, each.metric, each.outcome.value) for each in run.records}
    for number, made in enumerate(run.assessments):
        for outcome, names in (("failed", made.failed), ("error", made.errors)):
            for name in names:
                if (made.nodeid, name, outcome) not in came:
                    told = f"{name} came to {outcome} by it, and no record of its test says so"
                    yield f"assessments.{number} ({made.suite}): {told}"


def _of_judges(run: Run) -> Iterator[str]:
    by_judge: dict[str | None, list[Record]] = {}
    for record in run.records:
        by_judge.setdefault(record.judge, []).append(record)
    told = {row.name: row for row in run.judges}
    yield from _same_names("judges", [row.name for row in run.judges], sorted(told))
    if missing := by_judge.keys() - {None} - told.keys():
        yield f"judges: {min(map(str, missing))} judged, and is not among them"
    for name, row in told.items():
        of_it = by_judge.get(name, [])
        about = {"name": name, "is_llm": row.is_llm, "identity": None}
        found = judge_rows([about], of_it)[0].model_copy(update={"identities": row.identities})
        yield from _differing(f"judges ({name})", row, found)
        if of_it and all(each.is_llm != row.is_llm for each in of_it):
            yield f"judges ({name}): is_llm is {row.is_llm}, and by its records {not row.is_llm}"


def _by(name: str, rows: Iterable[RunPart]) -> Sequence[tuple[str, RunPart]]:
    return [(getattr(row, name), row) for row in rows]


def _listed(
    what: str, told: Iterable[tuple[str, RunPart]], found: Iterable[tuple[str, RunPart]]
) -> Iterator[str]:
    told, found = [*told], [*found]
    yield from _same_names(what, [name for name, _ in told], [name for name, _ in found])
    made = dict(found)
    for name, row in told:
        if name in made:
            yield from _differing(f"{what} ({name})", row, made[name])


def _same_names(what: str, told: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    if strange := {*told} ^ {*found}:
        where = f"in one of {what} and what they are made of, not in both"
        yield f"{what}: {min(strange)} is {where}"
    elif [*told] != [*found]:
        yield f"{what}: they are {len(told)}, of {len(found)} names, and each stands once, by name"


def _differing(where: str, told: BaseModel, found: BaseModel) -> Iterator[str]:
    """The fields of ``told`` that are others in ``found``."""
    for name, theirs in told:
        mine = getattr(found, name)
        if isinstance(theirs, BaseModel) and isinstance(mine, BaseModel):
            yield from _differing(f"{where}: {name}", theirs, mine)
        elif not _alike(theirs, mine):
            yield f"{where}: {name} is {theirs}, and by what it is made of {mine}"


def _alike(told: Any, found: Any) -> bool:
    """Whether they are the same but for the last digits, in which versions of Python differ."""
    if isinstance(told, float) and isinstance(found, float):
        return math.isclose(told, found, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(told, tuple) and isinstance(found, tuple):
        return len(told) == len(found) and all(map(_alike, told, found))
    return bool(told == found)
