"""Gates on pass@k and pass^k: what is missing of a case counts both ways, and k has to be there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmeval import load_run
from pytest_llmeval.gates.attended import Attended
from pytest_llmeval.gates.expression import parse_gate
from pytest_llmeval.gates.gate import GateResult
from pytest_llmeval.gates.rule_gate import decide_rule
from pytest_llmeval.metrics.registered import Metrics
from pytest_llmeval.rates.pass_rate import metric_rows
from pytest_llmeval.rates.suite_rate import suite_rows
from pytest_llmeval.records.assessment import Assessment
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import TestRow, TestState
from pytest_llmeval.reports.gates_told import fault_of_rule
from pytest_llmeval.reports.merged import merged
from pytest_llmeval.results import Outcome, Result
from pytest_llmeval.scales import YES_NO
from pytest_llmeval.trial import Trial

METRICS = Metrics()
LEFT_OUT = "1 left out since trials were skipped or had nothing to judge"
CAME = {"P": Outcome.PASSED, "F": Outcome.FAILED, "E": Outcome.ERROR, "N": Outcome.NOT_APPLICABLE}
CAME["X"] = Outcome.FAILED
STATES: dict[str, TestState] = {"P": "passed", "N": "passed", "X": "xfailed", "s": "skipped"}


def ran(cases: str, k: int = 3, most: int = 9) -> tuple[list[Record], list[TestRow]]:
    """Checks and tests of cases, of each a word with a letter for every trial that was planned.

    P passed, F failed, E is an error and N not applicable; X was xfailed where it failed and s
    skipped; a dot did not run, x was deselected.
    """
    records, tests = [], []
    for case, word in enumerate(cases.split()):
        for number, letter in enumerate(word, 1):
            nodeid = f"t.py::t[c{case}-trial{number}]"
            row = TestRow(nodeid, metrics=("correctness",), trial=number, trials=k)
            if outcome := CAME.get(letter):
                result = Result("correctness", outcome, YES_NO, None, case_id=f"c{case}")
                made = Record.of(result, nodeid, Trial(number, k, most))
                records.append(replace(made, xfailed=letter == "X"))
                row = replace(row, state="failed")
            row = replace(row, state=STATES.get(letter, row.state))
            tests.append(replace(row, unselected=letter == "x"))
    return records, tests


def gate(text: str, made: tuple[Iterable[Record], Iterable[TestRow]]) -> GateResult:
    records, tests = made
    return decide_rule(parse_gate(text, METRICS, ()), Attended([*records], (), [*tests]))


@pytest.mark.parametrize(
    ("text", "cases", "state", "says"),
    [
        ("pass@3 >= 0.5", "PFF FFF", "held", "50.0 % over 2 cases × 3 trials"),
        ("pass@3 > 50%", "PFF FFF", "broken", "50.0 % over 2 cases × 3 trials"),
        ("pass^3 >= 0.5", "PPP PPF", "held", "50.0 % over 2 cases × 3 trials"),
        ("pass^3 >= 0.9", "PPP PPF", "broken", "50.0 % over 2 cases × 3 trials"),
        ("pass^3 <= 0.1", "PPF FFF", "held", "0.0 % over 2 cases × 3 trials"),
        # What is missing may have failed, and may have passed.
        ("pass^3 > 0.5", "PPP PPE", "not decided", "100.0 % over 1 case × 3 trials, 1 without a v"),
        ("pass^3 >= 0.5", "PPP PPE", "held", "100.0 % over 1 case × 3 trials, 1 without a verdict"),
        ("pass^3 >= 0.9", "PPP ...", "not decided", "100.0 % over 1 case × 3 trials, 3 not run"),
        ("pass^3 >= 0.9", "FPP P..", "broken", "0.0 % over 1 case × 3 trials, 2 not run"),
        ("pass@3 >= 0.9", "FFF F..", "broken", "0.0 % over 1 case × 3 trials, 2 not run"),
        ("pass@3 <= 0.4", "FFF FFE", "not decided", "0.0 % over 1 case × 3 trials, 1 without a v"),
        # A case that its other trials decide hangs on nothing, and is in the figure.
        ("pass@3 >= 1", "PFF PEE", "held", "100.0 % over 2 cases × 3 trials (1 decided by fewer)"),
        ("pass^3 > 0.5", "PPP FE.", "broken", "50.0 % over 2 cases × 3 trials (1 decided by few"),
        ("pass^3 >= 0.5", "PPP F.. F.. F..", "broken", "25.0 % over 4 cases × 3 trials (3 decide"),
        ("pass@3 >= 0.9", "P.. P..", "held", "100.0 % over 2 cases × 3 trials (2 decided by few"),
        ("pass@3 >= 0.9", "P P", "held", "100.0 % over 2 cases × 3 trials (2 decided by fewer)"),
        ("pass^3 >= 0.9", "P.. P..", "not decided", "no case was judged 3 times, 4 not run"),
        ("pass@3 >= 0.9", "EEE", "not decided", "no case was judged 3 times, 3 without a verdict"),
        # So it is where a trial was skipped, xfailed or had nothing to judge.
        ("pass^3 >= 0.9", "PPP FFN", "broken", "50.0 % over 2 cases × 3 trials (1 decided by few"),
        ("pass^3 >= 0.9", f"PPP{' FFs' * 9}", "broken", "10.0 % over 10 cases × 3 trials (9 deci"),
        ("pass^3 >= 0.9", "PPP FPX", "broken", "50.0 % over 2 cases × 3 trials (1 decided by few"),
        ("pass@3 >= 0.9", "FFF PXs", "broken", "50.0 % over 2 cases"),
        # If that leaves it open, it is left out, unless what is missing would have decided it.
        ("pass^3 >= 0.9", "PPP PPs", "held", f"100.0 % over 1 case × 3 trials, {LEFT_OUT}"),
        ("pass@3 >= 0.9", "PFF FXN", "held", f"100.0 % over 1 case × 3 trials, {LEFT_OUT}"),
        ("pass^3 >= 0.9", "PPN", "not decided", f"no case was judged 3 times, {LEFT_OUT}"),
        ("pass^3 >= 0.9", "PPP PsE", "not decided", "100.0 % over 1 case × 3 trials, 1 without"),
        ("pass^3 >= 0.5", "PPP PsE", "held", "100.0 % over 1 case × 3 trials, 1 without a verdict"),
        ("pass^3 >= 0.9", "Ps.", "not decided", "no case was judged 3 times, 1 not run"),
        # Trials beyond those that were set are in neither, whatever became of them.
        ("pass@3 >= 0.5", "FFFPPP", "broken", "0.0 % over 1 case × 3 trials"),
        ("pass^3 >= 0.5", "PPPF..E", "held", "100.0 % over 1 case × 3 trials"),
        # Another number of trials is named, where it is not the one that was set.
        ("pass@5 >= 0.5", "PPP", "not decided", "no test of it has 5 trials: use pass@3"),
        ("pass^2 >= 0.5", "...", "not decided", "no test of it has 2 trials: use pass^3"),
        ("pass^2 >= 0.5", "", "not decided", "no test of it has 2 trials"),
    ],
)
def test_a_gate_on_trials_is_decided_with_what_is_missing_counted_both_ways(
    text: str, cases: str, state: str, says: str
) -> None:
    made = gate(f"correctness.{text}", ran(cases))
    assert made.rule is not None
    assert fault_of_rule(made.name, replace(made.rule, k=4)).endswith(", k = 4")
    assert (made.state, made.says[: len(says)]) == (state, says)
    assert made.reason == ("missing" if state == "not decided" else "")


def test_what_the_user_left_out_is_forgiven_in_gates_on_trials_too() -> None:
    assert gate("correctness.pass^3 >= 0.9", ran("PPP Pxx")).reason == "selection"
    assert gate("correctness.pass^3 >= 0.9", ran("Pxx Pxx")).reason == "selection"
    assert gate("correctness.pass^3 >= 0.9", ran("PPP PxE")).reason == "missing"
    assert gate("correctness.pass@3 >= 0.9", ran("PPP Pxx")).state == "held"


WORDS = st.lists(st.text("PFE.NXs", min_size=2, max_size=2), max_size=4)


@given(WORDS, st.integers(0, 12), st.sampled_from(["pass@2", "pass^2"]))
def test_a_gate_on_trials_is_decided_if_and_only_if_nothing_missing_could_turn_it(
    words: list[str], twelfths: int, statistic: str
) -> None:
    cases = " ".join(words)
    bound = twelfths / 12 or 1e-3
    made = gate(f"correctness.{statistic} >= {bound!r}", ran(cases, 2))

    def filled() -> Iterator[str]:
        count = sum(each in "E." for each in cases)
        for letters in product("PF", repeat=count):
            rest = iter(letters)
            yield "".join(next(rest) if each in "E." else each for each in cases)

    def figure(cases: str) -> float | None:
        decides, other = "PF" if "@" in statistic else "FP"
        decided = [each for each in cases.split() if decides in each or each == 2 * other]
        values = [(decides in each) == (decides == "P") for each in decided]
        return sum(values) / len(values) if values else None

    came = {None if (found := figure(each)) is None else found >= bound for each in filled()}
    sure = {True: "held", False: "broken", None: "not decided"}
    assert made.state == (sure[came.pop()] if len(came) == 1 else "not decided")
    if (known := figure(cases)) is not None:  # what it tells never contradicts its word
        assert made.says.startswith(f"{100 * known:.1f} % over ")
        assert made.state != ("broken" if known >= bound else "held")
    rows = metric_rows(ran(cases, 2)[0])
    if not {*cases} - {*"PF "} and rows:  # it is what the summary prints
        (trials,) = rows[0].trials
        assert known == (trials.pass_at_k if "@" in statistic else trials.pass_hat_k)


def test_suites_have_gates_on_trials_too() -> None:
    made = [
        Assessment("s", CAME[o], None, None, (), (), (), c, None, nodeid=c, trial=n, trials=2)
        for c, word in (("a", "PF"), ("b", "PP"))
        for n, o in enumerate(word, 1)
    ]
    rule = parse_gate("quality (s).pass^2 >= 0.5", METRICS, ["s"])
    held = decide_rule(rule, Attended((), made, ()))
    assert (held.state, held.says) == ("held", "50.0 % over 2 cases × 2 trials")
    (row,) = suite_rows(made)
    assert [each.pass_hat_k for each in row.trials] == [0.5]


RUNS = """
import pytest
from pytest_llmeval import assert_metrics
CASES = [{"id": id, "query": "q", "ground_truth": "yes"} for id in "ab"]
says = {"a": iter("yes yes yes".split()), "b": iter("yes no yes".split())}
@pytest.mark.llm_cases(CASES, answer=lambda case: next(says[case.id]), trials=3, **CHECKS)
def test_it(llm_case): assert_metrics(llm_case)
"""


@pytest.mark.parametrize(
    ("options", "lines", "before"),
    [
        (
            ["exact_match.pass@3 >= 0.9", "exact_match.pass^3 > 0.5"],
            ["held: 100.0 % over 2 cases × 3 trials", "BROKEN: 50.0 % over 2 cases × 3 trials"],
            "",
        ),
        (
            ["exact_match.pass@5 >= 0.9"],
            ["not decided: no test of it has 5 trials: use pass@3"],
            "no test of it has 5 trials: use pass@3; without, the gate is not decided",
        ),
        (["f1.pass@3 >= 0.9"], ["not decided: no test *"], "no marker here names f1; without"),
    ],
)
def test_a_run_tells_its_gates_on_trials_everywhere_alike(
    pytester: pytest.Pytester, options: list[str], lines: list[str], before: str
) -> None:
    pytester.makepyfile(RUNS.replace("**CHECKS", 'metrics=["exact_match"]'))
    given = [f"--llm-eval-gate={each}" for each in options]
    wanted = ["--llm-eval-report=run.json", "--llm-eval-markdown=run.md", "--junitxml=j.xml"]
    result = pytester.runpytest("--llm-eval", *given, *wanted)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"gate *{each}" for each in lines])
    run = load_run("run.json")
    assert [gate.name for gate in run.gates] == options
    failing = [gate for gate in run.gates if gate.state != "held"]
    junit, page = (pytester.path.joinpath(each).read_text("utf-8") for each in ("j.xml", "run.md"))
    assert all(each.says in junit and each.says in page for each in failing)
    assert merged([("run.json", run)]).gates == run.gates
    assert (before or "gate exact") in result.stdout.str().partition("[100%]")[0] or not before
