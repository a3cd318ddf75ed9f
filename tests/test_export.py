"""Rows of cases for other programs: the columns of the reference systems, and what is in them."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmeval import UsageError
from pytest_llmeval.cli import main
from pytest_llmeval.judges.choice import JudgeChoice
from pytest_llmeval.ledger import Ledger, Made
from pytest_llmeval.rates.keys import place_of
from pytest_llmeval.records.assessment import Assessment
from pytest_llmeval.records.judged_case import JudgedCase
from pytest_llmeval.records.record import Record
from pytest_llmeval.records.tests import TestRow
from pytest_llmeval.reports.columns import canonical, read_rows
from pytest_llmeval.reports.digests import digest_of
from pytest_llmeval.reports.exported import FORMATS, exported
from pytest_llmeval.reports.extent import Extent
from pytest_llmeval.reports.run import Run
from pytest_llmeval.reports.run_made import run_of
from pytest_llmeval.results import Outcome, Part, Result, Usage
from pytest_llmeval.scales import FRACTION
from pytest_llmeval.settings import Settings
from pytest_llmeval.suites.result import assessment_of, suite_result

TENT = JudgedCase("d1", "=Which tent?", "The Alpine.\n", "Alpine", ("a", "b", None))
STOVE = JudgedCase("d2", "Which stove?", "", None, ())
CORRECT = Record(
    metric="correctness",
    outcome=Outcome.PASSED,
    scale="yes_no",
    higher_is_better=True,
    label="yes",
    bound="at_least",
    threshold=1.0,
    score=1.0,
    reason="It says so.",
    evidence=(),
    parts=(),
    turn=None,
    error=None,
    message="",
    judge="j",
    is_llm=True,
    resolved_model=None,
    usage=Usage(),
    keys=(),
    prompts=(),
    case_id="tent",
    judged="d1",
    nodeid="t.py::tent",
)
FLUENT = replace(CORRECT, metric="fluency", scale="1-5", label=None, threshold=4.0, score=4.0)
F1 = replace(
    FLUENT,
    metric="f1",
    outcome=Outcome.MEASURED,
    scale="0-1",
    bound=None,
    threshold=None,
    score=-0.5,
)
TOKENS = replace(F1, metric="total_token_count", scale="count", score=612.0)
DOWN: dict[str, Any] = {
    "outcome": Outcome.ERROR,
    "error": "JudgeRefused",
    "score": None,
    "label": None,
}
DOCUMENTS = replace(
    CORRECT,
    metric="chunk_relevance",
    scale="0-1",
    per_document=True,
    **{**DOWN, "message": "1 of 3 documents got no rating"},
    parts=(Part("a", 1.0, "r"), Part("b", 0.0, "s"), Part("3", None, error="down")),
)
RATED = replace(DOCUMENTS, outcome=Outcome.PASSED, error=None, score=0.5, parts=DOCUMENTS.parts[:2])
WHY = Assessment(
    suite="databricks",
    outcome=Outcome.FAILED,
    root_cause="correctness",
    fix="Look at the prompt.",
    failed=("correctness",),
    errors=(),
    left_out=(),
    case_id="tent",
    judged="d1",
    nodeid="t.py::tent",
)
NO_ANSWER = replace(WHY, outcome=Outcome.ERROR, root_cause=None, fix=None, failed=())


def run_of_records(*made: Record, assessments: tuple[Assessment, ...] = ()) -> Run:
    ledger = Ledger()
    news = Made([*made], [*assessments], {"d1": TENT, "d2": STOVE}).plain()
    nothing: dict[str, Any] = {"notices": [], "answers": [], "judges": []}
    ledger.take({**news, **nothing}, ("", ""), "call")
    given = Settings()
    digest = digest_of(each.nodeid for each in made)
    extent = Extent(
        complete=True,
        collected=1,
        deselected=0,
        elsewhere=0,
        shard=None,
        ran=1,
        collection_errors=0,
        named=False,
        stopped=None,
        collected_digest=digest,
        ran_digest=digest,
    )
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    return run_of(
        ledger,
        given,
        JudgeChoice(given),
        extent=extent,
        started=moment,
        finished=moment,
        exit_status=0,
        root=Path("/root"),
    )


def rows_of(*made: Record, **more: Any) -> list[dict[str, Any]]:
    text = exported(run_of_records(*made, **more), "databricks")
    assert isinstance(text, str)
    return [json.loads(line) for line in text.splitlines()]


def test_a_case_is_one_row_in_the_columns_of_the_reference() -> None:
    (row,) = rows_of(CORRECT, FLUENT, F1, TOKENS, RATED, assessments=(WHY,))
    assert row == {
        "request_id": "tent",
        "request": "=Which tent?",
        "response": "The Alpine.\n",
        "expected_response": "Alpine",
        "retrieved_context": [{"doc_uri": "a"}, {"doc_uri": "b"}, {"doc_uri": None}],
        "response/overall_assessment/rating": "no",
        "response/overall_assessment/rationale": (
            "Root cause: correctness. Suggested fix: Look at the prompt."
        ),
        "response/overall_assessment/error_message": None,
        "agent/total_token_count": 612,
        "agent/total_token_count/error_message": None,
        "response/llm_judged/correctness/rating": "yes",
        "response/llm_judged/correctness/rationale": "It says so.",
        "response/llm_judged/correctness/error_message": None,
        "response/llm_judged/fluency/score": 4.0,
        "response/llm_judged/fluency/rationale": "It says so.",
        "response/llm_judged/fluency/error_message": None,
        "response/text/f1": -0.5,
        "response/text/f1/error_message": None,
        "retrieval/llm_judged/chunk_relevance/ratings": ["yes", "no"],
        "retrieval/llm_judged/chunk_relevance/rationales": ["r", "s"],
        "retrieval/llm_judged/chunk_relevance/error_messages": [None, None],
        "retrieval/llm_judged/chunk_relevance/precision": 0.5,
    }


def test_where_a_judge_failed_its_message_is_there_and_nothing_else() -> None:
    down = replace(CORRECT, **{**DOWN, "message": "timed out"})
    asked = replace(DOCUMENTS, metric="source_reliability", parts=(), message="no judge")
    broken = replace(NO_ANSWER, errors=("correctness",), message="timed out")
    (row,) = rows_of(down, DOCUMENTS, asked, assessments=(broken,))
    judged = {name: value for name, value in row.items() if "/" in name and value is not None}
    assert judged == {
        "response/overall_assessment/error_message": "no verdict of correctness: timed out",
        "response/llm_judged/correctness/error_message": "timed out",
        "retrieval/llm_judged/chunk_relevance/ratings": ["yes", "no", None],
        "retrieval/llm_judged/chunk_relevance/rationales": ["r", "s", None],
        "retrieval/llm_judged/chunk_relevance/error_messages": [None, None, "down"],
        "retrieval/llm_judged/source_reliability/error_messages": ["no judge"],
    }


@pytest.mark.parametrize(
    ("made", "rating", "rationale", "message"),
    [
        (replace(NO_ANSWER, message="nothing to ask"), None, None, "nothing to ask"),
        (
            replace(NO_ANSWER, errors=("f1", "bleu"), message="down"),
            *(None, None, "no verdict of f1, bleu: down"),
        ),
        (replace(NO_ANSWER, outcome=Outcome.PASSED), "yes", None, None),
        (replace(NO_ANSWER, outcome=Outcome.MEASURED), None, None, None),
        (replace(NO_ANSWER, outcome=Outcome.NOT_APPLICABLE), None, None, None),
        (
            replace(WHY, errors=("safety",), uncertain=("safety", "x"), fix=None),
            "no",
            "Root cause: correctness, unless it is safety or x, which got no verdict.",
            None,
        ),
    ],
)
def test_a_suite_is_told_by_what_it_came_to(
    made: Assessment, rating: str | None, rationale: str | None, message: str | None
) -> None:
    (row,) = rows_of(assessments=(made,))
    base = "response/overall_assessment"
    told = [row[f"{base}/{name}"] for name in ("rating", "rationale", "error_message")]
    assert told == [rating, rationale, message]


def test_an_error_that_says_nothing_is_told_by_its_kind() -> None:
    silent = Result("f1", Outcome.ERROR, FRACTION, None, error=UsageError(" "), case_id="tent")
    made = assessment_of(suite_result("shop", [silent], {}, "tent", None))
    (row,) = rows_of(Record.of(silent), assessments=(made,))
    assert row["response/text/f1/error_message"] == "UsageError"
    assert row["response/overall_assessment/error_message"] == "no verdict of f1: UsageError"


def test_rows_are_told_apart_by_case_and_none_is_lost() -> None:
    again = replace(CORRECT, score=0.0, label="no", nodeid="t.py::z")
    stove = replace(CORRECT, case_id="stove", judged="d2", score=None, outcome=Outcome.FAILED)
    placed: dict[str, Any] = {"nodeid": "t.py::bare", "judged": "d3"}
    bare = [
        replace(CORRECT, case_id="t.py::bare:correctness:1", **placed),
        replace(FLUENT, case_id="t.py::bare:fluency:1", **placed),
    ]
    unmade = replace(CORRECT, judged=None, case_id="t.py::x:correctness:1", **DOWN)
    hoped = replace(CORRECT, xfailed=True, case_id="hoped")
    question = replace(CORRECT, metric="llm_judge", case_id="question")
    rows = rows_of(CORRECT, FLUENT, again, stove, *bare, unmade, hoped, question)
    base = "response/llm_judged"
    told = [
        (row["request_id"], row[f"{base}/correctness/rating"], row[f"{base}/fluency/score"])
        for row in rows
    ]
    assert sorted(told, key=str) == sorted(
        [
            ("tent", "yes", 4.0),
            ("tent", "no", None),
            ("stove", "no", None),  # a blank response
            ("t.py::bare:correctness:1", "yes", 4.0),
            ("t.py::x:correctness:1", None, None),
        ],
        key=str,
    )
    run = run_of_records(CORRECT, FLUENT, again, stove, *bare, unmade, hoped, question)
    amount = run.aggregates[f"{base}/correctness/rating/percentage"]
    ratings = [rating for _, rating, _ in told if rating]
    assert amount.value == ratings.count("yes") / len(ratings) == 0.5


DRAWN = st.lists(
    st.tuples(
        st.sampled_from([CORRECT, FLUENT, F1, RATED]),
        st.sampled_from(["tent", "stove"]),
        st.sampled_from([0.0, 0.1, 1 / 3, 1.0, None]),
        st.booleans(),
        st.booleans(),
    ),
    max_size=30,
)


@settings(max_examples=60)
@given(drawn=DRAWN)
def test_what_rows_amount_to_is_what_the_run_file_says(drawn: list[Any]) -> None:
    records = []
    for number, (record, case, score, errs, xfailed) in enumerate(drawn):
        if record is CORRECT and score is not None:
            score = float(score > 0.5)
        error: dict[str, Any] = {"message": "down", **DOWN} if errs else {"score": score}
        if score is None and not errs:
            error["outcome"] = Outcome.FAILED if number % 2 else Outcome.NOT_APPLICABLE
        place = {"case_id": case, "nodeid": f"t.py::{number % 3}", "xfailed": xfailed}
        records.append(replace(record, **place, **error))
    run = run_of_records(*records)
    rows = rows_of(*records)
    document = json.loads(exported(run, "azure"))
    for key, amount in run.aggregates.items():
        column = key.removesuffix("/average").removesuffix("/percentage")
        values = [row[column] for row in rows if row[column] is not None]
        numbers = [float(each == "yes") if isinstance(each, str) else each for each in values]
        assert amount.judged == len(numbers)
        mean = sum(numbers) / len(numbers) if numbers else None
        assert amount.value == (None if mean is None else pytest.approx(mean, abs=1e-12))
        metric = column.split("/")[2]
        name = {"f1": "f1_score"}.get(metric, metric)
        score = f"{name}.{name}"
        scores = [row[f"outputs.{score}"] for row in document["rows"]]
        assert sum(each is not None for each in scores) == amount.judged
        told = document["metrics"]
        assert told.get(score) == amount.value
        for count in ("judged", "not_judged", "not_applicable"):
            assert told[f"{name}.{count}"] == getattr(amount, count)


def test_azure_gets_rows_and_metrics_by_its_names() -> None:
    other: dict[str, Any] = {"case_id": "stove", "judged": "d2"}
    failed = replace(CORRECT, score=0.0, outcome=Outcome.FAILED, **other)
    down = replace(FLUENT, **{**DOWN, "message": "down", **other})
    on_yes_no = replace(CORRECT, metric="groundedness[yes_no]")
    text = exported(run_of_records(CORRECT, FLUENT, F1, failed, down, on_yes_no), "azure")
    document = json.loads(text)
    tent, stove = document["rows"]
    assert tent["inputs.query"] == "=Which tent?"
    assert tent["inputs.document_ids"] == ["a", "b", None]
    assert (tent["line_number"], stove["line_number"]) == (0, 1)
    assert tent["outputs.correctness.correctness"] == 1.0
    assert tent["outputs.correctness.correctness_result"] == "pass"
    assert tent["outputs.fluency.fluency_threshold"] == 4.0
    assert tent["outputs.f1_score.f1_score"] == -0.5
    assert tent["outputs.f1_score.f1_score_result"] is None
    assert tent["outputs.groundedness_yes_no.groundedness_yes_no_reason"] == "It says so."
    told = {name: value for name, value in stove.items() if "fluency" in name}
    assert told.pop("outputs.fluency.fluency_error") == "down"
    assert {*told.values()} == {None}
    assert tent.keys() == stove.keys()
    metrics = document["metrics"]
    assert metrics["correctness.correctness"] == metrics["correctness.binary_aggregate"] == 0.5
    assert metrics["correctness.binary_judged"] == metrics["correctness.judged"] == 2
    assert (metrics["fluency.judged"], metrics["fluency.not_judged"]) == (1, 1)
    assert (metrics["f1_score.f1_score"], metrics["f1_score.judged"]) == (-0.5, 1)  # measured
    assert "f1_score.binary_aggregate" not in metrics


def test_csv_gives_back_what_the_rows_hold_and_runs_nothing() -> None:
    odd = [
        replace(CORRECT, reason=text) for text in ("+1", "-1", "@x", "\tx", "\rx", "'=1", 'a,"b')
    ]
    run = run_of_records(*odd, F1, RATED)
    text = exported(run, "csv")
    assert isinstance(text, str)
    found = [*csv.DictReader(io.StringIO(text, newline=""))]
    assert not any(cell.startswith(tuple("=+@\t\r")) for row in found for cell in row.values())
    held = [
        {name: _read(name, cell.removeprefix("'")) for name, cell in row.items()} for row in found
    ]
    assert held == rows_of(*odd, F1, RATED)


def _read(name: str, cell: str) -> Any:
    if not cell:
        return None
    if name == "retrieved_context" or (name.endswith("s") and "llm_judged" in name):
        return json.loads(cell)
    return float(cell) if name.endswith(("f1", "/precision")) else cell


def test_parquet_gives_back_what_the_rows_hold(tmp_path: Path) -> None:
    every = (CORRECT, FLUENT, F1, TOKENS, RATED)
    down = replace(CORRECT, judged="d2", **{**DOWN, "message": "down"})
    made = exported(run_of_records(*every, down), "parquet")
    assert isinstance(made, bytes)
    (tmp_path / "rows.parquet").write_bytes(made)
    table = pq.read_table(tmp_path / "rows.parquet")
    assert table.to_pylist() == rows_of(*every, down)
    assert str(table.schema.field("agent/total_token_count").type) == "int64"
    empty = exported(run_of_records(), "parquet")
    assert isinstance(empty, bytes)


def test_the_command_writes_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.json"
    checks = (replace(CORRECT, judge=None), replace(CORRECT, judge=None, reason="é"))
    made = run_of_records(*checks)
    tests, cases = (TestRow(CORRECT.nodeid, "passed"),), made.cases[:1]
    extent = made.extent.model_copy(update={"ran_digest": digest_of(["t.py::tent"])})
    update = {"tests": tests, "cases": cases, "extent": extent}
    file.write_text(made.model_copy(update=update).text(), encoding="utf-8")

    def said(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["export", str(file), *arguments])
        return done.exit_code, done.output_bytes.decode()

    for form in FORMATS[:3]:
        status, text = said("--format", form)
        assert (status, text) == (
            0,
            exported(run_of_records(*checks), form),
        )
        assert said("--format", form, "--output", str(tmp_path / "deep" / form)) == (0, "")
        assert (tmp_path / "deep" / form).read_bytes().decode() == text
    assert said("--format", "parquet") == (
        1,
        "Error: parquet is no text for a terminal: give --output FILE\n",
    )
    assert said("--format", "parquet", "--output", str(tmp_path / "p"))[0] == 0
    assert (tmp_path / "p").read_bytes()[:4] == b"PAR1"
    assert said("--format", "csv", "--output", str(tmp_path))[0] == 1
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, text = said("--format", "parquet", "--output", str(tmp_path / "p"))
    assert (status, "pip install pytest-llm-evaluation[parquet]" in text) == (1, True)
    file.write_text("{}", encoding="utf-8")
    assert "this is no run file" in said("--format", "csv")[1]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (
            "response/llm_judged/relevant_to_query/rating",
            "response/llm_judged/relevance_to_query/rating",
        ),
        (
            "retrieval/llm_judged/relevant_to_query/error_message",
            "response/llm_judged/relevance_to_query/error_message",
        ),
        *(
            (
                f"retrieval/llm_judged/{metric}/error_message",
                f"response/llm_judged/{metric}/error_message",
            )
            for metric in ("correctness", "groundedness", "safety")
        ),
        *(
            (name, name)
            for name in (
                "retrieval/llm_judged/context_sufficiency/error_message",
                "retrieval/llm_judged/groundedness/rating",
                "request_id",
                "",
            )
        ),
        (
            "retrieval/llm_judged/chunk_relevance/ratings[]",
            "retrieval/llm_judged/chunk_relevance/ratings",
        ),
        ("chunk-relevance-precision", "retrieval/llm_judged/chunk_relevance/precision"),
        (
            "retrieval/llm_judged/chunk-relevance-precision/average",
            "retrieval/llm_judged/chunk_relevance/precision/average",
        ),
    ],
)
def test_the_names_of_the_reference_are_read_as_ours(theirs: str, ours: str) -> None:
    assert canonical(theirs) == ours
    assert canonical(ours) == ours


def test_rows_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(str(exported(run_of_records(CORRECT, RATED), "databricks")), encoding="utf-8")
    assert read_rows(path) == rows_of(CORRECT, RATED)
    theirs, ours = (
        f"response/llm_judged/{name}/rating" for name in ("relevant_to_query", "relevance_to_query")
    )
    path.write_text(json.dumps({theirs: "yes", ours: None}) + "\n\n", encoding="utf-8-sig")
    assert read_rows(str(path)) == [{ours: "yes"}]
    for text, message in (
        ("{", "rows.jsonl:1: this is no JSON"),
        ("\n[1]", "rows.jsonl:2: expected an object, a row; got list"),
        (
            json.dumps({theirs: "yes", ours: "no"}),
            f"two columns are {ours}, and their values differ",
        ),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match="rows.jsonl") as caught:
            read_rows(path)
        assert message in str(caught.value)
    with pytest.raises(UsageError, match="cannot be read"):
        read_rows(tmp_path / "none")


def test_the_page_on_the_export_reads_rows_back_and_names_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = Path(__file__).parent.parent.joinpath("docs/export.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    no = replace(CORRECT, score=0.0, label="no", case_id="stove", judged="d2")
    text = exported(run_of_records(CORRECT, no), "databricks")
    (tmp_path / "rows.jsonl").write_text(str(text), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/export.md", "exec"), {})
    assert capsys.readouterr().out == "2 ['stove']\n"
    assert sorted(re.findall(r"^\| `(\w+)` \| (?:a JSON|the same|the doc)", page, re.M)) == sorted(
        FORMATS
    )


def test_the_page_on_the_export_pairs_columns_with_aggregates_as_they_are() -> None:
    page = Path(__file__).parent.parent.joinpath("docs/export.md").read_text(encoding="utf-8")
    paired = re.findall(r"^\| `(agent/\S+)` \| `(agent/\S+)` \|$", page, re.MULTILINE)
    counts = [replace(TOKENS, metric=column.split("/")[1]) for column, _ in paired]
    assert [(place_of(each).base, place_of(each).aggregate) for each in counts] == paired
    assert len(paired) == 3
