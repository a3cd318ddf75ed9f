"""The run file, made of what a run's ledger holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from .. import __version__
from ..baselines.compared import Compared
from ..gates.gate import GateResult
from ..judges.choice import JudgeChoice, described
from ..judges.model import Judge
from ..ledger import Ledger
from ..option import NamedFile
from ..settings import OPTIONS, Settings
from .amounts import amounts_of, judge_rows
from .comparison import BaselineComparison
from .extent import Extent
from .notices import told_once
from .run import SCHEMA_VERSION, Run


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
        **amounts_of(records, ledger.assessments, ledger.tests.values()),
        comparison=None if compared is None else BaselineComparison.of(compared),
        gates=tuple(gates),
        notices=tuple(sorted(told_once(ledger.notices))),
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
    values = {option.name: plain_value(getattr(settings, option.name), root) for option in OPTIONS}
    values["judge"] = [*judges.names]
    own = settings.model not in judges.names and isinstance(judges.configured, Judge)
    identity: Mapping[str, Any] = (judges.configured and judges.configured.identity) or {}
    values["base_url"] = identity.get("base_url") if own else None
    if not own:
        values |= {"key_env": None, "param": []}
    return values


def plain_value(value: object, root: Path) -> object:
    """The ``value`` of a setting as JSON holds it, a path inside ``root`` relative to that."""
    if isinstance(value, Path):
        inside = value.is_relative_to(root)
        return (value.relative_to(root) if inside else value).as_posix()
    if isinstance(value, NamedFile):
        return f"{value.name} {value.sign} {plain_value(value.path, root)}"
    return [plain_value(each, root) for each in value] if isinstance(value, tuple) else value
