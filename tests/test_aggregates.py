"""Aggregates: what records amount to, under the keys of the reference systems."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from active_session import active_session
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmeval import Case, JudgedMetric, evaluate, load_run
from pytest_llmeval.metrics import CATALOGUE
from pytest_llmeval.rates.aggregates import aggregates
from pytest_llmeval.rates.keys import _BASES, place_of
from pytest_llmeval.records.record import Record
from pytest_llmeval.results import Outcome, Usage
from pytest_llmeval.session import Session
from pytest_llmeval.testing import ScriptedJudge

BLANK = Record(
    metric="f1",
    outcome=Outcome.PASSED,
    scale="0-1",
    higher_is_better=True,
    label=None,
    bound=None,
    threshold=None,
    score=1.0,
    reason="",
    evidence=(),
    parts=(),
    turn=None,
    error=None,
    message="",
    judge=None,
    is_llm=False,
    resolved_model=None,
    usage=Usage(),
    keys=(),
    prompts=(),
    case_id="a",
)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with active_session() as made:
        yield made


KEYS = {
    "tool_calls": "agent/tool_calls/average",
    "chunk_relevance": "retrieval/llm_judged/chunk_relevance/precision/average",
    "document_recall": "retrieval/ground_truth/document_recall/average",
    "document_precision": "retrieval/ground_truth/document_precision/average",
    "source_reliability": "retrieval/llm_judged/source_reliability/precision/average",
    "context_sufficiency": "retrieval/llm_judged/context_sufficiency/rating/percentage",
    "retrieval": "retrieval/llm_judged/retrieval/score/average",
    "correctness": "response/llm_judged/correctness/rating/percentage",
    "relevance_to_query": "response/llm_judged/relevance_to_query/rating/percentage",
    "groundedness[yes_no]": "response/llm_judged/groundedness/rating/percentage",
    "guideline_adherence": "response/llm_judged/guideline_adherence/rating/percentage",
    "safety": "response/llm_judged/safety/rating/average",
    "fact_check": "response/llm_judged/fact_check/rating/percentage",
    "fact_check[no]": "response/llm_judged/fact_check/rating/percentage",
    "context_relevancy": "response/llm_judged/context_relevancy/rating/percentage",
    "groundedness": "response/llm_judged/groundedness/score/average",
    "relevance": "response/llm_judged/relevance/score/average",
    "coherence": "response/llm_judged/coherence/score/average",
    "fluency": "response/llm_judged/fluency/score/average",
    "similarity": "response/llm_judged/similarity/score/average",
    "total_token_count": "agent/total_token_count/average",
    "total_input_token_count": "agent/input_token_count/average",
    "total_output_token_count": "agent/output_token_count/average",
    "latency_seconds": "agent/latency_seconds/average",
    "rouge[rouge1]": "response/text/rouge[rouge1]/average",
    **{
        name: f"response/text/{name}/average"
        for name in ("bleu", "chrf", "exact_match", "f1", "gleu", "json_schema", "meteor", "regex")
    },
    "rouge": "response/text/rouge/average",
}


def test_every_metric_stands_under_the_key_of_the_reference(session: Session) -> None:
    found = {}
    for row in KEYS:
        metric = session.names.metric(row)
        rule = metric.threshold
        record = replace(
            BLANK,
            metric=row,
            scale=metric.scale.name,
            higher_is_better=metric.scale.higher_is_better,
            bound=rule.bound if rule else None,
            per_document=metric.per_document,
        )
        found[row] = place_of(record).aggregate
    assert found == KEYS
    assert set(_BASES) <= set(CATALOGUE)
    told = {row.partition("[")[0] for row in KEYS}
    untold = {name for name in CATALOGUE if not CATALOGUE[name].judged} - set(_BASES)
    assert told - set(CATALOGUE) == untold == set(), "a metric without a judge needs a key"


def test_own_metrics_stand_by_what_they_are_asked_of(session: Session) -> None:
    query = "Is it warm? {{ response }}"
    own: list[tuple[Any, dict[str, Any], str]] = [
        ({"scale": "yes_no"}, {"verdict": "no"}, "response/llm_judged/own0/rating/percentage"),
        ({"scale": "pass_fail"}, {"verdict": "pass"}, "response/llm_judged/own1/rating/percentage"),
        ({"scale": "1-5"}, {"score": 3}, "response/llm_judged/own2/score/average"),
        (
            {"scale": {"cold": 0, "mild": 1, "warm": 2}, "at_least": "mild"},
            {"verdict": "warm"},
            "response/llm_judged/own3/score/average",
        ),
        (
            {"scale": "yes_no", "per_document": True, "prompt": "Is it? {{ context }}"},
            {"verdict": "yes"},
            "retrieval/llm_judged/own4/precision/average",
        ),
        (
            {"scale": "yes_no", "at_most": "no"},
            {"verdict": "yes"},
            "response/llm_judged/own5/rating/percentage",
        ),
    ]
    amounts = {}
    for number, (declared, said, key) in enumerate(own):
        metric = JudgedMetric(f"own{number}", **{"prompt": query, **declared})
        case = Case(response="It is warm.", context=["warm", "cold"])
        said["reason"] = "r"
        result = evaluate(case, metric, judge=ScriptedJudge(said))
        (made,) = aggregates([Record.of(result)]).items()
        assert made[0] == key
        amounts[number] = made[1].value
    assert amounts == {0: 0.0, 1: 1.0, 2: 3.0, 3: 2.0, 4: 1.0, 5: 1.0}


def test_what_was_not_judged_is_told_beside_the_share_of_yes() -> None:
    yes_no = replace(BLANK, metric="correctness", scale="yes_no", label="yes")
    no = replace(yes_no, score=0.0, label="no", outcome=Outcome.FAILED)
    nothing = replace(yes_no, score=None, label=None)
    score = replace(BLANK, metric="fluency", scale="1-5", score=4.0)
    records = [
        *[yes_no] * 2,
        no,
        replace(nothing, outcome=Outcome.FAILED),  # of a blank response
        *[replace(nothing, outcome=Outcome.ERROR, error="JudgeRefused", message="no")] * 2,
        replace(nothing, outcome=Outcome.NOT_APPLICABLE),
        replace(no, xfailed=True),
        score,
        replace(score, score=None, outcome=Outcome.FAILED),
        replace(score, metric="llm_judge", score=None, outcome=Outcome.MEASURED),
    ]
    made = aggregates(records)
    correct = made["response/llm_judged/correctness/rating/percentage"]
    assert (correct.value, correct.judged, correct.not_judged) == (0.5, 4, 2)
    assert correct.not_applicable == 1
    fluent = made["response/llm_judged/fluency/score/average"]
    assert (fluent.value, fluent.judged, fluent.not_judged) == (4.0, 1, 1)
    assert len(made) == 2
    down = aggregates(records[4:6])["response/llm_judged/correctness/rating/percentage"]
    assert (down.value, down.judged, down.not_judged) == (None, 0, 2)


def test_opposite_answers_and_scales_share_what_they_have_in_common() -> None:
    yes = replace(BLANK, metric="fact_check", scale="yes_no", label="yes", bound="at_least")
    wanted_no = replace(yes, metric="fact_check[no]", bound="at_most", outcome=Outcome.FAILED)
    (amount,) = aggregates([yes, wanted_no]).values()
    assert (amount.value, amount.judged) == (1.0, 2)  # the share of yes, not of passes
    rouge = replace(BLANK, metric="rouge[rouge1,recall,at_most]", bound="at_most")
    assert place_of(rouge).base == "response/text/rouge[rouge1,recall]"
    grounded = replace(BLANK, metric="groundedness[yes_no,no]", scale="yes_no", bound="at_most")
    assert place_of(grounded).base == "response/llm_judged/groundedness"


OUTCOMES = st.sampled_from(
    [
        {"outcome": Outcome.ERROR, "error": "JudgeRefused", "score": None},
        {"outcome": Outcome.NOT_APPLICABLE, "score": None},
        {"outcome": Outcome.FAILED, "score": None},
        *({"outcome": Outcome.PASSED, "score": score} for score in (0.0, 1.0, 0.1, 1 / 3, 4.7)),
    ]
)
METRICS = st.sampled_from([("correctness", "yes_no"), ("f1", "0-1"), ("fluency", "1-5")])


@settings(max_examples=80)
@given(st.lists(st.tuples(METRICS, OUTCOMES, st.booleans()), max_size=40))
def test_aggregates_are_what_a_plain_reading_of_the_rows_gives(drawn: list[Any]) -> None:
    records = [
        replace(BLANK, metric=metric, scale=scale, xfailed=xfailed, **outcome)
        for (metric, scale), outcome, xfailed in drawn
    ]
    for metric, scale, key in (
        ("correctness", "yes_no", "response/llm_judged/correctness/rating/percentage"),
        ("f1", "0-1", "response/text/f1/average"),
        ("fluency", "1-5", "response/llm_judged/fluency/score/average"),
    ):
        total, judged, lost, idle = 0.0, 0, 0, 0
        for record in records:
            if record.metric != metric or record.xfailed:
                continue
            score = record.score
            if score is None and record.outcome == "failed" and scale == "yes_no":
                score = 0.0
            if record.outcome == "not_applicable":
                idle += 1
            elif score is None:
                lost += 1
            else:
                total, judged = total + score, judged + 1
        made = aggregates(records).get(key)
        if made is None:
            assert (judged, lost, idle) == (0, 0, 0)
            continue
        assert (made.judged, made.not_judged, made.not_applicable) == (judged, lost, idle)
        assert made.value == (pytest.approx(total / judged, abs=1e-12) if judged else None)


def test_the_run_file_holds_aggregates_that_its_rows_give(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pytest_llmeval import evaluate
        from pytest_llmeval.errors import JudgeUnavailable
        from pytest_llmeval.testing import ScriptedJudge

        @pytest.mark.llm_eval
        @pytest.mark.parametrize("said", ["yes", "no", "yes", JudgeUnavailable("down")])
        def test_correct(said):
            reply = {"reason": "r", "verdict": said, "faults": []}
            judge = ScriptedJudge(said if isinstance(said, Exception) else reply)
            fields = dict(query="q", response="a tent", ground_truth="a tent of two")
            evaluate("correctness", judge=judge, **fields)
            evaluate("f1", **fields)
        """
    )
    pytester.runpytest("--llm-eval", "--llm-eval-report=run.json")
    document = json.loads((pytester.path / "run.json").read_text(encoding="utf-8"))
    ratings = [
        record["label"] == "yes"
        for record in document["records"]
        if record["metric"] == "correctness" and record["outcome"] in ("passed", "failed")
    ]
    scores = [each["score"] for each in document["records"] if each["metric"] == "f1"]
    assert len(ratings) == 3
    percentage = document["aggregates"]["response/llm_judged/correctness/rating/percentage"]
    assert percentage.pop("value") == pytest.approx(sum(ratings) / 3, abs=1e-12)
    assert percentage == {"judged": 3, "not_judged": 1, "not_applicable": 0}
    words = document["aggregates"]["response/text/f1/average"]
    assert words.pop("value") == pytest.approx(sum(scores) / 4, abs=1e-12)
    assert words == {"judged": 4, "not_judged": 0, "not_applicable": 0}
    assert [*load_run(pytester.path / "run.json").aggregates] == sorted(document["aggregates"])
