"""Files of baselines: small, sorted, the same bytes for the same content, and refused by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from compared_records import check
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.baselines.faults import fault_in
from pytest_llmeval.baselines.file import baseline_text, read_baseline
from pytest_llmeval.baselines.rows import Maker, Place, Row, change_of_judge, rounded, rows_of
from pytest_llmeval.errors import UsageError
from pytest_llmeval.results import Outcome
from pytest_llmeval.scales import FRACTION, Bound, Threshold

NAMES = st.sampled_from(["test_a.py::test_it", "test_b.py::test_it[1]", "test_ü.py::T::test"])
MAKERS = st.builds(
    Maker,
    scale=st.sampled_from(["1-5", "0-1", "yes_no"]),
    judge=st.sampled_from(["openai/gpt-5-mini", None]),
    resolved_model=st.sampled_from(["m-1", None]),
    prompts=st.sampled_from([(), ("p@1",), ("p@1", "q+@2")]),
    mark=st.sampled_from([None, "at least 0.5"]),
)


def is_sound(row: Row) -> bool:
    """Whether a run can have written ``row``."""
    return not fault_in(row.place.metric, row.maker, row.outcome, row.score)


ROWS = st.lists(
    st.builds(
        Row,
        place=st.builds(
            Place,
            test=NAMES,
            case=st.sampled_from(["one", "zwölf", None]),
            metric=st.sampled_from(["f1", "groundedness"]),
            number=st.integers(0, 2),
        ),
        trial=st.sampled_from([None, 1, 2]),
        outcome=st.sampled_from([Outcome.PASSED, Outcome.FAILED, Outcome.MEASURED]),
        score=st.sampled_from([None, 0.0, 1.0, 5.0, 0.1]),
        judged=st.sampled_from([None, "0eec46867f0a1e5b"]),
        reason=st.text(st.characters(codec="utf-8"), max_size=20),
        maker=MAKERS,
        asked=st.sampled_from([None, "2324e194a02c"]),
    ).filter(is_sound),
    unique_by=lambda row: (row.place, row.trial),
)


@given(rows=ROWS, shuffled=st.randoms())
def test_what_is_written_is_read_back_in_whatever_order_it_came(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], shuffled: Any
) -> None:
    path = tmp_path_factory.getbasetemp() / "baseline.json"
    text = baseline_text(rows)
    path.write_text(text, encoding="utf-8")
    read = read_baseline(path)
    assert sorted(read, key=repr) == sorted(rows, key=repr)
    shuffled.shuffle(read)
    assert baseline_text(read) == text
    made = json.loads(text)
    assert [*made["tests"]] == sorted(made["tests"])


def test_a_check_is_one_line_and_says_no_more_than_it_has_to() -> None:
    place = Place("test_a.py::test_it", "c", "f1", 0)
    row = Row(
        place, None, Outcome.PASSED, 1.0, None, "So.", Maker("0-1", None, None, (), "at least 1")
    )
    assert baseline_text([row]).splitlines() == [
        "{",
        '  "baseline_version": 1,',
        '  "judged_by": {',
        '    "f1": [',
        (
            '      {"scale": "0-1", "judge": null, "resolved_model": null, "prompts": [], '
            '"mark": "at least 1"}'
        ),
        "    ]",
        "  },",
        '  "tests": {',
        '    "test_a.py::test_it": [',
        '      {"metric": "f1", "case": "c", "outcome": "passed", "score": 1, "reason": "So."}',
        "    ]",
        "  }",
        "}",
    ]


CHECK = {"metric": "f1", "outcome": "passed", "score": 1}
MADE: dict[str, Any] = {"scale": "0-1", "judge": None, "resolved_model": None, "prompts": []}
GOOD: dict[str, Any] = {
    "baseline_version": 1,
    "judged_by": {"f1": [MADE]},
    "tests": {"test_a.py::t": [CHECK]},
}


def changed(
    metric: str = "f1", scale: str = "0-1", mark: str | None = None, **fields: Any
) -> dict[str, Any]:
    """A file that holds one check, with other ``fields`` than a sound one."""
    made = {metric: [{**MADE, "scale": scale, "mark": mark}]}
    return {**GOOD, "judged_by": made, "tests": {"t": [{**CHECK, "metric": metric, **fields}]}}


DAMAGE = [
    ("{", "the baseline is no JSON"),
    ([], "this is no baseline: it has no baseline_version"),
    ({**GOOD, "baseline_version": 2}, "its baseline_version is 2, this plugin reads 1"),
    ({**GOOD, "baseline_version": True}, "its baseline_version is True"),
    ({**GOOD, "more": 1}, "more: Extra inputs"),
    ({**GOOD, "judged_by": {}}, "test_a.py::t: f1 is judged by nobody that is named"),
    ({**GOOD, "tests": {"test_a.py::t": [CHECK, CHECK]}}, "test_a.py::t: f1 stands there twice"),
    ({**GOOD, "tests": {"t": [{**CHECK, "outcome": "error"}]}}, "tests.t.0.outcome: Input should"),
    ({**GOOD, "tests": {"t": [{**CHECK, "score": "1"}]}}, "tests.t.0.score: Input should be"),
    ({**GOOD, "tests": {"t": [{**CHECK, "by": -1}]}}, "tests.t.0.by: Input should be greater"),
    ({**GOOD, "tests": {"t": [{**CHECK, "score": None}]}}, "t: f1 is passed, and has no score"),
    (changed(outcome="measured", score=None), "t: f1 is measured, and has no score"),
    (changed(score=1.5), "t: f1 has the score 1.5, which is not on its scale, 0-1"),
    (changed(score=0), "t: f1 passed with the score 0, the worst on its scale, 0-1"),
    (changed(outcome="failed"), "t: f1 failed with the score 1, the best on its scale, 0-1"),
    (
        changed("exact_match", "pass_fail", outcome="failed"),
        "t: exact_match failed with the score 1, the best on its scale, pass_fail",
    ),
    (
        changed("fact_check[no]", "yes_no", outcome="failed", score=0),
        "t: fact_check[no] failed with the score 0, the best on its scale, yes_no",
    ),
    (
        changed("violence", "severity", outcome="failed", score=0),
        "t: violence failed with the score 0, the best on its scale, severity",
    ),
    (
        changed("exact_match", "pass_fail", outcome="measured"),
        "t: exact_match is measured, and always has a pass mark",
    ),
    (changed(mark="at least 0.5", score=0.2), "t: f1 passed with the score 0.2, where at least 0."),
    (changed(mark="more than 0.5", outcome="failed", score=0.6), "t: f1 failed with the score 0.6"),
    (changed("price", "eur", "at most 2", score=3), "t: price passed with the score 3, where at m"),
    (changed(mark="at least 7"), "t: f1 has the pass mark at least 7, which is not on its scale"),
    (changed(mark="at least nan"), "t: f1 has the pass mark 'at least nan', which is none"),
    (changed(mark="0.5"), "t: f1 has the pass mark '0.5', which is none"),
    (
        changed(mark="at least 0.5", outcome="measured"),
        "t: f1 is measured, and has the pass mark at least 0.5",
    ),
    (changed(trial=0), "tests.t.0.trial: Input should be greater"),
    (changed(metric="price", score=1e300), "t: price has the score 1e+300, which is too large"),
    (
        "<<<<<<< HEAD\n{",
        "git left a conflict in the baseline; take one side of it, as by git check",
    ),
]


@pytest.mark.parametrize(("held", "told"), DAMAGE, ids=[told[:30] for _, told in DAMAGE])
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, held: Any, told: str) -> None:
    path = tmp_path / "b.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8-sig")
    assert len(read_baseline(path)) == 1
    path.write_text(held if isinstance(held, str) else json.dumps(held))
    with pytest.raises(UsageError) as raised:
        read_baseline(path)
    assert f"{path}: {told}" in str(raised.value)


@given(
    value=st.floats(0.01, 0.99),
    score=st.floats(0.01, 0.99),
    beside=st.sampled_from([None, 0.0, 1e-7, -1e-7]),
    bound=st.sampled_from(["at_least", "at_most", "more_than", "less_than"]),
)
def test_what_a_run_came_to_by_any_mark_is_no_fault(
    value: float, score: float, beside: float | None, bound: Bound
) -> None:
    rule = Threshold(bound, value)
    score = score if beside is None else value + beside
    (row,) = rows_of([check("c", score, metric="f1", scale=FRACTION, rule=rule)])
    assert row.maker.mark is not None
    assert is_sound(row)
    turned = Outcome.FAILED if row.outcome is Outcome.PASSED else Outcome.PASSED
    assert is_sound(replace(row, outcome=turned)) == (rounded(score) == rounded(value))


def test_what_is_no_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such baseline: make one with --llm-eval-update-base"):
        read_baseline(tmp_path / "none.json")
    with pytest.raises(UsageError, match="the baseline cannot be read"):
        read_baseline(tmp_path)


BEFORE = Maker("1-5", "a", "a-1", ("p@1", "q@1"))


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (BEFORE, None),
        (BEFORE._replace(judge="b"), "a → b"),
        (BEFORE._replace(resolved_model="a-2"), "a-1 → a-2"),
        (BEFORE._replace(resolved_model=None), None),
        (BEFORE._replace(prompts=("p@2", "q@1")), "prompt p"),
        (BEFORE._replace(prompts=("p+@1", "q@1")), "prompt p"),
        (BEFORE._replace(prompts=("p@1",)), None),
        (BEFORE._replace(prompts=("r@1",)), "prompt r"),
        (Maker("1-5", None, None, ()), None),
    ],
)
def test_a_judge_has_changed_by_its_name_its_model_or_a_prompt(
    now: Maker, told: str | None
) -> None:
    assert change_of_judge(BEFORE, now) == told
