"""Tolerances as they are written: a share of what can be lost, and never all of it."""

from __future__ import annotations

import pytest

from pytest_llmeval.baselines.tolerance import tolerances
from pytest_llmeval.errors import UsageError
from pytest_llmeval.metrics import CATALOGUE


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["0.02"], {"": 0.02}),
        (["2%", " groundedness = 10 % "], {"": 0.02, "groundedness": 0.1}),
        (["f1=0", "f1=99.9%"], {"f1": 0.999}),
        (["groundedness[yes_no]=1e-3"], {"groundedness[yes_no]": 0.001}),
    ],
    ids=str,
)
def test_a_tolerance_is_a_number_or_a_percentage(
    entries: list[str], expected: dict[str, float]
) -> None:
    assert tolerances(entries, CATALOGUE) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("5", "expected a share below 1 (100%), which a drop can exceed, as 5% or 0.05; got '5'"),
        ("groundedness=1.5", "as 1.5% or 0.015; got 'groundedness=1.5'"),
        ("1", "as 1% or 0.01; got '1'"),
        ("100%", "as 5% or 0.05; got '100%'"),
        ("inf", "as 5% or 0.05; got 'inf'"),
        ("-1", "expected a share, as 2% or 0.02 or METRIC=2%; got '-1'"),
        ("nan", "expected a share"),
        ("two", "expected a share"),
        ("%", "expected a share"),
        ("fluncy=0.1", "did you mean 'fluency'?"),
    ],
)
def test_what_switches_the_gate_off_is_refused_with_what_was_meant(entry: str, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        tolerances([entry], CATALOGUE)
    assert str(raised.value).startswith("tolerance: ")
    assert told in str(raised.value)
