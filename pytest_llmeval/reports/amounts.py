"""What the records and assessments of a run amount to, as the run file holds it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..rates.aggregates import aggregates
from ..rates.case_values import weights_of
from ..records.assessment import Assessment
from ..records.record import Record
from ..records.tests import TestRow
from ..results import added, total
from .rated_rows import rated_rows
from .run import Aggregate, JudgeRow, MetricAggregate, SuiteAggregate, Totals


def amounts_of(
    records: Sequence[Record],
    assessments: Sequence[Assessment],
    tests: Collection[TestRow] = (),
) -> dict[str, Any]:
    """The fields of a run that are computed from its records, assessments and tests."""
    metrics, suites = rated_rows(records, assessments, tests)
    keyed = aggregates(records, weights_of(tests)).items()
    return {
        "metrics": tuple(map(MetricAggregate.of, metrics)),
        "aggregates": {key: Aggregate.of(amount) for key, amount in keyed},
        "suites": tuple(map(SuiteAggregate.of, suites)),
        "totals": _totals(records),
    }


def _totals(records: Sequence[Record]) -> Totals:
    usages = [record.usage for record in records]
    return Totals(
        checks=len(records),
        asked=sum(usage.asked for usage in usages),
        stored=sum(usage.stored for usage in usages),
        tokens=total(_known(records, "input_tokens", "output_tokens")),
        cost=total(_known(records, "cost")),
        spent_tokens=total(_known(records, "spent_tokens")),
        spent_cost=total(_known(records, "spent_cost")),
        seconds=added(usage.seconds for usage in usages),
    )


def _known(records: Iterable[Record], *names: str) -> Iterator[Any]:
    """What each of ``records`` took; nothing of a judge that is no LLM and says nothing of it."""
    for record in records:
        for name in names:
            took = getattr(record.usage, name)
            yield took if took is not None or record.is_llm else 0


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


def _judge_row(name: str, rows: Sequence[Mapping[str, Any]], records: Sequence[Record]) -> JudgeRow:
    identities = [row["identity"] for row in rows if row["identity"] is not None]
    resolved = {each.resolved_model for each in records if each.judge == name}
    return JudgeRow(
        name=name,
        is_llm=rows[0]["is_llm"],
        identities=tuple(sorted(identities, key=repr)),
        resolved_models=tuple(sorted(model for model in resolved if model is not None)),
    )
