"""Runs that look no worse, since they are not what the baseline was of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from compared_records import F1, against, check, many

from pytest_llmeval import Case
from pytest_llmeval.baselines.compared import Compared
from pytest_llmeval.baselines.gate import baseline_gate
from pytest_llmeval.baselines.rows import rows_of
from pytest_llmeval.data.messages import Message
from pytest_llmeval.records.record import Record
from pytest_llmeval.reports.comparison import BaselineComparison
from pytest_llmeval.reports.versus import counted, lines
from pytest_llmeval.results import Outcome
from pytest_llmeval.scales import YES_NO, Threshold

TWO = Threshold("at_least", 2)
BEFORE = [*many([5] * 20), *many([0.8] * 20, **F1)]


def now(*better: Record, start: int = 0, **changed: Any) -> list[Record]:
    """The run of today: fluency is ``changed``, or made up of ``better`` from ``start`` on."""
    return [*(better or many([5] * 20, **changed))[start:], *many([0.8] * 20, **F1)]


OTHERWISE: list[tuple[str, list[Record], str]] = [
    ("the metric is checked no more", now(start=20), "held: not compared: 20 gone; nothing was"),
    ("its worst cases are deleted", now(start=8), "held: not compared: 8 gone"),
    (
        "easier cases under other names take their place",
        now(*many([5] * 40)[8:28]),
        "held: not compared: 8 gone",
    ),
    (
        "the names are given to easier questions",
        now(asks="Easy?"),
        "held: 20 checks with another question or expectation than in the baseline",
    ),
    (
        "less is expected than was",
        now(*(replace(each, expectations="e") for each in many([5] * 20))),
        "held: 20 checks with another question or expectation than in the baseline",
    ),
    (
        "the pass mark is lowered",
        now(*many([3] * 20, rule=TWO)),
        "held: the pass mark changed (fluency: at least 4 → at least 2)",
    ),
    (
        "there is no pass mark any more",
        now(rule=None),
        "held: the pass mark changed (fluency: at least 4 → none)",
    ),
    ("the app says nothing", now(*many([None] * 20)), "broken: fluency"),
    ("the judge is down", now(error=True), "not decided: checks that would decide: 20 without"),
    ("it is of one group", now(group="g"), "held: no drop could be seen of fluency: it has 1 "),
    ("another judge", now(judge="k"), "not decided: the judge changed (fluency: j → k)"),
    (
        "another judge of one case",
        now(check("c0", 5, judge="k"), *many([2] * 20)[1:]),
        "not decided: the judge changed (fluency: j → k)",
    ),
    (
        "code that is called as the judged metric was",
        now(judge=None),
        "not decided: the judge changed (fluency: j → none)",
    ),
    (
        "another scale",
        now(*many([1] * 20, scale=YES_NO, rule=Threshold("at_least", 1))),
        "held: not compared: 20 measured otherwise; nothing was compared of fluency",
    ),
    ("the metric has another name", now(metric="fluent"), "held: not compared: 20 gone; nothing "),
    (
        "nothing to judge",
        [replace(each, outcome=Outcome.NOT_APPLICABLE, score=None) for each in BEFORE[:20]]
        + BEFORE[20:],
        "held: not compared: 20 not applicable now; nothing was compared of fluency",
    ),
]


@pytest.mark.parametrize(
    ("run", "told"), [each[1:] for each in OTHERWISE], ids=[each[0] for each in OTHERWISE]
)
def test_a_run_that_is_not_what_the_baseline_was_of_is_never_held_without_a_word(
    run: list[Record], told: str
) -> None:
    found = baseline_gate(against(BEFORE, run), "regression")
    assert f"{found.state}: {found.says}".startswith(told)
    assert baseline_gate(against(BEFORE, now()), "regression").says == ""


def test_a_judge_that_comes_where_code_judged_is_another_one() -> None:
    (metric,) = against(many([5] * 8, judge=None), many([5] * 8)).metrics
    assert metric.judge_change == "none → j"
    blank = many([None] * 8, judge=None)
    assert against(blank, many([5] * 8)).metrics[0].judge_change is None
    assert against(many([5] * 8), blank).metrics[0].judge_change is None


def test_what_is_compared_and_is_not_what_it_was_is_listed_by_name() -> None:
    run = [*many([3] * 3, rule=TWO, asks="Easy?"), *many([5] * 20)[3:]]
    found = against(many([5] * 20), run)
    said = [*lines(BaselineComparison.of(Compared("b.json", "regression", found)))]
    other = "with another question or expectation"
    assert said == [
        f"baseline b.json: compared 20 (3 {other})",
        *[f"  {other}: test_a.py::test_it[c{number}] fluency" for number in range(3)],
        "  pass mark of fluency, to which both runs are held: at least 4 → at least 2",
    ]


CHAT = [Message(role="system", content="Be kind."), Message(role="user", content="How heavy?")]
SAME: list[tuple[str, Callable[[], Case], bool]] = [
    ("what the app answered", lambda: chat(Message(role="assistant", content="2 kg")), True),
    ("what the app was told", lambda: Case(messages=[CHAT[1]]), True),
    ("what the user said", lambda: chat(Message(role="user", content="And the tent?")), False),
    ("what is asked", lambda: Case(query="How long?", messages=CHAT), False),
]


def chat(*more: Message) -> Case:
    return Case(messages=[*CHAT, *more])


def test_what_is_expected_is_told_by_all_that_is_and_by_nothing_else() -> None:
    expecting: list[Case] = [
        Case(query="q", ground_truth="a"),
        Case(query="q", expected_facts=["a"]),
        Case(query="q", expected_context=["a"]),
        Case(query="q", guidelines=["a"]),
        Case(query="q", expected_tools=[]),
    ]
    assert len({each.expectations for each in expecting} - {None}) == len(expecting)
    same = Case(id="c", query="p", ground_truth="a", response="r", context=["c"])
    assert same.expectations == expecting[0].expectations
    assert Case(query="q", response="r").expectations is None


@pytest.mark.parametrize(
    ("made", "same"), [each[1:] for each in SAME], ids=[each[0] for each in SAME]
)
def test_a_question_is_what_users_say(made: Callable[[], Case], same: bool) -> None:
    assert (made().question == chat().question) is same


def test_trials_that_stop_by_what_they_came_to_are_compared_by_those_set_beforehand() -> None:
    def trials(passed: str) -> list[Record]:
        return [
            replace(
                check("c", 5 if each == "P" else 3),
                nodeid=f"test_a.py::test_it[c-trial{number}]",
                trial=number,
                trials=2,
            )
            for number, each in enumerate(passed, start=1)
        ]

    assert [row.trial for row in rows_of(trials("PPFFF"))] == [1, 2]
    found = against(trials("PFPPP"), trials("PFFFF"))
    (only,) = found.metrics
    assert only.decision is not None
    made = only.decision.comparison
    assert (made.baseline, made.current, found.extra) == (0.5, 0.5, 3)
    told = counted(BaselineComparison.of(Compared("b.json", "drop", found)))
    assert told.endswith("compared 1, 3 of trials beyond those set beforehand")
