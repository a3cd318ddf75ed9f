"""Contradictions: what in a run file can't be as the plugin wrote it, since it says two things."""

from __future__ import annotations

from collections.abc import Iterator

from ..metrics import CATALOGUE
from ..records.assessment import Assessment
from ..records.record import Record
from ..results import Outcome
from ..scales import SCALES, Scale
from .derived import of_cases, of_figures, of_tests, of_weights
from .digests import digest_of
from .gates_told import of_comparison, of_gates
from .run import Run


def contradiction_in(run: Run) -> str | None:
    """Where ``run`` contradicts itself, in the words of its fields; None where it does not.

    Only what the plugin cannot have written is one, so that it tells files that were edited or
    damaged. pytest's exit status is none: another plugin may have a failed run pass.
    """
    return next(_contradictions(run), None)


def _contradictions(run: Run) -> Iterator[str]:
    yield from _of_extent(run)
    for number, record in enumerate(run.records):
        if fault := _of_record(record):
            yield f"records.{number} ({record.metric}): {fault}"
    for number, made in enumerate(run.assessments):
        if fault := _of_assessment(made):
            yield f"assessments.{number} ({made.suite}): {fault}"
    for faults in (of_weights, of_figures, of_tests, of_cases, of_gates, of_comparison):
        yield from faults(run)


def _of_extent(run: Run) -> Iterator[str]:
    extent = run.extent
    if (extent.ran == 0) != (extent.ran_digest == digest_of(())):
        of = "no tests" if extent.ran else "some"
        yield f"extent.ran is {extent.ran}, and ran_digest is of {of}"
    if extent.due < 0:
        yield "extent.collected is less than deselected and elsewhere together"
    if extent.shard is not None:
        numbers, _, of = extent.shard.partition("/")
        if max(map(int, numbers.split(","))) > int(of):
            yield f"extent.shard is {extent.shard}, and there is no such shard of {of}"
    if extent.shard != run.settings.get("shard"):
        set_to = run.settings.get("shard")
        yield f"extent.shard is {extent.shard}, and settings.shard is {set_to}"
    whole = not extent.left and extent.ran == extent.due
    if extent.complete and not whole:
        yield f"extent.complete is True, and {extent.ran} of {extent.due} ran: {extent.left}"
    if whole and not (extent.complete or run.merged_from):  # whose digests may tell of more
        yield f"extent.complete is False, and {extent.ran} of {extent.due} ran"
    if [*run.merged_from] != sorted({*run.merged_from}):
        yield f"merged_from names {len(run.merged_from)} runs, not each once, sorted"


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
    if score is not None and (scale := _scale(record)) and record.label != scale.label_of(score):
        return f"its label is {record.label}, and its score {score:g}"
    if record.turn is not None and not 1 <= record.turn <= len(record.parts):
        return f"its turn is {record.turn}, of {len(record.parts)}"
    if record.turn is not None and record.parts[record.turn - 1].score != score:
        return f"its score is {score}, and that of its turn {record.parts[record.turn - 1].score}"
    return _of_outcome(record)


def _scale(record: Record) -> Scale | None:
    """Its scale, if that is known; of metrics of one's own a scale may be called as it likes."""
    ours = record.metric.partition("[")[0] in CATALOGUE
    return SCALES.get(record.scale) if ours else None


def _on_scale(record: Record, score: float) -> bool:
    scale = _scale(record)
    return scale is None or scale.holds(score)


def _of_outcome(record: Record) -> str | None:
    outcome, score = record.outcome, record.score
    if outcome is Outcome.MEASURED and record.bound is not None:
        return f"it is measured, and has the pass mark {record.bound} {record.threshold}"
    if outcome is Outcome.PASSED and (score is None or record.bound is None):
        return "it passed, and has no score or no pass mark"
    if outcome not in (Outcome.PASSED, Outcome.FAILED) or score is None:
        return None
    rule = record.rule
    if rule is None or rule.holds(score) == (outcome is Outcome.PASSED):
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
