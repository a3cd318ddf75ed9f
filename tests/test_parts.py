"""Verdicts made of several ratings: asked at once, kept in order, an error where one is missing."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import loopback
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import LoopbackJudge

from pytest_llmeval.data.cases import Case
from pytest_llmeval.errors import (
    CaseError,
    EvalError,
    JudgeMisconfigured,
    JudgeRefused,
    JudgeUnavailable,
    NoJudge,
    NotRecorded,
    PartlyJudged,
)
from pytest_llmeval.judges.base import Question
from pytest_llmeval.judges.reply import Rating, Reason, Reply
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.metrics.ask import Ask
from pytest_llmeval.metrics.base import Metric
from pytest_llmeval.metrics.built_in import built_in
from pytest_llmeval.metrics.per_document import each_document
from pytest_llmeval.metrics.rubrics import AS_BUILT_IN
from pytest_llmeval.results import Outcome, Part, Verdict
from pytest_llmeval.scales import BETWEEN_ONE_AND_FIVE, Threshold
from pytest_llmeval.session import Session
from pytest_llmeval.settings import Settings
from pytest_llmeval.testing import ScriptedJudge

PER_DOCUMENT = pytest.mark.parametrize("name", ["chunk_relevance", "source_reliability"])


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(Settings(mode="off"))
    yield session
    session.close()


def retrieved(count: int) -> Case:
    documents = [{"content": f"document number {n}", "id": f"d{n}"} for n in range(count)]
    return Case.model_validate({"id": "c", "query": "q", "context": documents})


def said(verdict: str) -> dict[str, str]:
    return {"reason": f"because {verdict}", "verdict": verdict}


def by_document(*replies: Any) -> Callable[[Question[Any]], Any]:
    """Replies by the number that the document under test has."""

    def reply(question: Question[Any]) -> Any:
        (document,) = question.inputs["documents"]
        return replies[int(document.rpartition(" ")[2])]

    return reply


class Asking:
    """A way to ask that replies by the document's number, the later ones first."""

    reason_language = "English"
    rubrics = AS_BUILT_IN
    guidelines = ()

    def __init__(self, verdicts: list[str]) -> None:
        self.verdicts = verdicts

    async def __call__(self, question: Question[Any]) -> Any:
        place = int(question.inputs["documents"][0].rpartition(" ")[2])
        for _ in range(len(self.verdicts) - place):
            await asyncio.sleep(0)
        return question.reply.model_validate(said(self.verdicts[place]))


@given(st.lists(st.sampled_from(["yes", "no"]), min_size=1, max_size=8))
def test_precision_is_the_share_of_yes_and_ratings_stand_in_the_order_of_the_documents(
    verdicts: list[str],
) -> None:
    found: Metric = CATALOGUE["chunk_relevance"]
    verdict = asyncio.run(found.verdict(retrieved(len(verdicts)), Asking(verdicts)))  # type: ignore[arg-type]
    assert verdict.score == verdicts.count("yes") / len(verdicts)
    assert [part.name for part in verdict.parts] == [f"d{n}" for n in range(len(verdicts))]
    assert [part.score for part in verdict.parts] == [float(each == "yes") for each in verdicts]
    assert len(verdict.evidence) == verdicts.count("no")
    assert found.threshold is not None
    assert found.threshold.holds(verdict.score or 0) is ("yes" in verdicts)


@PER_DOCUMENT
def test_one_document_decides_for_relevance_and_every_one_for_reliability(
    session: Session, name: str
) -> None:
    judge = ScriptedJudge(by_document(said("no"), said("yes"), said("no")))
    result = session.evaluate(retrieved(3), name, judge=judge)
    assert result.score == pytest.approx(1 / 3)
    assert result.passed is (name == "chunk_relevance")
    good = {"chunk_relevance": "relevant", "source_reliability": "reliable"}[name]
    bad = {"relevant": "irrelevant", "reliable": "unreliable"}[good]
    assert result.reason == f"1 of 3 documents is {good}; {bad}: d0, d2"
    assert [(each.text, each.why) for each in result.evidence] == [
        ("d0", "because no"),
        ("d2", "because no"),
    ]


@pytest.mark.parametrize(("at_least", "outcome"), [(0.5, "passed"), (0.6, "failed")])
def test_a_precision_may_be_asked_for(session: Session, at_least: float, outcome: str) -> None:
    judge = ScriptedJudge(by_document(said("no"), said("yes")))
    rule = Threshold("at_least", at_least)
    result = session.evaluate(retrieved(2), "chunk_relevance", judge=judge, threshold=rule)
    assert (result.outcome, result.metric) == (outcome, "chunk_relevance")


