"""The run file: one run as one JSON document."""

from __future__ import annotations

import json
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BeforeValidator, JsonValue

from ..gates.gate import GateResult
from ..rates.aggregates import Amount
from ..rates.pass_rate import MetricRow
from ..rates.suite_rate import SuiteRow
from ..records.assessment import Assessment
from ..records.judged_case import JudgedCase
from ..records.record import Record
from ..records.tests import TestRow
from .comparison import BaselineComparison
from .digests import digest_of
from .extent import Digest, Extent, RunPart

SCHEMA_VERSION: Final = 1
"""The version of the document's shape, and of how its figures are made of its records.

A change that an older reader can't take, or by which it would come to other figures, raises it.
"""


class JudgeRow(RunPart):
    """A judge that the run was set to ask, or asked."""

    name: str
    """As reports call it; records name their judge by it."""
    is_llm: bool
    """False for a judge that is no language model."""
    identities: tuple[dict[str, JsonValue], ...]
    """What shaped its answers: model, base URL without user and query, parameters. Several where
    judges of one name differed; none for a judge whose answers are not stored."""
    resolved_models: tuple[str, ...]
    """The models' names as the provider gave them, sorted."""


class TrialAggregate(RunPart):
    """What several trials of the same cases amount to, under one metric or suite."""

    cases: int
    """Cases that had as many trials set beforehand; a case in two tests is two."""
    fewest: int
    """The fewest trials of such a case that were judged."""
    most: int
    """The most trials of such a case that were judged."""
    k: int | None
    """How many trials were set beforehand; null where that is one, and more followed."""
    left_out: int
    """Cases of which fewer than k trials were judged: they are in neither of the next two."""
    pass_at_k: float | None
    """The probability that one of k trials passes at least, in [0, 1], a mean over cases."""
    pass_hat_k: float | None
    """The probability that all of k trials pass, in [0, 1], a mean over cases."""


class DefectAggregate(RunPart):
    """The severities of one metric: how many are defects, and how grave all of them are."""

    count: int
    """Checks whose severity is at or above the tolerance."""
    rate: float | None
    """These of the judged, in [0, 1]; null where nothing was judged."""
    interval: tuple[float, float]
    """The Wilson 95 % interval of the rate, by cases where these had trials."""
    tolerances: tuple[str, ...]
    """The level from which on a check is a defect; several where tests differ in it."""
    at_or_above: dict[str, int]
    """By level, from the lowest: how many checks are at it or above it."""


class MetricAggregate(RunPart):
    """One metric over the run. Checks in tests that pytest reports as xfailed are only counted."""

    metric: str
    """The row that checks count under (``groundedness``, ``fact_check[no]``)."""
    passed: int
    """Checks that passed."""
    judged: int
    """Checks that passed or failed."""
    rate: float | None
    """Passed of judged, in [0, 1], where cases had trials the mean of the cases' rates; null where
    nothing was judged."""
    interval: tuple[float, float]
    """The Wilson 95 % interval of the rate, by cases where these had trials."""
    mean: float | None
    """The mean of the scores, each case once where cases had trials; null without a score, and on
    scales of words."""
    errors: int
    """Checks without a verdict."""
    not_applicable: int
    """Checks with nothing to judge."""
    measured: int
    """Checks without a threshold."""
    xfailed: int
    """Checks in tests that pytest reports as xfailed."""
    trials: tuple[TrialAggregate, ...]
    """What trials came to, by k; empty where each test ran once, or nothing could pass or fail."""
    defects: DefectAggregate | None = None
    """What severities came to; null for other metrics, and where high ones are what passes."""

    @classmethod
    def of(cls, row: MetricRow) -> MetricAggregate:
        """The aggregate that ``row`` is: its fields by their names."""
        return cls.model_validate(row, from_attributes=True)


class Aggregate(RunPart):
    """What the checks under one key of the reference systems amount to."""

    value: float | None
    """The mean of the checks that were judged, of yes or no the share of yes, of severities that of
    defects; each case counts once where cases had trials; null without any."""
    judged: int
    """Checks that the value is over."""
    not_judged: int
    """Checks without a value: errors, and blank responses where the scale is one of numbers."""
    not_applicable: int
    """Checks with nothing to judge."""

    @classmethod
    def of(cls, amount: Amount) -> Aggregate:
        """The aggregate that ``amount`` is: its fields by their names."""
        return cls.model_validate(amount, from_attributes=True)


