"""Contradictions: what in a run file can't be as the plugin wrote it, since it says two things."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..gates.pass_rate import metric_rows
from ..gates.suite_rate import suite_rows
from ..metrics import CATALOGUE
from ..records import Assessment, Record
from ..results import SCALES, Outcome, Threshold
from .digests import digest_of

if TYPE_CHECKING:
    from .extent import Extent
    from .run import Run

_BOUNDS = ("at_least", "at_most", "more_than")
_COUNTS = ("passed", "judged", "errors", "not_applicable", "measured", "xfailed")


def contradiction_in(run: Run) -> str | None:
    """Where ``run`` contradicts itself, in the words of its fields; None where it does not.

    Only what no version of the plugin can have written is one, so that it tells files that were
    edited or damaged. Means and rates are not computed anew: their last digit is not the same in
    every version of Python.
    """
    return next(_contradictions(run), None)


def _contradictions(run: Run) -> Iterator[str]:
    yield from (f"extent.{fault}" for fault in _of_extent(run.extent))
    for number, record in enumerate(run.records):
        if fault := _of_record(record):
            yield f"records.{number} ({record.metric}): {fault}"
    for number, made in enumerate(run.assessments):
        if fault := _of_assessment(made):
            yield f"assessments.{number} ({made.suite}): {fault}"
    if run.totals.checks != len(run.records):
        yield f"totals.checks is {run.totals.checks}, and there are {len(run.records)} records"
    yield from _of_counts("metrics", _told(run.metrics, "metric"), metric_rows(run.records))
    yield from _of_counts("suites", _told(run.suites, "suite"), suite_rows(run.assessments))


def _of_extent(extent: Extent) -> Iterator[str]:
    if (extent.ran == 0) != (extent.ran_digest == digest_of(())):
        of = "no tests" if extent.ran else "some"
        yield f"ran is {extent.ran}, and ran_digest is of {of}"
    if extent.due < 0:
        yield "collected is less than deselected and elsewhere together"
    if extent.shard is not None:
        numbers, _, of = extent.shard.partition("/")
        if max(map(int, numbers.split(","))) > int(of):
            yield f"shard is {extent.shard}, and there is no such shard of {of}"


def _of_record(record: Record) -> str | None:
    outcome, score = record.outcome, record.score
    if (outcome is Outcome.ERROR) != (record.error is not None):
        return f"its outcome is {outcome}, and its error {record.error}"
    if outcome is Outcome.ERROR and score is not None:
        return f"it is an error, and has the score {score:g}"
    if (record.bound is None) != (record.threshold is None):
        return f"its bound is {record.bound}, and its threshold {record.threshold}"
    if score is not None and not _on_scale(record, score):
        return f"the score {score:g} is not on its scale, {record.scale}"
    return _of_outcome(record)


def _on_scale(record: Record, score: float) -> bool:
    """Whether ``score`` may be; of metrics of one's own a scale may be called as it likes."""
    scale = SCALES.get(record.scale)
    ours = record.metric.partition("[")[0] in CATALOGUE
    return scale is None or not ours or scale.holds(score)


def _of_outcome(record: Record) -> str | None:
    outcome, score = record.outcome, record.score
    if outcome is Outcome.MEASURED and record.bound is not None:
        return f"it is measured, and has the pass mark {record.bound} {record.threshold}"
    if outcome is Outcome.PASSED and (score is None or record.bound is None):
        return "it passed, and has no score or no pass mark"
    if outcome not in (Outcome.PASSED, Outcome.FAILED) or score is None:
        return None
    if record.bound not in _BOUNDS or record.threshold is None:
        return None
    rule = Threshold(record.bound, record.threshold)
    if rule.holds(score) == (outcome is Outcome.PASSED):
        return None
    return f"it {outcome}, and its score is {score:g} where {rule.bound} {rule.value:g} passes"


def _of_assessment(made: Assessment) -> str | None:
    if (made.outcome is Outcome.FAILED) != bool(made.failed):
        return f"its outcome is {made.outcome}, and what failed is {[*made.failed]}"
    if made.root_cause != next(iter(made.failed), None):
        return f"its root_cause is {made.root_cause}, and what failed is {[*made.failed]}"
    if strange := set(made.uncertain) - set(made.errors):
        return f"uncertain names {min(strange)}, which is not among its errors"
    return None


def _told(rows: Any, name: str) -> dict[str, Any]:
    return {getattr(row, name): row for row in rows}


def _of_counts(what: str, told: dict[str, Any], rows: Any) -> Iterator[str]:
    """Where the ``rows`` computed anew have other counts than those ``told``."""
    name = what.removesuffix("s")
    found = _told(rows, name)
    if told.keys() != found.keys():
        differing = min(told.keys() ^ found.keys())
        yield f"{what}: {differing} is in one of {what} and what they are made of, not in both"
    for key in told.keys() & found.keys():
        for count in _COUNTS:
            mine, theirs = getattr(found[key], count), getattr(told[key], count)
            if mine != theirs:
                yield f"{what} ({key}): {count} is {theirs}, and by what it is made of {mine}"
