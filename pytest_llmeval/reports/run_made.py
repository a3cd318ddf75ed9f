"""The run file, made of what a run's ledger holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from .. import __version__
from ..gates.aggregates import aggregates
from ..gates.case_values import weights_of
from ..gates.compared import Compared
from ..gates.gate import GateResult
from ..gates.pass_rate import metric_rows
from ..gates.suite_rate import suite_rows
from ..judges.choice import JudgeChoice, described
from ..judges.model import Judge
from ..ledger import Ledger
from ..option import NamedFile
from ..records import Assessment, Record
from ..results import total
from ..settings import OPTIONS, Settings
from .comparison import BaselineComparison
from .extent import Extent
from .run import (
    SCHEMA_VERSION,
    Aggregate,
    JudgeRow,
    MetricAggregate,
    Run,
    SuiteAggregate,
    Totals,
)


def run_of(
    ledger: Ledger,
    settings: Settings,
    judges: JudgeChoice,
    *,
    extent: Extent,
    started: datetime,
    finished: datetime,
    exit_status: int,
    root: Path,
    gates: Sequence[GateResult] = (),
    compared: Compared | None = None,
) -> Run:
    """The run that ``ledger`` tells of, in an order that does not depend on who ran first.

    ``root`` is the folder that paths are relative to. Raises ``ValueError`` for what no JSON
    document can hold. ``compared`` is the run beside its baseline.
    """
    records = sorted(ledger, key=lambda record: record.nodeid)
    configured = [described(judges.configured)] if judges.configured else []
    return Run(
        schema_version=SCHEMA_VERSION,
        plugin_version=__version__,
        started=started,
        finished=finished,
        exit_status=exit_status,
        extent=extent,
        settings=shown_settings(settings, judges, root),
        judges=judge_rows([*configured, *ledger.judges], records),
        **amounts_of(records, ledger.assessments, weights_of(ledger.tests.values())),
        comparison=None if compared is None else BaselineComparison.of(compared),
        gates=tuple(gates),
        notices=tuple(sorted(ledger.notices)),
        tests=tuple(sorted(ledger.tests.values(), key=lambda test: test.nodeid)),
        cases=tuple(sorted(ledger.cases.values(), key=lambda case: case.digest)),
        assessments=tuple(sorted(ledger.assessments, key=lambda each: each.nodeid)),
        records=tuple(records),
    )


def shown_settings(settings: Settings, judges: JudgeChoice, root: Path) -> dict[str, Any]:
    """``settings`` by name as JSON values, without what is or may be a secret.

    Named judges are told by name; what describes the configured judge only where it is one of
    these settings that describe it, since nobody looked at them otherwise.
    """
    values = {option.name: _plain(getattr(settings, option.name), root) for option in OPTIONS}
    values["judge"] = [*judges.names]
    own = settings.model not in judges.names and isinstance(judges.configured, Judge)
    identity: Mapping[str, Any] = (judges.configured and judges.configured.identity) or {}
    values["base_url"] = identity.get("base_url") if own else None
    if not own:
        values |= {"key_env": None, "param": []}
    return values


def _plain(value: object, root: Path) -> object:
    if isinstance(value, Path):
        inside = value.is_relative_to(root)
        return (value.relative_to(root) if inside else value).as_posix()
    if isinstance(value, NamedFile):
        return f"{value.name} {value.sign} {_plain(value.path, root)}"
    return [_plain(each, root) for each in value] if isinstance(value, tuple) else value


def judge_rows(
    judges: Iterable[Mapping[str, Any]], records: Sequence[Record]
) -> tuple[JudgeRow, ...]:
    """A row for each name among ``judges``, which are told as the ledger keeps them."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for judge in judges:
        rows = by_name.setdefault(judge["name"], [])
        if judge not in rows:
            rows.append(judge)
    return tuple(_judge_row(name, rows, records) for name, rows in sorted(by_name.items()))


def amounts_of(
    records: Sequence[Record],
    assessments: Sequence[Assessment],
    weights: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """The fields of a run that are computed from its records and assessments.

    ``weights`` are what trials weigh within their case, by node id, where that is not 1.
    """
    keyed = aggregates(records, weights).items()
    return {
        "metrics": tuple(map(MetricAggregate.of, metric_rows(records, weights))),
        "aggregates": {key: Aggregate.of(amount) for key, amount in keyed},
        "suites": tuple(map(SuiteAggregate.of, suite_rows(assessments, weights))),
        "totals": _totals(records),
    }


def _judge_row(name: str, rows: Sequence[Mapping[str, Any]], records: Sequence[Record]) -> JudgeRow:
    identities = [row["identity"] for row in rows if row["identity"] is not None]
    resolved = {each.resolved_model for each in records if each.judge == name}
    return JudgeRow(
        name=name,
        is_llm=rows[0]["is_llm"],
        identities=tuple(sorted(identities, key=repr)),
        resolved_models=tuple(sorted(model for model in resolved if model is not None)),
    )


def _totals(records: Sequence[Record]) -> Totals:
    usages = [record.usage for record in records]
    return Totals(
        checks=len(records),
        asked=sum(usage.asked for usage in usages),
        stored=sum(usage.stored for usage in usages),
        tokens=total(part for each in usages for part in (each.input_tokens, each.output_tokens)),
        cost=total(usage.cost for usage in usages),
        spent_tokens=total(usage.spent_tokens for usage in usages),
        spent_cost=total(usage.spent_cost for usage in usages),
        seconds=sum(usage.seconds for usage in usages),
    )