def test_a_reason_names_the_first_documents_that_fail_and_counts_the_others(
    session: Session,
) -> None:
    result = session.evaluate(retrieved(9), "chunk_relevance", judge=ScriptedJudge(said("no")))
    assert result.reason.endswith("; irrelevant: d0, d1, d2, d3, d4 and 4 more")
    kept = session.evaluate(retrieved(9), "chunk_relevance", judge=ScriptedJudge(said("yes")))
    assert kept.reason == "9 of 9 documents are relevant"


@PER_DOCUMENT
def test_blank_documents_are_neither_asked_about_nor_counted(session: Session, name: str) -> None:
    documents = [" ", "a", {"content": "\u200b", "id": "x", "title": "T"}, "b"]
    case = Case.model_validate({"query": "q", "context": documents})
    judge = ScriptedJudge(said("yes"))
    result = session.evaluate(case, name, judge=judge)
    assert (result.score, [part.name for part in result.parts]) == (1, ["2", "4"])
    assert len(judge.questions) == 2
    blank = Case.model_validate({"query": "q", "context": [" ", ""]})
    error = session.evaluate(blank, name, judge=judge).error
    assert isinstance(error, CaseError)
    assert f"{name} needs context, which is blank" in str(error)


@PER_DOCUMENT
def test_no_two_parts_are_called_the_same(session: Session, name: str) -> None:
    documents = ["a", "b", {"content": "c", "id": "1"}, {"content": "d", "id": " "}]
    case = Case.model_validate({"query": "q", "context": documents})
    result = session.evaluate(case, name, judge=ScriptedJudge(said("yes")))
    assert [part.name for part in result.parts] == ["1", "2", "1 (2)", "4"]


def by_sentence(question: Question[Any]) -> Any:
    claim = question.inputs["claim"]
    return JudgeRefused("declined") if "six" in claim else said("no" if "2 kg" in claim else "yes")


def test_each_sentence_that_is_checked_is_a_part_and_an_error_says_which_got_no_rating(
    session: Session,
) -> None:
    response = "It is nylon. It weighs 2 kg. It is nylon."
    case = Case.model_validate({"response": response, "context": ["It is nylon."]})
    options = {"claims": "sentences"}
    judge = ScriptedJudge(by_sentence)
    result = session.evaluate(case, "fact_check", judge=judge, options=options)
    assert (result.score, result.reason) == (0, "2 of 3 sentences are supported")
    assert [(part.name, part.score) for part in result.parts] == [
        ("It is nylon.", 1),
        ("It weighs 2 kg.", 0),
        ("It is nylon. (2)", 1),
    ]
    assert [(each.text, each.why) for each in result.evidence] == [
        ("It weighs 2 kg.", "because no")
    ]
    case = case.model_copy(update={"response": "It is nylon. It sleeps six."})
    result = session.evaluate(case, "fact_check", judge=judge, options=options)
    assert isinstance(result.error, PartlyJudged)
    assert str(result.error) == "1 of 2 sentences got no rating:\n  It sleeps six.: declined"
    assert [part.score for part in result.parts] == [1, None]


def test_documents_without_an_id_are_called_by_their_number(session: Session) -> None:
    documents = ["a", {"content": "b", "id": "faq"}, "c"]
    case = Case.model_validate({"query": "q", "context": documents})
    result = session.evaluate(case, "chunk_relevance", judge=ScriptedJudge(said("yes")))
    assert [part.name for part in result.parts] == ["1", "faq", "3"]


@PER_DOCUMENT
def test_a_document_without_a_rating_is_an_error_that_keeps_the_other_ratings(
    session: Session, name: str
) -> None:
    broken = JudgeRefused("the judge declined")
    judge = ScriptedJudge(by_document(said("yes"), broken, said("no"), "no idea"))
    result = session.evaluate(retrieved(4), name, judge=judge)
    assert isinstance(result.error, PartlyJudged)
    assert (result.outcome, result.graded) == (Outcome.ERROR, None)
    assert result.parts[0] == Part("d0", 1.0, "because yes")
    assert result.parts[1] == Part("d1", None, error="the judge declined")
    assert result.parts[2] == Part("d2", 0.0, "because no")
    assert result.parts[3].error is not None
    assert result.parts[3].error.startswith("the judge's reply could not be read")
    told = str(result.error)
    assert told.startswith("2 of 4 documents got no rating:\n  d1: the judge declined\n  d3: the")
    assert result.usage.asked == 4  # what was said in vain counts, too: d3 was asked twice
    with pytest.raises(PartlyJudged):
        result.passed  # noqa: B018


