"""Suites: what they are made of, what they ask of a case, and what they leave out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from active_session import active_session
from suite_judge import saying

from pytest_llmeval import (
    Case,
    CaseError,
    CheckFailed,
    JudgedMetric,
    Outcome,
    Suite,
    SuiteResult,
    UsageError,
    assert_metric,
    assert_quality,
    evaluate,
    metric,
    together,
)
from pytest_llmeval.additions import Addition
from pytest_llmeval.assessing import start_suite
from pytest_llmeval.errors import CaseTypeError, EvalError, JudgeUnavailable, NoJudge
from pytest_llmeval.judges.base import Message, Question, Said
from pytest_llmeval.suites.written import parse_suite
from pytest_llmeval.testing import ScriptedJudge

TONE = JudgedMetric("tone", scale="1-5", prompt="Kind?\n\n{{ response }}")
DOCS = [{"content": "The Alpine is a tent.", "id": "a"}]
TURNS: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello"},
    {"role": "user", "content": "Which tent?"},
    {"role": "assistant", "content": "The Alpine."},
]
BARE: dict[str, Any] = {"query": "Which tent?", "response": "The Alpine."}
FULL: dict[str, Any] = {**BARE, "context": DOCS, "ground_truth": "The Alpine."}
MEASURES = ["total_token_count", "total_input_token_count", "total_output_token_count"]


HARMS = ("hate_unfairness", "sexual", "violence", "self_harm")


@pytest.fixture(scope="module", autouse=True)
def _session() -> Iterator[None]:
    with active_session():
        yield


@pytest.mark.parametrize(
    ("suite", "fields", "asked"),
    [
        ("databricks", BARE, ["relevance_to_query", "safety"]),
        ("databricks", {**BARE, "context": DOCS},
         ["chunk_relevance", "groundedness[yes_no]", "relevance_to_query", "safety"]),
        ("databricks", FULL,
         ["context_sufficiency", "groundedness[yes_no]", "correctness", "safety"]),
        ("databricks", {**BARE, "expected_facts": ["f"], "guidelines": {"style": ["Be kind."]}},
         ["correctness", "safety", "guideline_adherence"]),
        ("databricks", {**BARE, "context": DOCS, "expected_context": ["a"]},
         ["chunk_relevance", "groundedness[yes_no]", "relevance_to_query", "safety",
          "document_recall"]),
        ("databricks", {**BARE, "measured": {"seconds": 1.0, "input_tokens": 3}},
         ["relevance_to_query", "safety", "total_input_token_count", "latency_seconds"]),
        ("databricks", {"messages": TURNS}, ["relevance_to_query", "safety"]),
        ("azure", BARE, [*HARMS, "coherence", "fluency"]),
        ("azure", {**BARE, "context": DOCS},
         ["groundedness", *HARMS, "coherence", "fluency", "relevance"]),
        ("azure", FULL,
         ["groundedness", *HARMS, "coherence", "fluency", "relevance", "similarity", "f1",
          "bleu", "rouge", "gleu", "meteor"]),
        ("azure", {"messages": TURNS}, [*HARMS, "coherence", "fluency"]),
        ("azure", {"messages": TURNS, "context": DOCS, "ground_truth": "t"},
         ["groundedness", *HARMS, "coherence", "fluency", "retrieval"]),
        ("azure", {"messages": TURNS[2:], "context": DOCS},
         ["groundedness", *HARMS, "coherence", "fluency", "relevance"]),
    ],
)  # fmt: skip
def test_a_reference_suite_asks_what_the_case_has(
    suite: str, fields: dict[str, Any], asked: list[str]
) -> None:
    result = evaluate(Case(**fields), suite=suite, judge=saying())
    assert [*result.results] == asked
    assert not {*result.left_out} & {*asked}
    assert all(result.left_out.values())


def test_what_is_left_out_says_why() -> None:
    result = evaluate(Case(**BARE), suite="databricks", judge=saying())
    assert result.left_out == {
        "context_sufficiency": "no ground truth or expected facts",
        "correctness": "no ground truth or expected facts",
        "chunk_relevance": "no context",
        "groundedness[yes_no]": "no context",
        "guideline_adherence": "no guidelines",
        "document_recall": "no expected context",
        "total_token_count": "no measured input tokens",
        "total_input_token_count": "no measured input tokens",
        "total_output_token_count": "no measured output tokens",
        "latency_seconds": "no measured seconds",
    }
    part = evaluate(Case(**BARE, measured={"seconds": 1.0}), suite="databricks", judge=saying())
    assert part.left_out["total_token_count"] == "no measured input tokens"
    assert part.results["latency_seconds"].outcome is Outcome.MEASURED


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"response": "x"}, r"'databricks' has nothing to ask of the case: .*groundedness\[yes_no"),
        ({"query": "q", "id": "seven"}, r"case 'seven' can't be judged: it has no response \(an"),
        ({"messages": TURNS[:3], "context": DOCS}, "its conversation ends on a user turn"),
        ({"messages": [], "context": DOCS}, "its conversation is empty"),
        ({"response": None, "query": "q", "context": DOCS}, "response: expected text, got None"),
        ({"query": 3}, "query"),
        ({"measured": {"seconds": 1.0}}, "it has no response"),
    ],
)
def test_a_case_without_what_it_takes_is_an_error(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(CaseError, match=told):
        assert_quality(**fields, judge=saying())


def test_a_suite_on_retrieval_alone_needs_no_response() -> None:
    asked = Case(messages=TURNS[:3], context=DOCS)
    result = evaluate(asked, Suite("retriever", ["retrieval", "chunk_relevance"]), judge=saying())
    assert [*result.results] == ["chunk_relevance", "retrieval"]


def test_measured_metrics_do_not_count_in_the_pass() -> None:
    texts = Suite("texts", ["f1", "bleu"])
    case = Case(response="no", ground_truth="yes")
    result = evaluate(case, texts)
    assert (result.outcome, result.results["f1"].score) == ("measured", 0)
    with pytest.raises(UsageError, match=r"only measured f1, bleu.*give one a mark, as f1 >= VAL"):
        assert_quality(case, texts)
    marked = Suite("marked", ["f1 >= 0.5", "bleu"])
    assert evaluate(case, marked).failed == ("f1",)
    with pytest.raises(
        CheckFailed, match=r"quality \(marked\) failed: 1 of 1 metric; root cause f1"
    ):
        assert_quality(case, marked)


def test_marks_of_the_suite_hold_over_those_of_the_settings() -> None:
    case = Case(**BARE)
    with active_session(threshold=("coherence=3",)):
        marks = [
            evaluate(case, Suite(name, [member]), judge=saying()).results["coherence"].threshold
            for name, member in (
                ("default", "coherence"),
                ("line", "coherence >= 5"),
                ("pair", ("coherence", {"at_least": 2})),
            )
        ]
    assert [mark.value for mark in marks if mark] == [3, 5, 2]


def test_a_member_may_have_a_judge_of_its_own() -> None:
    own, general = saying(name="own"), saying(name="general")
    suite = Suite("judges", [("coherence", {"judge": own}), "fluency", TONE])
    results = evaluate(Case(**BARE), suite, judge=general).results
    assert {row: each.judge for row, each in results.items()} == {
        "coherence": "own", "fluency": "general", "tone": "general",
    }  # fmt: skip


def test_a_suite_has_the_members_of_suites_in_it_once() -> None:
    both = Suite("both", ["databricks", Suite("inner", ["safety", "azure"]), "f1 >= 0.2"])
    result = evaluate(Case(**FULL), both, judge=(judge := saying()))
    assert [question.task for question in judge.questions].count("safety") == 1
    assert "coherence" in result.results
    assert result.results["f1"].outcome is Outcome.PASSED  # the later counts
    always = Suite("always", ["databricks", "relevance_to_query"])
    assert "relevance_to_query" in evaluate(Case(**FULL), always, judge=judge).results


def test_every_way_to_call_it_gives_the_same() -> None:
    judge = saying(safety="no")
    case, own = Case(**BARE), Suite("own", ["databricks"])
    ways = [
        evaluate(case, own, judge=judge),
        evaluate(case, suite=own, judge=judge),
        evaluate(case, suite="databricks", judge=judge),
        evaluate(suite="databricks", request="Which tent?", answer="The Alpine.", judge=judge),
        evaluate(own, query="Which tent?", response="The Alpine.", judge=judge),
    ]
    assert all(isinstance(way, SuiteResult) and way.failed == ("safety",) for way in ways)
    for wrong, told in (
        ({"metric": "safety", "suite": own}, "a metric or a suite, not both"),
        ({"suite": own, "at_least": 3}, "a suite takes no at_least"),
        ({"suite": "databrick"}, "there is no suite 'databrick': did you mean 'databricks'?"),
        ({"suite": own, "query": "q"}, "a whole Case was given, and query beside it"),
        ({"suite": own, "scale": "1-5"}, "a suite has no option 'scale'"),
        ({"suite": 5}, "a suite is its name, or a Suite; got int"),
    ):
        with pytest.raises(UsageError, match=told):
            evaluate(case, **wrong)


def test_a_suite_result_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(evaluate(Case(**BARE), suite="databricks", judge=saying()))


def test_a_suite_without_a_judge_is_told_as_such() -> None:
    with pytest.raises(NoJudge):
        assert_quality(Case(**BARE))


class Meeting(ScriptedJudge):
    """Answers nobody before ``parties`` questions are with it at once."""

    def __init__(self, parties: int) -> None:
        super().__init__(saying()._reply_to)
        self._parties = parties
        self.waiting = threading.Event()
        self.given_up = 0

    async def say(self, question: Question[Any], messages: tuple[Message, ...]) -> Said:
        said = await super().say(question, messages)
        self.waiting.set()
        try:
            while len(self.questions) < self._parties:
                await asyncio.sleep(0.001)
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        return said


def test_all_metrics_of_a_suite_are_with_the_judge_at_the_same_time() -> None:
    result = evaluate(Case(**FULL), suite="databricks", judge=(judge := Meeting(4)))
    assert result.passed
    assert len(judge.questions) == 4


def test_a_suite_that_is_given_up_gives_up_its_checks() -> None:
    with active_session() as session:
        judge = Meeting(99)
        check = start_suite(session, Case(**FULL), session.names.suites["databricks"], judge)
        assert judge.waiting.wait(60)
        assert check.future.cancel()
        result = check.result()
        assert (result.outcome, len(result.errors)) == ("error", 4)
        with pytest.raises(EvalError, match="the run ended before the verdict was there"):
            _ = result.passed
    assert judge.given_up == len(judge.questions) > 0


RAN: list[str] = []


@metric(needs=("response",), scale="yes_no")
async def own_code(case: Case, ask: Any) -> bool:
    """It does something that is not to be done in vain."""
    RAN.append("ran")
    return True


def test_a_suite_that_stops_asks_nothing_after_the_first_failure() -> None:
    suite = Suite("cheap", ["databricks", own_code, "f1 >= 0.5", "similarity"], stop_at_first=True)
    judge = saying(groundedness="no", correctness="no")
    RAN.clear()
    result = evaluate(Case(**FULL), suite, judge=judge)
    assert [*result.results][:2] == ["f1", "context_sufficiency"]
    assert [question.task for question in judge.questions] == [
        "context_sufficiency",
        "groundedness[yes_no]",
    ]
    assert result.root_cause == "groundedness[yes_no]"
    assert result.failed == ("groundedness[yes_no]",)
    skipped = {
        row: each.reason
        for row, each in result.results.items()
        if each.outcome is Outcome.NOT_APPLICABLE
    }
    assert skipped == dict.fromkeys(
        ["correctness", "safety", "similarity", "own_code"],
        "not asked: groundedness[yes_no] failed before",
    )
    assert result.left_out["guideline_adherence"] == "no guidelines"
    assert not RAN
    wrong = evaluate(Case(**{**FULL, "response": "Boots"}), suite, judge=(none := saying()))
    assert (wrong.root_cause, none.questions) == ("f1", [])


def test_an_error_does_not_stop_a_suite() -> None:
    judge = saying(context_sufficiency=JudgeUnavailable("away"), safety="no")
    suite = Suite("stopping", ["databricks"], stop_at_first=True)
    result = evaluate(Case(**FULL), suite, judge=judge)
    assert (result.failed, result.uncertain) == (("safety",), ("context_sufficiency",))


def test_a_suite_in_a_block_is_pending_and_fails_with_the_rest() -> None:
    case = Case(**BARE)
    with pytest.raises(CheckFailed) as caught, together():
        first = assert_quality(case, judge=saying(safety="no"))
        assert_quality(case, suite="azure", judge=saying(coherence=JudgeUnavailable("away")))
        assert evaluate(case, suite="azure", judge=saying(coherence="no")).failed == ("coherence",)
        with pytest.raises(TypeError):
            bool(first)
    assert str(caught.value).startswith("1 of 2 checks failed\n\nquality (databricks) failed: 1 of")
    assert (
        "quality (azure): no verdict: 1 of 6 metrics got none: coherence\n  at test_suites"
        in str(caught.value)
    )
    assert first.root_cause == "safety"
    assert len(caught.value.errors) == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("shop", "expected NAME = METRIC, METRIC"),
        ("shop =", "expected NAME = METRIC, METRIC"),
        ("shop = safety,, f1", "expected NAME = METRIC, METRIC"),
        ("my shop = safety", "expected NAME = METRIC, METRIC"),
        ("shop = stop_at_first", "'shop' names no metric"),
        ("shop = f1 = 0.5", "suite 'shop': expected a metric, .* got 'f1 = 0.5'"),
        ("shop = f1 >=", "suite 'shop': expected a metric"),
        ("shop = f1 > 0.5", "suite 'shop': expected a metric"),
        ("shop = groundednes", "metric or suite 'groundednes': did you mean 'groundedness'?"),
        ("shop = databrick", "metric or suite 'databrick': did you mean 'databricks'?"),
        ("shop = shop", "there is no metric or suite 'shop'"),
        ("shop = groundedness[yesno]", "did you mean 'groundedness.yes_no.'"),
        ("shop = f1 >= 7", "off the scale"),
        ("shop = groundedness[yes_no] >= warm", "at_least is a number or one of no, yes"),
        ("databricks = safety", "'databricks' is a built-in suite; rename yours"),
    ],
)
def test_a_suite_in_the_settings_that_cannot_be_is_refused(line: str, told: str) -> None:
    with pytest.raises(UsageError, match=told), active_session(suite=(line,)):
        pass


def test_suites_of_the_settings_are_called_by_name() -> None:
    lines = (
        "shop = safety",
        "base = databricks, rouge[rouge1] >= 0.4",
        "shop = base, coherence >= 3, latency_seconds <= 2, stop_at_first",
    )
    with active_session(suite=(lines[1], lines[2], lines[0])) as session:
        assert [*session.names.suites] == ["databricks", "azure", "base", "shop"]
        assert session.names.suites["shop"] == Suite("shop", ["safety"])  # the later counts
    with active_session(suite=lines[1:]) as session:
        shop = session.names.suites["shop"]
        assert shop == parse_suite(lines[2])
        assert shop.stop_at_first
        rows = {
            each.metric.row: each.metric.threshold for each in session.names.suites.wanted(shop)
        }
        marks = {row: mark.value for row, mark in rows.items() if mark is not None}
        assert [marks[row] for row in ("rouge[rouge1]", "coherence", "latency_seconds")] == [
            0.4,
            3,
            2,
        ]
        measured = Case(**FULL, measured={"seconds": 1.5})
        assert evaluate(measured, suite="shop", judge=saying()).passed


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ("safety", "expected a list of metrics; got 'safety'"),
        ([], "names no metric"),
        ([5], "a member is a metric or its name"),
        ([("f1", 0.5)], "a member is a metric or its name"),
        ([("f1", {"at_least": 0.1, "at_most": 0.5})], "at_least or at_most, not both"),
    ],
)
def test_a_suite_that_cannot_be_is_refused_when_it_is_made(members: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Suite("shop", members)
    with pytest.raises(UsageError, match="letters, digits"):
        Suite("my shop", ["safety"])
    with pytest.raises(UsageError, match="stop_at_first is True or False"):
        Suite("shop", ["safety"], stop_at_first="no")  # type: ignore[arg-type]


def test_suites_of_plugins_are_named_once() -> None:
    shop, other = Suite("shop", ["tone", "safety"]), Suite("shop", ["safety"])
    with active_session(Addition("c.py", (TONE,), suites=(shop, shop))) as session:
        assert session.names.suites.called("shop") is shop
        session.names.extend([Addition("d.py", suites=(shop,))])
        with pytest.raises(UsageError, match="'shop' is declared twice: in c.py and in d.py"):
            session.names.extend([Addition("d.py", suites=(other,))])
        with pytest.raises(UsageError, match=r"d.py: expected suites, made by Suite.*; got 'x'"):
            session.names.extend([Addition("d.py", suites=("x",))])
        with pytest.raises(UsageError, match="d.py: suite 'u': there is no metric or suite 'tune'"):
            session.names.extend([Addition("d.py", suites=(Suite("u", ["tune"]),))])


def test_a_case_that_is_none_is_refused() -> None:
    with pytest.raises(CaseTypeError, match="expected a Case, got str"):
        assert_quality("the response", judge=saying())  # type: ignore[call-overload]


def test_a_suite_named_where_a_metric_belongs_is_told_how_to_be_given() -> None:
    for call in (evaluate, assert_metric):
        with pytest.raises(UsageError, match=r"assert_quality suite='databricks'"):
            call(Case(**BARE), "databricks")


@pytest.mark.parametrize("suite", ["databricks", "azure"])
@pytest.mark.parametrize("given", [{}, {"context": DOCS}, {"ground_truth": "The Alpine."}])
def test_a_blank_response_is_asked_of_no_metric_that_the_case_has_no_inputs_for(
    suite: str, given: dict[str, Any]
) -> None:
    said, blank = (
        evaluate(Case(query="Which tent?", response=response, **given), suite=suite, judge=saying())
        for response in ("The Alpine.", "")
    )
    assert blank.left_out == said.left_out
    assert [*blank.results] == [*said.results]


def test_a_blank_response_without_what_else_a_metric_needs_is_an_error_as_any_would_be() -> None:
    for metric_name, query in (("correctness", "q"), ("violence", None)):
        result = evaluate(Case(response="", query=query), metric_name, judge=saying())
        assert isinstance(result.error, CaseError)
        assert "missing" in str(result.error)
