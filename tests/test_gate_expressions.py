"""Gates and groups as users write them: what they mean, and what is refused before a test runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval.errors import UsageError
from pytest_llmeval.gates.expression import parse_gate
from pytest_llmeval.gates.group import groups_of, parse_group, rate_of
from pytest_llmeval.gates.rule import RELATIONS, Rule
from pytest_llmeval.metrics.registered import Metrics
from pytest_llmeval.records.tests import Group
from pytest_llmeval.reports.gates_told import fault_of_rule

SUITES = ("azure", "databricks")
CORRECT = "response/llm_judged/correctness/rating/percentage"


def rule(text: str) -> Rule:
    return parse_gate(text, Metrics(), SUITES)


@pytest.mark.parametrize(
    ("text", "of", "subject", "statistic", "held", "ends"),
    [
        ("groundedness.pass_rate >= 0.9", "metric", "groundedness", "pass_rate", 0.9, (0, 1)),
        ("groundedness[yes_no].lower>90%", "metric", "groundedness[yes_no]", "lower", 0.9, (0, 1)),
        ("fact_check[no].pass_rate >= 50 %", "metric", "fact_check[no]", "pass_rate", 0.5, (0, 1)),
        ("groundedness.mean >= 4", "metric", "groundedness", "mean", 4, (1, 5)),
        ("f1.mean >= 30%", "metric", "f1", "mean", 0.3, (0, 1)),
        ("latency_seconds.mean<=2", "metric", "latency_seconds", "mean", 2, (0, None)),
        (
            "latency_seconds.defect_rate < 2%",
            "metric",
            "latency_seconds",
            "defect_rate",
            0.02,
            (0, 1),
        ),
        ("databricks.pass_rate >= 80%", "suite", "databricks", "pass_rate", 0.8, (0, 1)),
        ("quality (databricks).lower > 80%", "suite", "databricks", "lower", 0.8, (0, 1)),
        ("groundedness.pass@3 >= 0.9", "metric", "groundedness", "pass@k", 0.9, (0, 1)),
        ("quality (azure).pass^12 > 80%", "suite", "azure", "pass^k", 0.8, (0, 1)),
        (f"{CORRECT} >= 0.8", "aggregate", CORRECT, "mean", 0.8, (0, 1)),
        (
            "response/text/rouge[rouge1]/average >= .3",
            "aggregate",
            "response/text/rouge[rouge1]/average",
            "mean",
            0.3,
            (0, 1),
        ),
        (
            "response/llm_judged/groundedness[each_turn]/score/average >= 4",
            "aggregate",
            "response/llm_judged/groundedness[each_turn]/score/average",
            "mean",
            4,
            (1, 5),
        ),
        (
            "agent/latency_seconds/average < 3",
            "aggregate",
            "agent/latency_seconds/average",
            "mean",
            3,
            (0, None),
        ),
    ],
)
def test_an_expression_is_read(
    text: str, of: str, subject: str, statistic: str, held: float, ends: tuple[float, float | None]
) -> None:
    made = rule(text)
    assert (made.of, made.subject, made.statistic) == (of, subject, statistic)
    assert made.value == pytest.approx(held)
    assert fault_of_rule(made.name, made) == ""  # so that the run file that tells it is taken
    assert (made.lowest, made.highest) == ends


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("groundednes.pass_rate >= 0.9", "suite 'groundednes': did you mean 'groundedness'?"),
        ("latency.mean <= 2", "suite 'latency': did you mean 'latency_seconds'?"),
        ("databrick.pass_rate >= 0.9", "suite 'databrick': did you mean 'databricks'?"),
        ("groundedness[yesno].lower > 0.9", "'groundedness[yesno]': did you mean 'groundedness["),
        ("groundedness.passrate >= 0.9", "statistic 'passrate': did you mean 'pass_rate'?"),
        (f"{CORRECT}s >= 0.8", f"did you mean '{CORRECT}'?"),
        ("response/text/rouge[rougeX]/average > .1", "there is no metric 'rouge[rougeX]'"),
        ("groundedness >= 0.9", "expected groundedness with its statistic, as groundedness.pass"),
        ("groundedness[yes_no] >= 0.9", "expected groundedness[yes_no] with its statistic"),
        ("azure >= 0.5", "as azure.pass_rate >= 0.9; there are .pass_rate, .lower"),
        (
            "quality (azure) >= 0.5",
            "expected quality (azure) with its statistic, as quality (azure).",
        ),
        ("quality (azur).lower > 0.5", "did you mean 'quality (azure)'?"),
        ("correctness >= 0.9", "there are .pass_rate, .lower"),
        ("correctness.pass@3.lower > 0", "there is no metric or suite 'correctness.pass@3'"),
        ("correctness.pass@x >= 0.9", "there is no statistic 'pass@x': did you mean 'pass@k'?"),
        ("correctness.pass@k > 0", "a number of trials, 2 or more, as pass@3; got pass@k"),
        ("azure.pass^1 > 0.5", "a number of trials, 2 or more, as pass^3; got pass^1"),
        ("azure.pass^3 >= 0", "every value is so, and nothing could break it"),
        ("latency_seconds <= 2", "there are .pass_rate, .lower, .mean, .defect_rate"),
        ("groundedness_yes_no.lower > 0.9", "did you mean 'groundedness[yes_no]'?"),
        ("groundedness.pass_rate", "expected METRIC.STATISTIC >= NUMBER, as"),
        (">= 0.9", "expected METRIC.STATISTIC >= NUMBER, as"),
        ("groundedness.pass_rate = 0.9", "'=' is none of >=, >, <=, <"),
        ("groundedness.pass_rate >= 90", "from 0 to 1: did you mean 0.9 or 90%?"),
        ("groundedness.pass_rate >= -0.1", "-0.1 is off the scale, which runs from 0 to 1"),
        ("groundedness.mean >= 6", "6 is off the scale, which runs from 1 to 5"),
        ("groundedness.mean >= 90%", "90% is a percentage, and the scale is not one of rates"),
        ("groundedness.pass_rate >= most", "expected a number; got 'most'"),
        ("groundedness.pass_rate >= nan", "expected a number; got 'nan'"),
        ("latency_seconds.mean <= 1e999", "expected a number; got '1e999'"),
        ("groundedness.pass_rate >=", "expected a number; got ''"),
        ("groundedness.pass_rate >= 0", "every value is so, and nothing could break it"),
        ("groundedness.pass_rate <= 1", "every value is so, and nothing could break it"),
        ("groundedness.mean >= 1", "every value is so, and nothing could break it"),
        ("latency_seconds.mean >= 0", "every value is so, and nothing could break it"),
        ("groundedness.lower < 1", "every value is so, and nothing could break it"),
        ("groundedness.pass_rate > 1", "no value can be so, and nothing could hold it"),
        ("groundedness.lower >= 1", "no value can be so, and nothing could hold it"),
        ("groundedness.mean > 5", "no value can be so, and nothing could hold it"),
        ("correctness.mean >= 0.5", "correctness has no mean, it is no or yes: use pass_rate"),
        ("groundedness.defect_rate <= 0.1", "since more of it is better: use pass_rate"),
        ("databricks.mean >= 1", "databricks is a suite, and has no mean: use pass_rate or lower"),
    ],
)
def test_an_expression_that_cannot_be_is_refused_with_what_to_write(
    text: str, message: str
) -> None:
    with pytest.raises(UsageError) as raised:
        rule(text)
    assert message in str(raised.value)
    assert str(raised.value).startswith(f"gate {text!r}: ")


@given(st.floats(0.01, 0.99), st.sampled_from(RELATIONS), st.floats(0, 1))
def test_a_rule_holds_as_its_relation_says(bound: float, relation: str, value: float) -> None:
    made = rule(f"groundedness.pass_rate {relation} {bound!r}")
    expected = {">=": value >= bound, ">": value > bound, "<=": value <= bound, "<": value < bound}
    assert made.holds(value) == expected[relation]


def test_a_group_is_read() -> None:
    made = parse_group("support: min_pass_rate=90% tags=support,billing must_pass='case 1,c2'")
    assert made.group == Group("support", 0.9, ("case 1", "c2"))
    assert made.takes(["billing"])
    assert not made.takes(["other"])
    assert parse_group("all: min_pass_rate=1").takes([])
    later = groups_of(["a: min_pass_rate=0.5", "b: min_pass_rate=0.5", "a: min_pass_rate=0.7"])
    assert [each.group.min_pass_rate for each in later] == [0.7, 0.5]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("support", "expected NAME: min_pass_rate=RATE, then tags=TAG"),
        ("two words: min_pass_rate=1", "expected NAME: min_pass_rate=RATE"),
        ("support:", "it has no min_pass_rate="),
        ("support: tags=a", "it has no min_pass_rate="),
        ("support: min_pass_rat=0.9", "there is no 'min_pass_rat': did you mean 'min_pass_rate'?"),
        ("support: min_pass_rate", "expected min_pass_rate=…; got 'min_pass_rate'"),
        ("support: min_pass_rate=most", "min_pass_rate is a number; got 'most'"),
        ("support: min_pass_rate=90", "above 0 and at most 1; got 90.0: did you mean 0.9?"),
        ("support: min_pass_rate=0", "above 0 and at most 1; got 0.0"),
        ("support: min_pass_rate=nan", "above 0 and at most 1; got nan"),
        ("support: min_pass_rate='0.9", "No closing quotation; quote it as in a shell"),
    ],
)
def test_a_group_that_cannot_be_is_refused_by_name(line: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_group(line)
    assert message in str(raised.value)
    assert str(raised.value).startswith(f"group {line.partition(':')[0]!r}: ")


@pytest.mark.parametrize("value", [True, "0.9", None, -1, 1.5, float("nan")])
def test_what_is_no_rate_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match="min_pass_rate is above 0 and at most 1; got"):
        rate_of(value)
