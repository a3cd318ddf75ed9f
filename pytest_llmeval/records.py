"""Records: what a run keeps, as plain values that cross processes as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from .results import Evidence, Outcome, Part, Result, Usage
from .scales import Bound, Threshold
from .trial import Trial, test_of

if TYPE_CHECKING:
    from .data.cases import Case


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """What of a case the run keeps, as it was judged: of a conversation the last turn.

    ``digest`` is of all that metrics may see; records name it, and have the case's id.

    ``documents`` are their ids in order, None for one without; contents are not kept.
    """

    digest: str
    query: str | None
    response: str | None
    ground_truth: str | None
    documents: tuple[str | None, ...]

    @classmethod
    def of(cls, case: Case) -> Self:
        """What is kept of ``case``."""
        return cls(
            digest=case.digest,
            query=case.query,
            response=case.response,
            ground_truth=case.ground_truth,
            documents=tuple(document.id for document in case.context),
        )

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """What ``plain`` made ``values`` of."""
        return cls(**{**values, "documents": tuple(values["documents"])})


@dataclass(frozen=True, slots=True)
class Assessment:
    """A suite of metrics on one case: whether all passed, and if not, why.

    ``outcome`` is failed where a check failed, error where none did and one got no verdict, else
    passed; not applicable where there was nothing to judge, and measured where nothing has a mark.
    ``root_cause`` is the first failing metric in causal order, ``fix`` what to do about it,
    ``uncertain`` the rows before it that got no verdict. ``failed`` and ``errors`` are the rows of
    these checks, ``left_out`` the metrics that were not asked, each with why. ``judged`` is the
    digest of the case, None where nothing was asked. ``message`` says what an error is. ``trial``,
    ``trials`` and ``question`` are as those of ``Record``.
    """

    suite: str
    outcome: Outcome
    root_cause: str | None
    fix: str | None
    failed: tuple[str, ...]
    errors: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    case_id: str | None
    judged: str | None
    uncertain: tuple[str, ...] = ()
    message: str = ""
    nodeid: str = ""
    xfailed: bool = False
    trial: int | None = None
    trials: int | None = None
    question: str | None = None

    @property
    def test(self) -> str:
        """The test's node id, without the trial."""
        return test_of(self.nodeid, self.trial)

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """What ``plain`` made ``values`` of."""
        return cls(
            **{
                **values,
                "uncertain": tuple(values["uncertain"]),
                "outcome": Outcome(values["outcome"]),
                "failed": tuple(values["failed"]),
                "errors": tuple(values["errors"]),
                "left_out": tuple((name, why) for name, why in values["left_out"]),
            }
        )


TestState = Literal[
    "passed", "failed", "error", "skipped", "xfailed", "xpassed", "tolerated", "not_run"
]


@dataclass(frozen=True, slots=True)
class Group:
    """Tests that together are held to a pass rate in (0, 1].

    Of those in it, the tests that ``must_pass`` names have to pass, whatever the rate.
    """

    name: str
    min_pass_rate: float
    must_pass: tuple[str, ...] = ()

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """What ``plain`` made ``values`` of."""
        return cls(**{**values, "must_pass": tuple(values["must_pass"])})


class Weight(NamedTuple):
    """What a trial ``weighs`` within its case, and after how few trials that may end, ``soonest``.

    ``soonest`` is None where all trials of the case run whatever they come to.
    """

    weighs: float = 1.0
    soonest: int | None = None


@dataclass(frozen=True, slots=True)
class TestRow:
    """A test that asks judges, or may: what became of it, and what it was going to check.

    ``metrics`` are the rows, and ``suite`` the suite, that its marker names; ``of_suite`` are the
    rows that this suite may ask. ``unselected`` tells that it was left out by the user's selection.
    ``groups`` are those that it is in, ``names`` by what they may call it, ``tags`` those by which
    groups may take it; ``trial`` and ``trials`` are as in ``Record``; ``weight`` is what it weighs
    within its case, 1 but where trials that stop early came to both ends: their mean over the
    trials of a case is 1; ``soonest`` is the fewest trials after which its case may have ended,
    None where all run. ``marked`` is false where neither a marker nor the baseline tells that it
    asks judges: it is here since it did, or since another such test of its file did.
    """

    __test__: ClassVar = False  # pytest is not to collect it

    nodeid: str
    state: TestState = "not_run"
    metrics: tuple[str, ...] = ()
    suite: str | None = None
    unselected: bool = False
    of_suite: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    names: tuple[str, ...] = ()
    trial: int | None = None
    trials: int | None = None
    weight: float = 1.0
    soonest: int | None = None
    tags: tuple[str, ...] = ()
    marked: bool = True

    @property
    def test(self) -> str:
        """The node id, without the trial."""
        return test_of(self.nodeid, self.trial)

    @property
    def weighed(self) -> Weight:
        """What it weighs within its case, and how soon that may have ended."""
        return Weight(self.weight, self.soonest)

    @property
    def function(self) -> str:
        """The node id, without parameters."""
        file, _, name = self.nodeid.partition("::")
        return f"{file}::{name.partition('[')[0]}"

    @classmethod
    def from_plain(cls, values: Mapping[str, Any]) -> Self:
        """What ``plain`` made ``values`` of."""
        lists = {name: tuple(values[name]) for name in _LISTS}
        groups = tuple(map(Group.from_plain, values["groups"]))
        return cls(**{**values, **lists, "groups": groups})


_LISTS = ("metrics", "of_suite", "names", "tags")


@dataclass(frozen=True, slots=True)
class Record:
    """A result as the session keeps it.

    ``judged`` is the digest of its case; ``per_document`` tells a score that is the share of its
    documents rated yes; ``turn`` is the number of the worst turn, where each turn was judged;
    ``group`` is the case's, ``question`` the digest of what it asks. ``trial`` is the number, from
    1, of the run of the app that was judged, where a test is run for several, and ``trials`` how
    many of these were set beforehand.
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

    @property
    def test(self) -> str:
        """The test's node id, without the trial."""
        return test_of(self.nodeid, self.trial)

    @property
    def rule(self) -> Threshold | None:
        """The pass rule that it was held to."""
        if self.bound is None or self.threshold is None:
            return None
        return Threshold(self.bound, self.threshold)

    @classmethod
    def of(cls, result: Result, nodeid: str = "", trial: Trial | None = None) -> Record:
        """The record of ``result``, made in the test ``nodeid``, in this ``trial`` of it."""
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


_SHARED = ("metric", "scale", "bound", "judge", "resolved_model")
"""Fields that many records have in common, kept once."""


def plain(kept: Record | JudgedCase | Assessment | TestRow) -> dict[str, Any]:
    """``kept`` as JSON values; text that UTF-8 cannot carry is replaced."""
    return {name: _plain(getattr(kept, name)) for name in kept.__slots__}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        if type(value) is str and value.isascii():
            return value
        return str(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Evidence | Part | Usage | Group):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return float(value)
    return value
