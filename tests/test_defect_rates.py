"""Severities over a run: defects and their rate, wherever a run is told, gated and compared."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import Case, Run, UsageError, load_run
from pytest_llmeval.baselines.tolerance import tolerances
from pytest_llmeval.cli import main
from pytest_llmeval.commands.kept_questions import entries_of, rejudgeable
from pytest_llmeval.commands.rejudging import rejudge
from pytest_llmeval.gates.expression import parse_gate
from pytest_llmeval.judges.engine import Engine
from pytest_llmeval.judges.store import Store
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.metrics.registered import Metrics
from pytest_llmeval.rates.aggregates import aggregates
from pytest_llmeval.rates.pass_rate import metric_rows
from pytest_llmeval.records.record import Record
from pytest_llmeval.reports.exported import exported
from pytest_llmeval.reports.failed_checks import gap
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import SEVERITY, Threshold
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.statistics.intervals import wilson
from pytest_llmeval.testing import ScriptedJudge

LEVELS = tuple(SEVERITY.labels)
SUITE = """
import json, pathlib, pytest
from pytest_llmeval import Case, evaluate
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge

LEVELS = json.loads(pathlib.Path("levels.json").read_text())

@pytest.mark.llm_eval
@pytest.mark.parametrize("number", range(len(LEVELS)))
def test_story(number):
    level = LEVELS[number]
    said = {"passages": [], "reason": f"It is {level}.", "severity": level}
    judge = ScriptedJudge(JudgeUnavailable("down") if level == "down" else said)
    case = Case(id=f"c{number}", query="q", response="" if level == "blank" else "r")
    evaluate(case, "violence", judge=judge)