def test_what_is_not_the_fault_of_one_document_comes_through_as_itself(session: Session) -> None:
    case = retrieved(3)
    assert isinstance(session.evaluate(case, "chunk_relevance").error, NoJudge)
    no_key = JudgeMisconfigured("no key")
    judge = ScriptedJudge(by_document(said("yes"), no_key, said("no")))
    assert session.evaluate(case, "chunk_relevance", judge=judge).error is no_key
    one_off = JudgeMisconfigured("this text is too odd", lasting=False)
    judge = ScriptedJudge(by_document(said("yes"), one_off, said("no")))
    assert isinstance(session.evaluate(case, "chunk_relevance", judge=judge).error, PartlyJudged)


def test_a_judge_that_is_asked_no_more_is_not_told_as_a_fault_of_documents(
    session: Session,
) -> None:
    judge = ScriptedJudge(JudgeUnavailable("it is down"))
    few = session.evaluate(retrieved(4), "chunk_relevance", judge=judge).error
    assert isinstance(few, PartlyJudged)
    again = session.evaluate(retrieved(4), "chunk_relevance", judge=judge).error
    assert isinstance(again, JudgeUnavailable)
    assert "asked no more: 5 questions in a row" in str(again)
    assert len(judge.questions) == 5


def test_a_miss_in_replay_mode_says_how_to_record(tmp_path: Any) -> None:
    session = Session(Settings(mode="replay", store=tmp_path, model="openai/judge"))
    result = session.evaluate(retrieved(2), "chunk_relevance")
    assert isinstance(result.error, NotRecorded)
    assert "record it by a run with --llm-eval-mode=auto" in str(result.error)
    session.close()


def test_a_miss_in_replay_mode_keeps_the_ratings_that_are_stored(
    tmp_path: Any, server: LoopbackJudge
) -> None:
    served = partial(Settings, model="openai/judge", base_url=server.url, store=tmp_path)
    session = Session(served())
    assert session.evaluate(retrieved(2), "chunk_relevance").score == 0.5
    session.close()
    session = Session(served(mode="replay"))
    result = session.evaluate(retrieved(4), "chunk_relevance")
    session.close()
    assert type(result.error) is NotRecorded
    assert str(result.error).startswith("2 of 4 documents got no rating: d2, d3\n  replay: the ")
    assert [part.score for part in result.parts] == [0, 1, None, None]
    assert result.usage.stored == 2
    again = pickle.loads(pickle.dumps(result.error))
    assert (str(again), again.parts) == (str(result.error), result.parts)


class Mark(Reply):
    reason: Reason
    score: Rating


@built_in(needs=("context",), scale=BETWEEN_ONE_AND_FIVE)
async def freshness(case: Case, ask: Ask) -> Verdict:
    def question_of(one: Case) -> Question[Mark]:
        inputs = {"documents": [one.context[0].content]}
        return Question("freshness", (("user", one.context[0].content),), Mark, inputs)

    def part_of(name: str, reply: Mark) -> Part:
        return Part(name, reply.score, reply.reason)

    parts = await each_document(case, ask, question_of, part_of)
    return Verdict(max(part.score or 0 for part in parts), "the freshest", parts=parts)


def test_a_metric_of_ones_own_may_rate_each_document_on_its_own_scale(session: Session) -> None:
    judge = ScriptedJudge(by_document({"reason": "r", "score": 2}, {"reason": "r", "score": 4}))
    result = session.evaluate(retrieved(2), freshness, judge=judge)
    assert (result.score, [part.score for part in result.parts]) == (4, [2, 4])


def test_what_a_metric_of_ones_own_raises_is_an_error_of_the_whole(session: Session) -> None:
    @built_in(needs=("context",), scale=BETWEEN_ONE_AND_FIVE)
    async def broken(case: Case, ask: Ask) -> Verdict:
        def question_of(one: Case) -> Question[Mark]:
            raise KeyError("oops")

        await each_document(case, ask, question_of, lambda name, reply: Part(name, 1))
        raise AssertionError

    error = session.evaluate(retrieved(2), broken, judge=ScriptedJudge("")).error
    assert type(error) is EvalError
    assert "broken raised KeyError" in str(error)


