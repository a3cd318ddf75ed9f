"""A baseline that somebody changed: refused by name, or compared, and never the end of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, get_args

import pytest
from compared_records import EUROS, F1, HERE, many
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.baselines.compared import compared
from pytest_llmeval.baselines.file import baseline_text, read_baseline
from pytest_llmeval.baselines.gate import FailOn
from pytest_llmeval.baselines.rows import rows_of
from pytest_llmeval.errors import UsageError
from pytest_llmeval.reports.comparison import BaselineComparison
from pytest_llmeval.reports.versus import columns, lines

VALUES = st.recursive(
    st.sampled_from(
        [
            *(None, True, False, 0, 1, -1, 0.5, 5, 6, 1e100, 1e300, 1.7e308, 10**400, "", "\ud800"),
            *("passed", "failed", "measured", "error", "0-1", "1-5", "seconds", "f1", "zzz", "c0"),
        ]
    ),
    lambda inside: st.lists(inside, max_size=2) | st.dictionaries(st.just("f1"), inside),
    max_leaves=3,
)
SOUND = [*many([5, 2]), *many([0.5, 0.7], **F1), *many([3.0, None], **EUROS)]


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every field of every object in ``value``, and every item of every list."""
    for key in [*value] if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places_in(value[key])


@given(chosen=st.data(), value=VALUES, gone=st.booleans(), few=st.booleans())
def test_a_file_in_which_one_field_is_another_is_refused_by_name_or_compared(
    tmp_path_factory: pytest.TempPathFactory, chosen: Any, value: Any, gone: bool, few: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.json"
    document = json.loads(baseline_text(rows_of(SOUND)))
    holder, key = chosen.draw(st.sampled_from([*places_in(document)]))
    if gone:
        del holder[key]
    else:
        holder[key] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        rows = read_baseline(path)
    except UsageError as error:
        assert str(error).startswith(f"{path}: ")  # noqa: PT017 - it may be read as well
        return
    for fail_on in get_args(FailOn):
        now, roll = ([], replace(HERE, partial=True)) if few else (SOUND, HERE)  # as -k nothing
        made = compared("b.json", rows, now, roll, fail_on, {"": 0.02}, {})
        told = BaselineComparison.of(made)
        assert [*columns(told).values(), *lines(told)]
        assert told.file == "b.json"
    baseline_text(rows)