"""
Written = dict[str, Any]


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_a=SUITE)
    return pytester


def run(suite: pytest.Pytester, levels: Iterable[str], *options: str) -> pytest.RunResult:
    suite.path.joinpath("levels.json").write_text(json.dumps([*levels]), "utf-8")
    return suite.runpytest("--llm-eval", "--llm-eval-report=run.json", *options)


def lines(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if re.match(r"(metric|violence|gate) ?.*", line)]


def record(score: float | None, rule: Threshold, nodeid: str = "t.py::a") -> Record:
    passed = score is not None and rule.holds(score)
    outcome = Outcome.PASSED if passed else Outcome.FAILED
    name = "violence" if rule.asks_for == "at_most" else "violence[high]"
    return Record.of(Result(name, outcome, SEVERITY, rule, score), nodeid)


def test_the_gravest_severity_is_the_farthest_from_what_passes() -> None:
    rules = (Threshold("at_most", 0), Threshold("less_than", 2), Threshold("less_than", 4))
    for rule in rules:
        failing = [value for value in SEVERITY.labels.values() if not rule.holds(value)]
        gaps = [gap(record(value, rule)) for value in failing]
        assert gaps == sorted(gaps)
        assert len({*gaps}) == len(gaps)
        assert gaps[0] > 0
    assert gap(record(6, rules[0])) > gap(record(6, rules[2])) > gap(record(4, rules[2]))


SCORES = st.lists(st.sampled_from([*SEVERITY.labels.values()]), min_size=1, max_size=30)


@given(SCORES, st.sampled_from(SEVERITY.tolerances))
def test_counts_at_and_above_each_level_add_up(scores: list[float], tolerance: str) -> None:
    rule = Threshold("less_than", SEVERITY.labels[tolerance])
    records = [record(score, rule) for score in scores]
    (row,) = metric_rows(records)
    found = row.defects
    assert found is not None
    at_or_above = found.at_or_above
    assert [*at_or_above] == [*LEVELS]
    assert at_or_above["very low"] == row.judged == len(scores)
    counts = [*at_or_above.values(), 0]
    at = {level: counts[place] - counts[place + 1] for place, level in enumerate(LEVELS)}
    assert at == {level: scores.count(SEVERITY.labels[level]) for level in LEVELS}
    assert found.count == at_or_above[tolerance] == len(scores) - row.passed
    assert found.tolerances == (tolerance,)
    assert found.rate == pytest.approx(1 - (row.rate or 0))
    assert found.interval == pytest.approx(wilson(found.count, len(scores)))
    assert aggregates(records)["safety/violence/defect_rate"].value == pytest.approx(found.rate)


def test_high_severities_that_are_asserted_are_no_defects_of_their_row() -> None:
    claimed = Threshold("at_least", 6)
    caught, missed = record(6, claimed), record(2, claimed)
    (row,) = metric_rows([caught, missed])
    assert (row.passed, row.judged, row.defects) == (1, 2, None)
    amount = aggregates([caught, missed, record(0, Threshold("less_than", 4))])
    # The key tells how many responses are violent, whichever was asserted.
    assert amount["safety/violence/defect_rate"].value == pytest.approx(1 / 3)


def test_tolerances_that_differ_are_told_together_and_one_that_cannot_be_is_not() -> None:
    rules = [Threshold("less_than", 6), Threshold("at_most", 0), Threshold("less_than", 3)]
    (row,) = metric_rows([record(2, rule) for rule in [*rules, Threshold("at_most", 9)]])
    assert row.defects is not None
    assert row.defects.tolerances == ("low", "medium", "high")
    assert metric_rows([])[:1] == []


def test_a_run_tells_defects_their_rate_and_how_grave_all_are(suite: pytest.Pytester) -> None:
    levels = [*["very low"] * 38, "low", "low", "low", "medium", "blank", "down"]
    shown = "--llm-eval-markdown=run.md", "--junitxml=junit.xml"
    result = run(suite, levels, *shown, "--llm-eval-gate=violence.defect_rate <= 0.1")
    assert lines(result) == [
        "metric         passed       rate [95 %]      mean",
        "violence  1 defect/42  2.4 % [0.4–12.3]  ≥ medium  1 error · 1 not applicable",
        "violence: 4 ≥ low · 1 ≥ medium · 0 ≥ high",
        "gate violence.defect_rate <= 0.1   held: 1/42, 2.4 %, 1 without a verdict",
    ]
    page = suite.path.joinpath("run.md").read_text("utf-8")
    assert "| `violence` | 1 defect/42 | 2.4 % [0.4–12.3] | ≥ medium | 1 error" in page
    assert "### Severities\n\n- `violence`: 4 ≥ low · 1 ≥ medium · 0 ≥ high\n" in page
    assert "- `violence` medium is not below medium · `test_a.py::test_story[41]`" in page
    tree = ElementTree.parse(suite.path / "junit.xml")
    properties = [each.attrib for each in tree.iter("property")]
    assert {"name": "llm_eval.violence", "value": "medium"} in properties
    made = load_run(suite.path / "run.json")
    failed = made.records[[each.outcome for each in made.records].index(Outcome.FAILED)]
    told = (failed.score, failed.label, failed.bound, failed.threshold, failed.scale)
    assert told == (4, "medium", "less_than", 4, "severity")
    (row,) = made.metrics
    assert row.defects is not None
    assert (row.mean, row.defects.count, row.defects.tolerances) == (None, 1, ("medium",))
    assert row.defects.at_or_above == {"very low": 42, "low": 4, "medium": 1, "high": 0}
    amount = made.aggregates["safety/violence/defect_rate"]
    assert (amount.judged, amount.not_judged, amount.not_applicable) == (42, 1, 1)
    assert amount.value == pytest.approx(1 / 42)


def test_where_nothing_is_above_very_low_the_row_says_all(suite: pytest.Pytester) -> None:
    assert lines(run(suite, ["very low"] * 42, "--llm-eval-threshold=violence=low")) == [
        "metric          passed      rate [95 %]   mean",
        "violence  0 defects/42  0.0 % [0.0–8.4]  ≥ low",
    ]


GATES = {
    "held": ["very low"] * 49 + ["high"],
    "broken": ["very low"] * 48 + ["high", "medium"],
    "not decided": ["very low"] * 49 + ["down", "down"],
}


@pytest.mark.parametrize("state", GATES)
@pytest.mark.parametrize(
    "gate", ["violence.defect_rate <= 0.02", "safety/violence/defect_rate <= 2%"]
)
def test_a_gate_on_the_rate_of_defects(suite: pytest.Pytester, state: str, gate: str) -> None:
    result = run(suite, GATES[state], f"--llm-eval-gate={gate}")
    (told,) = [line for line in lines(result) if line.startswith("gate")]
    assert told.startswith(f"gate {gate}   {'BROKEN' if state == 'broken' else state}")
    assert result.ret == (0 if state == "held" else 1)
    assert load_run(suite.path / "run.json").gates[0].state == state


def test_what_a_gate_may_ask_of_severities() -> None:
    for text in (
        "violence.pass_rate >= 98%",
        "violence.lower > 0.9",
        "violence[each_turn].defect_rate < 1%",
    ):
        assert parse_gate(text, CATALOGUE, ()).metric == "violence"
    assert parse_gate("violence[high].pass_rate > 0.9", CATALOGUE, ()).subject == "violence[high]"
    with pytest.raises(UsageError, match="a severity is --llm-eval-threshold violence=low"):
        tolerances(["violence=low"], CATALOGUE)
    rule = parse_gate("safety/self_harm/defect_rate <= 0.02", CATALOGUE, ())
    assert (rule.metric, rule.lowest, rule.highest) == ("self_harm", 0, 1)
    for text, told in {
        "violence.mean <= 2": "it is very low or low or medium or high: use defect_rate",
        "violence.defect_rate <= 2": "2 is off the scale, which runs from 0 to 1: did you mean",
        "safety/violence/defect_rate <= 1": "nothing could break it",
        "safety/violenc/defect_rate <= 0": "did you mean 'safety/violence/defect_rate'",
        "safety.defect_rate <= 0.1": "safety has no defect_rate, since more of it is better",
        "violence[high].defect_rate <= 0.1": "since more of it is better: use pass_rate",
    }.items():
        with pytest.raises(UsageError, match=re.escape(told)):
            parse_gate(text, CATALOGUE, ())


def lasting(made: Run) -> Written:
    return made.model_dump(mode="json", include={"metrics", "aggregates", "gates", "tests"})


def test_shards_merged_have_the_defects_of_the_whole(suite: pytest.Pytester) -> None:
    levels = ["very low", "low", "medium", "high", "down", "blank", "very low"]
    gate = "--llm-eval-gate=violence.defect_rate <= 0.5"
    whole = run(suite, levels, gate)
    expected = load_run(suite.path / "run.json")
    for number in (1, 2, 3):
        run(suite, levels, gate, f"--llm-eval-shard={number}/3", f"--llm-eval-report={number}.json")
    files = [str(suite.path / f"{number}.json") for number in (3, 1, 2)]
    merged = suite.path / "merged.json"
    done = CliRunner().invoke(main, ["merge", *files, "--output", str(merged)])
    assert lasting(load_run(merged)) == lasting(expected)
    assert {*lines(whole)} <= {*done.output.splitlines()}


def test_a_baseline_breaks_where_the_rate_of_defects_went_up(suite: pytest.Pytester) -> None:
    file = "--llm-eval-baseline=base.json"
    before, worse = ["very low"] * 20, [*["very low"] * 10, *["low"] * 2, *["high"] * 8]
    for first, second, told, status in [
        (before, worse, r"\+40\.0 pts, p = 0\.0078  REGRESSED", 1),
        (worse, before, r"−40\.0 pts, p = 0\.0078  improved", 0),
        (before, before, "unchanged", 0),
    ]:
        run(suite, first, file, "--llm-eval-update-baseline")
        result = run(suite, second, file)
        assert result.ret == status
        row = next(line for line in lines(result) if line.startswith("violence "))
        assert re.search(rf"{told}$", row), row
    run(suite, before, file, "--llm-eval-update-baseline")
    text = run(suite, worse, file).stdout.str()
    assert "  test_a.py::test_story[12] (c12): violence very low → high\n" in text
    made = load_run(suite.path / "run.json").comparison
    assert made is not None
    (metric,) = made.metrics
    assert (metric.baseline, metric.current, metric.change) == (1.0, 0.6, "regressed")


def test_a_file_whose_defects_are_not_those_of_its_records_is_refused(
    suite: pytest.Pytester,
) -> None:
    run(suite, ["low", "high"])
    file = suite.path / "run.json"
    document = json.loads(file.read_text("utf-8"))
    for change in ({"count": 0}, {"at_or_above": {"very low": 2}}, None):
        made = json.loads(json.dumps(document))
        row = made["metrics"][0]
        row["defects"] = change and {**row["defects"], **change}
        file.write_text(json.dumps(made), "utf-8")
        with pytest.raises(UsageError, match="defects.* by what it is made of"):
            load_run(file)
    document["records"][0]["score"] = 3.0
    file.write_text(json.dumps(document), "utf-8")
    with pytest.raises(UsageError, match="the score 3 is not on its scale, severity"):
        load_run(file)


def test_other_tools_are_given_the_level_and_the_rate(suite: pytest.Pytester) -> None:
    run(suite, ["medium", "low", "down", "blank"])
    made = load_run(suite.path / "run.json")
    document = json.loads(exported(made, "azure"))
    name = "outputs.violence.violence"
    told = [
        tuple(row[f"{name}{end}"] for end in ("", "_score", "_result", "_threshold", "_error"))
        for row in document["rows"]
    ]
    assert told == [
        ("Medium", 4, "fail", 3, None),
        ("Low", 2, "pass", 3, None),
        (None, None, None, None, "down"),
        (None, None, None, 3, None),
    ]
    metrics = {key.removeprefix("violence."): value for key, value in document["metrics"].items()}
    assert metrics == {
        "violence_defect_rate": 0.5,
        "judged": 2,
        "not_judged": 1,
        "not_applicable": 1,
        "binary_aggregate": 0.5,
        "binary_judged": 2,
    }
    rows = [json.loads(line) for line in str(exported(made, "databricks")).splitlines()]
    ends = ("severity", "defect", "rationale", "error_message")
    assert [tuple(row[f"safety/violence/{end}"] for end in ends) for row in rows] == [
        ("medium", "yes", "It is medium.", None),
        ("low", "no", "It is low.", None),
        (None, None, None, "down"),
        (None, None, "the response is empty", None),
    ]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Store]:
    """A store with what one judge said to a case of violence: low."""
    said = {"passages": [], "reason": "r", "severity": "low"}
    session = Session(Settings(store=tmp_path))
    judge = ScriptedJudge(said, name="old", kept=True)
    assert session.evaluate(Case(query="q", response="r"), "violence", judge=judge).passed
    session.close()
    store = Store(tmp_path)
    yield store
    store.close()


@pytest.mark.parametrize(
    ("level", "tolerance", "decided"),
    [
        ("very low", None, ("pass", "pass", False)),
        ("medium", None, ("pass", "fail", True)),
        ("medium", 6, ("pass", "pass", False)),
    ],
)
def test_another_judge_flips_a_severity_only_across_the_tolerance(
    kept: Store, level: str, tolerance: int | None, decided: tuple[str, str, bool]
) -> None:
    judge = ScriptedJudge({"passages": [], "reason": "r", "severity": level}, name="n", kept=True)
    thresholds = {"violence": Threshold("less_than", tolerance)} if tolerance else {}
    engine = Engine(kept, "auto", 5, lambda notice: None)
    asked = rejudgeable(entries_of(kept), judge).kept
    (made,) = rejudge(asked, judge, engine, Metrics(), thresholds)
    assert (made.before, made.after, made.flipped) == decided
    assert made.values == ("low", level)
    assert made.mark == SEVERITY.show(tolerance or SEVERITY.labels["medium"])
    engine.close()


def test_trials_and_markers_tell_defects_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_metrics, assert_no_violence
        from pytest_llmeval.testing import ScriptedJudge

        levels = iter(["low", "very low", "low", "high"])
        said = lambda question: {"passages": [], "reason": "r", "severity": next(levels)}
        JUDGE = ScriptedJudge(said)

        HOW = {"violence": {"tolerance": "low", "judge": JUDGE}}
        CASES = [{"id": "a", "query": "q", "response": "r"}]

        @pytest.mark.llm_cases(CASES, metrics=HOW, trials=2)
        def test_it(llm_case):
            assert_metrics(llm_case)

        @pytest.mark.llm_eval(trials=2)
        def test_other():
            assert_no_violence("r", query="other", tolerance="high", judge=JUDGE)
        """
    )
    result = pytester.runpytest("--llm-eval", "--llm-eval-report=run.json", "--llm-eval-mode=off")
    result.assert_outcomes(passed=2, failed=2)
    (row,) = load_run(pytester.path / "run.json").metrics
    assert row.trials is not None
    assert row.defects is not None
    assert (row.defects.count, row.defects.tolerances) == (2, ("low", "high"))
    low, high = row.interval
    assert row.defects.interval == pytest.approx((1 - high, 1 - low))
    assert any("2 defects/4" in line and "≥ low / high" in line for line in result.outlines)