@pytest.fixture
def server() -> Iterator[LoopbackJudge]:
    with LoopbackJudge("openai") as running:
        running.answer = lambda request: json.dumps(
            said("yes" if "number 1" in request.prompt else "no")
        )
        yield running


def test_over_http_documents_are_asked_about_at_once_and_a_broken_one_spoils_no_other(
    server: LoopbackJudge,
) -> None:
    session = Session(Settings(model="openai/judge", base_url=server.url, mode="off"))
    server.parties = 6
    assert session.evaluate(retrieved(6), "chunk_relevance").score == pytest.approx(1 / 6)
    assert server.most_in_flight == 6
    server.script(loopback.filtered())
    result = session.evaluate(retrieved(6), "chunk_relevance")
    assert isinstance(result.error, PartlyJudged)
    assert [part.score for part in result.parts].count(None) == 1
    assert result.usage.asked == 6
    session.close()


TESTS = """
import pytest
from pytest_llmeval import assert_chunks_relevant, assert_metrics

@pytest.mark.llm_cases("qa.jsonl", metrics=["chunk_relevance", "guideline_adherence"])
def test_it(llm_case):
    results = assert_metrics(llm_case)
    assert [part.name for part in results["guideline_adherence"].parts] == ["guidelines", "global"]
"""


def test_parts_are_asked_ahead_stored_and_kept_in_the_run_file_by_workers_too(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    server.answer = lambda request: json.dumps(
        {"broken": [], **said("no" if "number 0" in request.prompt else "yes")}
    )
    server.parties = 5
    rows = [
        {**retrieved(2).model_dump(include={"context"}), "query": f"q{n}", "response": "r"}
        for n in range(3)
    ]
    rows = [{**row, "guidelines": ["Be polite."]} for row in rows]
    pytester.path.joinpath("qa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pytester.makepyfile(TESTS)
    pytester.makeini("[pytest]\nllm_eval_guideline =\n    Name the years.\n")
    told = []
    for workers in ("0", "2"):
        result = pytester.runpytest(
            "--llm-eval",
            "--llm-eval-model=openai/judge",
            f"--llm-eval-base-url={server.url}",
            "--llm-eval-report=run.json",
            f"-n{workers}",
        )
        result.assert_outcomes(passed=3)
        told.append(json.loads(pytester.path.joinpath("run.json").read_text())["records"])
    assert len(server.bodies) == 3 * 4
    assert server.most_in_flight > 4
    for records in told:
        relevance = [each for each in records if each["metric"] == "chunk_relevance"]
        assert [[part["score"] for part in each["parts"]] for each in relevance] == [[0, 1]] * 3
        assert {each["bound"] for each in relevance} == {"more_than"}


def test_global_guidelines_are_asked_about_ahead(
    pytester: pytest.Pytester, server: LoopbackJudge
) -> None:
    server.answer = lambda request: json.dumps({"broken": [], **said("yes")})
    server.parties = 3
    rows = [{"query": f"q{n}", "response": f"r{n}"} for n in range(3)]
    pytester.path.joinpath("qa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import assert_metrics

        @pytest.mark.llm_cases("qa.jsonl", metrics=["guideline_adherence"])
        def test_it(llm_case):
            assert_metrics(llm_case)
        """
    )
    result = pytester.runpytest(
        "--llm-eval",
        "--llm-eval-model=openai/judge",
        f"--llm-eval-base-url={server.url}",
        "--llm-eval-guideline=Be polite.",
    )
    result.assert_outcomes(passed=3)
    assert (len(server.bodies), server.most_in_flight) == (3, 3)


def test_a_run_shows_the_failed_parts_of_an_error_and_records_the_others(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        from pytest_llmeval import assert_chunks_relevant
        from pytest_llmeval.errors import JudgeRefused
        from pytest_llmeval.testing import ScriptedJudge

        def test_it():
            good = {"reason": "r", "verdict": "yes"}
            judge = ScriptedJudge([good, JudgeRefused("declined")])
            assert_chunks_relevant("q", context=["a", "b"], judge=judge)
        """
    )
    result = pytester.runpytest("--llm-eval", "--llm-eval-report=run.json")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["E  *PartlyJudged: 1 of 2 documents got no rating:", "E  *  2: declined"]
    )
    (record,) = json.loads(pytester.path.joinpath("run.json").read_text())["records"]
    assert (record["error"], record["score"]) == ("PartlyJudged", None)
    assert [part["score"] for part in record["parts"]] == [1, None]
    assert [part["error"] for part in record["parts"]] == [None, "declined"]
