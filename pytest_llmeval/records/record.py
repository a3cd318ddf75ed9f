"""A record: what a run keeps of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from sys import intern
from typing import Any

from ..results import Evidence, Outcome, Part, Result, Usage
from ..scales import Bound, Threshold
from ..trial import Trial
from .tried import Tried


@dataclass(frozen=True, slots=True)
class Record(Tried):
    """A result as the session keeps it.

    ``judged`` is the digest of its case; ``per_document`` tells a score that is the share of its
    documents rated yes; ``turn`` is the number of the worst turn, where each turn was judged;
    ``group`` is the case's, ``question`` the digest of what it asks, ``expectations`` that of what
    it expects. ``trial`` is the number, from 1, of the run of the app that was judged, where a test
    is run for several, and ``trials`` how many of these were set beforehand; ``suite`` is the suite
    that asked for it.
    """

    metric: str
    outcome: Outcome
    scale: str
    higher_is_better: bool
    label: str | None
    bound: Bound | None
    threshold: float | None
    score: float | None
    reason: str
    evidence: tuple[Evidence, ...]
    parts: tuple[Part, ...]
    turn: int | None
    error: str | None
    message: str
    judge: str | None
    is_llm: bool
    resolved_model: str | None
    usage: Usage
    keys: tuple[str, ...]
    prompts: tuple[str, ...]
    case_id: str | None
    judged: str | None = None
    nodeid: str = ""
    xfailed: bool = False
    per_document: bool = False
    trial: int | None = None
    trials: int | None = None
    group: str | None = None
    question: str | None = None
    expectations: str | None = None
    suite: str | None = None

    @property
    def rule(self) -> Threshold | None:
        """The pass rule that it was held to."""
        if self.bound is None or self.threshold is None:
            return None
        return Threshold(self.bound, self.threshold)

    @classmethod
    def of(
        cls,
        result: Result,
        nodeid: str = "",
        trial: Trial | None = None,
        suite: str | None = None,
    ) -> Record:
        """The record of ``result``, made in the test ``nodeid``, in this ``trial`` of it.

        ``suite`` is the one that asked for it.
        """
        rule = result.threshold
        return cls(
            metric=result.metric,
            outcome=result.outcome,
            scale=result.scale.name,
            higher_is_better=result.scale.higher_is_better,
            label=None if result.graded is None else result.scale.label_of(result.graded),
            bound=rule.bound if rule else None,
            threshold=float(rule.value) if rule else None,
            score=None if result.graded is None else float(result.graded),
            reason=result.reason,
            evidence=result.evidence,
            parts=result.parts,
            turn=result.turn,
            error=None if result.error is None else type(result.error).__name__,
            message=told_of(result.error),
            judge=result.judge,
            is_llm=result.is_llm,
            resolved_model=result.resolved_model,
            usage=result.usage,
            keys=result.keys,
            prompts=result.prompts,
            case_id=result.case_id,
            judged=None if result.case is None else result.case.digest,
            nodeid=nodeid,
            per_document=result.per_document,
            trial=trial.number if trial else None,
            trials=trial.fixed if trial else None,
            group=None if result.case is None else result.case.group,
            question=None if result.case is None else result.case.question,
            expectations=None if result.case is None else result.case.expectations,
            suite=suite,
        )

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Record:
        """The record that ``plain`` made ``values`` of."""
        return cls(
            **{
                **values,
                **{name: intern(values[name]) for name in _SHARED if values[name] is not None},
                "outcome": Outcome(values["outcome"]),
                "evidence": tuple(Evidence(**row) for row in values["evidence"]),
                "parts": tuple(Part(**row) for row in values["parts"]),
                "usage": Usage(**values["usage"]),
                "keys": tuple(values["keys"]),
                "prompts": tuple(values["prompts"]),
            }
        )


def told_of(error: Exception | None) -> str:
    """What ``error`` says, its kind where it says nothing; "" without one."""
    return "" if error is None else str(error).strip() or type(error).__name__


_SHARED = ("metric", "scale", "bound", "judge", "resolved_model", "suite")
"""Fields that many records have in common, kept once."""