class SuiteAggregate(RunPart):
    """One suite over the run. Cases in tests that pytest reports as xfailed are only counted."""

    suite: str
    """Its name."""
    passed: int
    """Cases that passed it."""
    judged: int
    """Cases that passed or failed it."""
    rate: float | None
    """Passed of judged, in [0, 1], where cases had trials the mean of the cases' rates; null where
    nothing was judged."""
    interval: tuple[float, float]
    """The Wilson 95 % interval of the rate, by cases where these had trials."""
    errors: int
    """Cases without an answer."""
    not_applicable: int
    """Cases with nothing to judge."""
    measured: int
    """Cases of which nothing was asked that has a pass mark."""
    xfailed: int
    """Cases in tests that pytest reports as xfailed."""
    causes: dict[str, int]
    """How many of the failed cases each row is the root cause of, the most frequent first."""
    uncertain: int
    """Failed cases in which a metric before the root cause got no verdict."""
    trials: tuple[TrialAggregate, ...]
    """What trials came to, by k; empty where each test ran once, or nothing could pass or fail."""

    @classmethod
    def of(cls, row: SuiteRow) -> SuiteAggregate:
        """The aggregate that ``row`` is: its fields by their names."""
        return cls.model_validate(row, from_attributes=True)


class Totals(RunPart):
    """What the run took. Null is unknown, which is not zero."""

    checks: int
    """How many records there are."""
    asked: int
    """Answers that judges gave in this run."""
    stored: int
    """Answers that had been heard before."""
    tokens: int | None
    """Tokens in and out of all answers, whenever they were given."""
    cost: float | None
    """US dollars for all answers, whenever they were given."""
    spent_tokens: int | None
    """Tokens of the answers that were given in this run."""
    spent_cost: float | None
    """US dollars for the answers that were given in this run."""
    seconds: float
    """Seconds that judges took for all answers, added up."""


def _refuse_a_boolean(version: object) -> object:
    """``true``, which Python takes for 1, is no version."""
    if isinstance(version, bool):
        raise ValueError(f"{version} is no version")
    return version


class Run(RunPart):
    """One run of pytest with evals on, as ``--llm-eval-report`` writes it."""

    schema_version: Annotated[Literal[1], BeforeValidator(_refuse_a_boolean)]
    """The version of this shape."""
    plugin_version: str
    """The version of pytest-llm-evaluation that wrote it."""
    started: AwareDatetime
    """When the run began, UTC."""
    finished: AwareDatetime
    """When it ended, UTC."""
    exit_status: int
    """pytest's exit status: 0 passed, 1 failed, 2 interrupted, 4 usage error, 5 no tests."""
    extent: Extent
    settings: dict[str, JsonValue]
    """The plugin's settings by their names, paths relative to pytest's root folder; never secrets.
    """
    judges: tuple[JudgeRow, ...]
    """By name."""
    metrics: tuple[MetricAggregate, ...]
    """By name."""
    aggregates: dict[str, Aggregate]
    """By the keys that the reference systems have for them, sorted."""
    suites: tuple[SuiteAggregate, ...]
    """By name."""
    comparison: BaselineComparison | None
    """The run held against a baseline; null without one."""
    totals: Totals
    gates: tuple[GateResult, ...]
    """What each gate came to, in the order of the summary."""
    notices: tuple[str, ...]
    """What the summary told once, sorted."""
    tests: tuple[TestRow, ...]
    """Every test that asks judges, or may, also where it did not run, by node id."""
    cases: tuple[JudgedCase, ...]
    """What was judged, by digest; records and assessments name it so."""
    assessments: tuple[Assessment, ...]
    """Every suite on a case, by node id, then in the order of the test."""
    records: tuple[Record, ...]
    """Every check, by node id, then in the order of the test."""
    merged_from: tuple[Digest, ...] = ()
    """Of a merged run the identities of the runs that it is made of, sorted; else empty."""

    @property
    def identities(self) -> tuple[Digest, ...]:
        """Which runs this is, each by a digest of when it was and of the tests that ran.

        So a run is known under another name, and as a part of a merged one.
        """
        return self.merged_from or (
            digest_of(
                [f"{self.started.isoformat()} {self.finished.isoformat()} {self.extent.ran_digest}"]
            ),
        )

    def text(self) -> str:
        """This run as the file holds it."""
        return self.model_dump_json(indent=2) + "\n"


def schema_text() -> str:
    """The JSON Schema of run files, as ``run-1.schema.json`` holds it."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Run.model_json_schema(mode="serialization"),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
