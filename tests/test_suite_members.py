"""Members of suites: marks that hold, metrics taken out, names that are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from active_session import active_session
from suite_judge import saying

from pytest_llmeval import Case, JudgedMetric, Suite, UsageError, assert_quality, evaluate
from pytest_llmeval.metrics.base import Metric
from pytest_llmeval.session import Session

FULL: dict[str, Any] = {
    "query": "Which tent?",
    "response": "The Alpine.",
    "context": ["The Alpine is a tent."],
    "ground_truth": "The Alpine.",
}


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with active_session() as session:
        yield session


def marks(session: Session, *members: Any) -> dict[str, float]:
    wanted = session.names.suites.wanted(Suite("s", members))
    return {
        each.metric.row: each.metric.threshold.value for each in wanted if each.metric.threshold
    }


@pytest.mark.parametrize(
    ("member", "row"),
    [
        ("latency_seconds <= 1", "latency_seconds"),
        (("f1", {"at_least": 0.5}), "f1"),
        ("groundedness[yes_no] >= yes", "groundedness[yes_no]"),
    ],
)
def test_a_member_with_a_mark_is_never_left_out(member: Any, row: str) -> None:
    case = Case(query="q", response="r")
    result = evaluate(case, Suite("s", ["safety", member]), judge=saying())
    assert (result.outcome, result.errors) == ("error", (row,))
    assert "missing in the case" in str(result.results[row].error)
    plain = evaluate(case, Suite("plain", ["safety", row]), judge=saying())
    assert (plain.outcome, [*plain.left_out]) == ("passed", [row])


def test_a_suite_that_stopped_does_not_ask_a_marked_member_either() -> None:
    suite = Suite("s", ["safety", "similarity >= 4"], stop_at_first=True)
    result = evaluate(Case(query="q", response="r"), suite, judge=saying(safety="no"))
    assert (result.outcome, result.errors) == ("failed", ())
    assert result.results["similarity"].reason == "not asked: safety failed before"


def test_a_later_member_takes_no_mark_judge_or_option_away(session: Session) -> None:
    assert marks(session, "latency_seconds <= 5", "databricks")["latency_seconds"] == 5
    assert marks(session, "f1 >= 0.3", Suite("inner", ["azure"]))["f1"] == 0.3
    assert marks(session, "coherence >= 5", "azure", "coherence >= 3")["coherence"] == 3
    scaled = ("groundedness", {"scale": "yes_no", "at_least": "yes"})
    assert marks(session, scaled, "databricks")["groundedness[yes_no]"] == 1
    own = saying(name="own")
    members: list[Any] = [("safety", {"judge": own}), ("regex", {"pattern": "Alp"}), "databricks"]
    result = evaluate(Case(**FULL), Suite("s", members), judge=saying())
    assert (result.results["safety"].judge, result.results["regex"].outcome) == ("own", "passed")
    also = assert_quality(Case(**FULL), Suite("m", ["f1 >= 0.5"]), also=["azure"], judge=saying())
    assert also.results["f1"].outcome == "passed"


def test_a_mark_before_a_built_in_suite_asks_whatever_its_condition(session: Session) -> None:
    judge = saying()
    suite = Suite("s", ["relevance_to_query >= yes", "databricks"])
    assert "relevance_to_query" in evaluate(Case(**FULL), suite, judge=judge).results


def test_a_member_is_taken_out_of_what_stands_before_it(session: Session) -> None:
    rows = [*evaluate(Case(**FULL), Suite("s", ["databricks", "-safety"]), judge=saying()).results]
    assert rows == ["context_sufficiency", "groundedness[yes_no]", "correctness"]
    every = Suite("s", ["groundedness", "databricks", "- groundedness"])
    assert not [
        each for each in session.names.suites.wanted(every) if "grounded" in each.metric.row
    ]
    one = Suite("s", ["groundedness", "databricks", "-groundedness[yes_no]"])
    assert "groundedness" in {each.metric.row for each in session.names.suites.wanted(one)}
    inner = Suite("inner", ["databricks", "-safety"])
    outer = {each.metric.row for each in session.names.suites.wanted(Suite("s", ["safety", inner]))}
    assert "safety" in outer
    again = Suite("s", ["databricks", "-safety", "safety"])
    assert "safety" in {each.metric.row for each in session.names.suites.wanted(again)}
    result = assert_quality(Case(**FULL), also=["-safety"], judge=saying(safety="no"))
    assert result.suite == "databricks"
    assert "safety" not in result.results
    with active_session(suite=("shop = databricks, -safety",)):
        assert "safety" not in evaluate(Case(**FULL), suite="shop", judge=saying()).results


@pytest.mark.parametrize(
    ("members", "told"),
    [
        (["-safety"], "-safety: no 'safety' stands before it"),
        (["databricks", "-safty"], "-safty: no 'safty' stands before it: did you mean 'safety'"),
        (["-safety", "databricks"], "-safety: no 'safety' stands before it"),
        (["databricks", "-azure"], "-azure: no 'azure' stands before it"),
        (["safety", "-safety"], "every metric of it was taken out"),
    ],
)
def test_what_is_not_there_cannot_be_taken_out(members: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        evaluate(Case(**FULL), Suite("s", members), judge=saying())


@pytest.mark.parametrize("member", ["-", "-f1 >= 0.5", "- <= 3"])
def test_what_takes_out_has_a_name_and_no_mark(member: str) -> None:
    with pytest.raises(UsageError, match="or one to take out, as -safety; got"):
        Suite("s", ["f1", member])


def test_two_suites_of_one_run_have_two_names() -> None:
    def tone() -> Metric:
        return JudgedMetric("tone", scale="1-5", prompt="Kind?\n\n{{ response }}")

    case = Case(**FULL)
    with pytest.raises(UsageError, match="'databricks' is a built-in suite; give yours another"):
        evaluate(case, Suite("databricks", ["safety"]), judge=saying())
    evaluate(case, Suite("own", ["databricks", tone()]), judge=saying())
    evaluate(case, Suite("own", ["databricks", tone()]), judge=saying())  # made anew, the same
    assert_quality(case, Suite("own", ["databricks", tone()]), also=["fluency"], judge=saying())
    others: list[list[Any]] = [
        ["databricks"],
        ["databricks", (tone(), {"at_least": 5})],
        ["databricks", tone(), "fluency"],
    ]
    for other in others:
        with pytest.raises(UsageError, match="two suites of this run are called 'own'"):
            evaluate(case, Suite("own", other), judge=saying())
    with pytest.raises(UsageError, match="two suites of this run are called 'own'"):
        evaluate(case, Suite("own", ["databricks", tone()], stop_at_first=True), judge=saying())


def test_a_suite_is_not_called_as_a_metric_is() -> None:
    with (
        pytest.raises(UsageError, match="'f1' is a metric; give the suite another name"),
        active_session(suite=("f1 = safety",)),
    ):
        pass


def test_what_is_no_suite_is_told_how_to_be_one() -> None:
    with pytest.raises(UsageError, match=r"""got list: give it a name, as Suite\("name", \['f1'"""):
        evaluate(Case(**FULL), suite=["f1", "safety"])  # type: ignore[call-overload]
    line = r"or for the whole project as a line of llm_eval_suite: name = databricks, -safety$"
    with pytest.raises(UsageError, match=line):
        evaluate(Case(**FULL), suite=["databricks", "-safety"])  # type: ignore[call-overload]
    with pytest.raises(UsageError, match=r"a suite takes no turns=: a member of it does, as"):
        evaluate(Case(**FULL), suite="databricks", turns="each")


def test_a_member_may_judge_each_turn() -> None:
    talk = [
        {"role": role, "content": text}
        for role, text in (("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d"))
    ]
    suite = Suite("turns", ["fluency[each_turn]", ("safety", {"turns": "each"})])
    result = evaluate(Case(messages=talk), suite, judge=saying())
    assert {row: len(each.parts) for row, each in result.results.items()} == {
        "safety[each_turn]": 2,
        "fluency[each_turn]": 2,
    }


def test_what_every_turn_lacks_is_left_out_and_what_one_lacks_is_an_error() -> None:
    def turn(**answer: Any) -> list[dict[str, Any]]:
        return [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": "!", **answer},
        ]

    suite = Suite("turns", ["fluency", "groundedness[each_turn]"])
    none = evaluate(Case(messages=[*turn(), *turn()]), suite, judge=saying())
    assert (none.outcome, none.left_out) == ("passed", {"groundedness[each_turn]": "no context"})
    one = evaluate(Case(messages=[*turn(context=["d"]), *turn()]), suite, judge=saying())
    assert one.errors == ("groundedness[each_turn]",)
