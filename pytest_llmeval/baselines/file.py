"""The file of a baseline: sorted, a check on a line, the same bytes for the same content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import UsageError
from ..results import Outcome
from ..text.json_once import once
from .faults import fault_in
from .rows import Maker, Place, Row, is_of_the_machine

VERSION: Final = 1
"""The version of the file's shape."""

MAKE_ONE = "make one with --llm-eval-update-baseline"
_ANEW = f"restore it, or delete it and {MAKE_ONE}"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class _Made(_Part):
    """How checks of a metric were judged."""

    scale: str
    judge: str | None
    resolved_model: str | None
    prompts: tuple[str, ...]
    mark: str | None = None


class _Check(_Part):
    """A check; what is left out is none, ``check`` the first of its metric on the case in the test,
    and ``by`` the first of the metric's ``judged_by``."""

    metric: str
    case: str | None = None
    check: int = Field(default=1, ge=1)
    trial: int | None = Field(default=None, ge=1)
    outcome: Literal["passed", "failed", "measured"]
    score: float | None = None
    judged: str | None = None
    asked: str | None = None
    by: int = Field(default=0, ge=0)
    reason: str = ""
    suite: str | None = None


class _File(_Part):
    baseline_version: Literal[1]
    judged_by: dict[str, tuple[_Made, ...]]
    tests: dict[str, tuple[_Check, ...]]


def read_baseline(path: Path) -> list[Row]:
    """The checks of the baseline at ``path``.

    Raises ``UsageError`` that names the file and what to do: where there is none, for one that is
    damaged, and one of another version.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such baseline: {MAKE_ONE}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the baseline cannot be read: {error}") from None
    if any(line.startswith("<<<<<<< ") for line in text.splitlines()):
        raise UsageError(
            f"{path}: git left a conflict in the baseline; take one side of it, as by "
            "git checkout --ours FILE, and let --llm-eval-update-baseline write the rest"
        )
    try:
        document = json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: the baseline is no JSON ({error}); {_ANEW}") from None
    version = document.get("baseline_version") if isinstance(document, dict) else None
    if version is None:
        raise UsageError(f"{path}: this is no baseline: it has no baseline_version; {_ANEW}")
    if version != VERSION or isinstance(version, bool):
        told = f"its baseline_version is {version!r}, this plugin reads {VERSION}"
        raise UsageError(f"{path}: {told}; {_ANEW}")
    try:
        return [*_rows(_File.model_validate_json(text))]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"]))
        raise UsageError(f"{path}: {name}: {first['msg']}; {_ANEW}") from None
    except LookupError as error:
        raise UsageError(f"{path}: {error.args[0]}; {_ANEW}") from None


def _rows(file: _File) -> Iterator[Row]:
    makers = {
        metric: [Maker(**dict(each)) for each in made] for metric, made in file.judged_by.items()
    }
    met: set[tuple[Place, int | None]] = set()
    for test, checks in file.tests.items():
        for check in checks:
            place = Place(test, check.case, check.metric, check.check - 1)
            known = makers.get(check.metric, ())
            if check.by >= len(known):
                raise LookupError(f"{test}: {check.metric} is judged by nobody that is named")
            if (place, check.trial) in met:
                raise LookupError(f"{test}: {check.metric} stands there twice")
            met.add((place, check.trial))
            maker = known[check.by]
            if fault := fault_in(check.metric, maker, check.outcome, check.score):
                raise LookupError(f"{test}: {check.metric} {fault}")
            if not is_of_the_machine(maker.scale, check.outcome != "measured"):
                yield _row(place, check, maker)


def _row(place: Place, check: _Check, maker: Maker) -> Row:
    return Row(
        place=place,
        trial=check.trial,
        outcome=Outcome(check.outcome),
        score=check.score,
        judged=check.judged,
        reason=check.reason,
        maker=maker,
        asked=check.asked,
        suite=check.suite,
    )


def baseline_text(rows: Iterable[Row]) -> str:
    """``rows`` as the file holds them, whatever their order."""
    ordered = sorted(rows, key=_order)
    makers: dict[str, list[Maker]] = {}
    for metric, maker in sorted({(row.place.metric, row.maker) for row in ordered}, key=repr):
        makers.setdefault(metric, []).append(maker)
    tests: dict[str, list[str]] = {}
    for row in ordered:
        by = makers[row.place.metric].index(row.maker)
        tests.setdefault(row.place.test, []).append(_line(_told(row, by)))
    judged_by = {
        metric: [_line(each._asdict()) for each in made] for metric, made in sorted(makers.items())
    }
    parts = (f'"baseline_version": {VERSION}', _block("judged_by", judged_by))
    return "{\n  " + ",\n  ".join((*parts, _block("tests", tests))) + "\n}\n"


def _order(row: Row) -> tuple[Any, ...]:
    place = row.place
    return place.test, place.metric, place.case or "", row.trial or 0, place.number


def _told(row: Row, by: int) -> dict[str, Any]:
    place, score = row.place, row.score
    told = {
        "metric": place.metric,
        "case": place.case,
        "check": place.number + 1 if place.number else None,
        "trial": row.trial,
        "outcome": str(row.outcome),
        "score": _number(score),
        "judged": row.judged,
        "asked": row.asked,
        "by": by or None,
        "reason": row.reason or None,
        "suite": row.suite,
    }
    return {name: value for name, value in told.items() if value is not None}


def _number(score: float | None) -> float | None:
    """``score`` without a fraction of nothing, as long as it has few digits."""
    whole = score is not None and score.is_integer() and abs(score) < 1e15
    return int(score) if whole else score  # type: ignore[arg-type]


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _block(name: str, lines: Mapping[str, Sequence[str]]) -> str:
    """An object of lists, an entry of them on a line."""
    entries = [
        f"    {_line(key)}: [\n      " + ",\n      ".join(each) + "\n    ]"
        for key, each in lines.items()
    ]
    inside = "\n" + ",\n".join(entries) + "\n  " if entries else ""
    return f'"{name}": {{{inside}}}'
