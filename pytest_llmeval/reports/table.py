"""The table of the summary: a row for each metric and each suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..rates.pass_rate import MetricRow
from ..rates.suite_rate import SuiteRow
from ..records.assessment import suite_row
from ..text.plural import many

Cells = tuple[str, str, str, str, str]


def cells_of(
    metrics: Iterable[MetricRow], suites: Iterable[SuiteRow], beside: Mapping[str, str]
) -> list[Cells]:
    """The header, then a row for each metric and each suite.

    ``beside`` is what stands in the column for the baseline, by row; empty without one.
    """
    rows = [*map(_cells, metrics), *map(_suite_cells, suites)]
    if beside:
        rows = [(*row[:4], " · ".join(filter(None, (beside.get(row[0]), row[4])))) for row in rows]
    return [("metric", "passed", "rate [95 %]", "mean", "vs baseline" if beside else ""), *rows]


def table(
    metrics: Iterable[MetricRow], suites: Iterable[SuiteRow], beside: Mapping[str, str]
) -> list[str]:
    """The lines of the table; the arguments are those of ``cells_of``."""
    cells = cells_of(metrics, suites, beside)
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    lines = []
    for name, passed, rate, mean, apart in cells:
        columns = (passed.rjust(widths[1]), rate.rjust(widths[2]), mean.rjust(widths[3]), apart)
        lines.append("  ".join((name.ljust(widths[0]), *columns)).rstrip())
    return lines


def name_of(row: MetricRow | SuiteRow) -> str:
    """What ``row`` is called, as gates may call it, too."""
    return row.metric if isinstance(row, MetricRow) else suite_row(row.suite)


def _cells(row: MetricRow) -> Cells:
    if (found := row.defects) is not None:
        counted = f"{many(found.count, 'defect')}/{row.judged}"
        rate = _rate(found.rate, found.interval)
        return name_of(row), counted, rate, f"≥ {' / '.join(found.tolerances)}", _apart(row)
    mean = "–" if row.mean is None else f"{row.mean:.2f}"
    rate = _rate(row.rate, row.interval)
    return name_of(row), f"{row.passed}/{row.judged}", rate, mean, _apart(row)


def _suite_cells(row: SuiteRow) -> Cells:
    rate = _rate(row.rate, row.interval)
    return name_of(row), f"{row.passed}/{row.judged}", rate, "–", _apart(row)


def _rate(rate: float | None, interval: tuple[float, float]) -> str:
    if rate is None:
        return "–"
    low, high = interval
    return f"{rate:.1%} [{100 * low:.1f}–{100 * high:.1f}]".replace("%", " %")


def _apart(row: MetricRow | SuiteRow) -> str:
    apart = {
        "error" if row.errors == 1 else "errors": row.errors,
        "not applicable": row.not_applicable,
        "measured": row.measured,
        "in xfailed tests": row.xfailed,
    }
    return " · ".join(f"{count} {what}" for what, count in apart.items() if count)


def level_lines(metrics: Iterable[MetricRow]) -> Iterator[tuple[str, str]]:
    """By metric how grave the severities are, for those where any is above the lowest level."""
    for row in metrics:
        levels = [*row.defects.at_or_above.items()][1:] if row.defects is not None else []
        if any(count for _, count in levels):
            yield row.metric, " · ".join(f"{count} ≥ {level}" for level, count in levels)
