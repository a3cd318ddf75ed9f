"""What a run file tells twice: a real run's file agrees with itself, a changed one is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_llmeval import UsageError, load_run

SUITE = """
import os
import pytest
from pytest_llmeval import Case, assert_grounded, assert_quality, evaluate
from pytest_llmeval.errors import JudgeUnavailable
from pytest_llmeval.testing import ScriptedJudge

def judge(score):
    score = int(os.environ.get("SCORE", score))
    return ScriptedJudge({"reason": "r", "score": score, "ungrounded": []}, name="kept", kept=True)

pytestmark = pytest.mark.llm_eval

@pytest.mark.parametrize("score", [2, 2, 2, 2, 2, 2, 5, 4])
def test_rated(score, request):
    case = Case(id=request.node.name, response="a", context=["a"])
    assert_grounded(case, judge=judge(score))

def test_down(): assert_grounded("a", context=["a"], judge=ScriptedJudge(JudgeUnavailable("down")))
def test_blank(): assert_grounded(" ", context=["a"], judge=judge(2))
@pytest.mark.xfail
def test_hoped(): assert_grounded("c", context=["a"], judge=judge(2))
@pytest.mark.skip
def test_skipped(): assert_grounded("c", context=["a"], judge=judge(2))
def test_measured(): evaluate(Case(response="a", ground_truth="a"), "f1")
def test_suite(): assert_quality(Case(query="q", response="b", ground_truth="a"), suite="shop")

@pytest.mark.llm_eval(trials=3)
def test_trials(request):
    assert_grounded("t", context=["a"], judge=judge(2 if "trial2" in request.node.name else 5))

@pytest.mark.llm_eval(min_pass_rate=0.4)
class TestGroup:
    @pytest.mark.parametrize("score", [2, 5])
    def test_it(self, score): assert_grounded("g", context=["a"], judge=judge(score))
"""
SET = (
    "--llm-eval",
    "--llm-eval-mode=off",
    "--llm-eval-baseline=base.json",
    "--llm-eval-suite=shop = f1 >= 0.5, exact_match",
    "--llm-eval-gate=groundedness.pass_rate >= 0.9",
    "--llm-eval-gate=f1.mean >= 10%",
)
GIVEN = {
    "": "plugin_version exit_status",  # the second is told by tests and gates, where it is 0
    "settings": "",
    "judges.#": "identities",
    "comparison": "file new left_out inapplicable elsewhere extra",
    "comparison.metrics.#": "metric n clusters outcomes interval worse better test p adjusted_p "
    "tolerance blind unknown deselected partial aside",
    "comparison.suites.#": "metric n clusters outcomes interval worse better test p adjusted_p "
    "tolerance blind unknown deselected partial aside",
    "comparison.flips.#": "scores told reasons same_case case",
    "gates.#.rule": "metric lowest highest",
    "tests.#": "nodeid unselected names marked",
    "cases.#": "query response ground_truth",
    "assessments.#": "fix case_id message question",
    "records.#": "scale higher_is_better threshold reason message is_llm keys prompts case_id "
    "error parts evidence trials per_document question expectations",
}
"""What is told once, or has no other side in the file: a baseline is not in it."""


def leaves(part: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    pairs: Any = enumerate(part) if isinstance(part, list) else None
    if isinstance(part, dict):
        pairs = part.items()
    if pairs is not None:
        for name, value in pairs:
            yield from leaves(value, *path, name)
    elif part is not None:
        yield path


def is_given(path: tuple[str | int, ...]) -> bool:
    if path[0] == "settings":
        return path[1] not in ("gate", "shard", "fail_on")
    names = [*("#" if isinstance(each, int) else each for each in path)]
    return any(names[at] in GIVEN.get(".".join(names[:at]), "").split() for at in range(len(names)))


def other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return f"{value}x" if isinstance(value, str) else value + (1 if value == int(value) else 0.125)


MADE: list[str] = []


@pytest.fixture
def document(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A run's file in which something of everything is."""
    if not MADE:
        pytester.makepyfile(SUITE)
        with monkeypatch.context() as all_well:
            all_well.setenv("SCORE", "5")
            pytester.runpytest(*SET, "--llm-eval-update-baseline")
        pytester.runpytest(*SET, "--llm-eval-report=run.json")
        made = load_run("run.json")
        assert made.comparison is not None
        assert (made.comparison.gate, bool(made.comparison.flips)) == ("broken", True)
        assert {gate.state for gate in made.gates} >= {"broken", "held"}
        MADE.append(Path("run.json").read_text(encoding="utf-8"))
    return json.loads(MADE[0])


def fault_in(document: Any) -> str:
    """What ``load_run`` refuses in it, in one line; blank where it takes it."""
    path = Path("changed.json")
    path.write_text(json.dumps(document), encoding="utf-8")
    try:
        load_run(path)
    except UsageError as error:
        return str(error)
    return ""


def test_what_is_told_twice_cannot_be_changed_on_one_side(document: Any) -> None:
    accepted, untold = [], []
    for path in leaves(document):
        part = document
        for name in path[:-1]:
            part = part[name]
        value = part[path[-1]]
        part[path[-1]] = other(value)
        fault = fault_in(document)
        alone = path[-1] == "score" and part.get("xfailed", False)  # in no mean
        if not (fault or alone or is_given(path)):
            accepted.append(path)
        if fault and not re.fullmatch(r"changed\.json: .+; (write|read) it .+", fault):
            untold.append(fault)
        part[path[-1]] = value
    assert (accepted, untold) == ([], [])


def test_no_row_can_be_left_out_or_stand_twice(document: Any) -> None:
    checked = {row["nodeid"] for row in document["records"]}
    document["tests"], others = (
        [row for row in document["tests"] if (row["nodeid"] in checked) is asked]
        for asked in (True, False)
    )
    assert fault_in(document) == ""
    assert others
    for rows in ("judges", "metrics", "suites", "gates", "tests", "cases", "records"):
        told = document[rows]
        for number, row in enumerate(told):
            for version in (told[:number] + told[number + 1 :], [*told, row]):
                assert "edited or damaged" in fault_in({**document, rows: version}), (rows, row)
    for key in document["aggregates"]:
        left = {name: each for name, each in document["aggregates"].items() if name != key}
        assert f"aggregates: {key} is in one of" in fault_in({**document, "aggregates": left})


def test_a_rate_a_gate_and_a_comparison_are_refused_with_both_figures(document: Any) -> None:
    grounded = next(row for row in document["metrics"] if row["metric"] == "groundedness")
    rate, grounded["rate"] = grounded["rate"], 0.95
    assert f"metrics (groundedness): rate is 0.95, and by what it is made of {rate}" in fault_in(
        document
    )
    grounded["rate"] = rate + 1e-15  # which another version of Python may come to
    assert fault_in(document) == ""
    gate = document["gates"][0]
    gate["state"] = "held"
    assert (
        "gates (groundedness.pass_rate >= 0.9): it is held, and by the records broken"
        in fault_in(document)
    )
    gate["state"], gate["name"] = "broken", "groundedness.pass_rate >= 0.1"
    assert "is in one of gates and the settings, not in both" in fault_in(document)
    gate["name"] = "groundedness.pass_rate >= 0.9"
    document["comparison"]["gate"] = "held"
    assert "comparison: its gate is held, and among the gates it is broken" in fault_in(document)


def test_another_version_may_say_the_same_in_other_words(document: Any) -> None:
    document["gates"][0]["says"] = "in other words"
    assert "it says 'in other words', and by the records" in fault_in(document)
    document["plugin_version"] = "0.0.9"
    assert fault_in(document) == ""
